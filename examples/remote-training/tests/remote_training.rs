//! Training on a server in another process gives what training here gives.

use burn::backend::Autodiff;
use burn::backend::ndarray::{NdArray, NdArrayDevice};
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::Dataset;
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::{DigitsDataset, MnistItem};
use burn::optim::AdamConfig;
use burn::server::{Server, ServerOptions};
use burn::tensor::TensorData;
use guide::data::MnistBatcher;
use guide::inference::load;
use guide::model::ModelConfig;
use guide::training::{TrainingConfig, train};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

const VARIABLE: &str = "REMOTE_TRAINING_SERVER";

/// The server: this test in a program of its own.
#[test]
fn serve() {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    let server = Server::start::<NdArray>(Default::default(), ServerOptions::new("127.0.0.1:0"));
    println!("\nurl {}", server.as_ref().expect("there is a free port").url());
    let _end = std::io::stdin().read_to_end(&mut Vec::new());
    std::process::exit(0);
}

type Images = Arc<dyn Dataset<MnistItem>>;

fn images() -> (Images, Images) {
    let (train, test) = DigitsDataset::train_test_mnist(7);
    (Arc::new(PartialDataset::new(train, 0, 256)), Arc::new(PartialDataset::new(test, 0, 64)))
}

fn config() -> TrainingConfig {
    TrainingConfig::new(ModelConfig::new(10, 32), AdamConfig::new())
        .with_num_epochs(2)
        .with_num_workers(1)
        .with_learning_rate(2e-3)
}

/// What the trained model says of the test images.
fn scores(folder: &Path) -> TensorData {
    let (_, test) = images();
    let items: Vec<MnistItem> = (0..test.len()).filter_map(|index| test.get(index)).collect();
    let batch = MnistBatcher::<NdArray>::new(NdArrayDevice::Cpu).batch(items);
    load::<NdArray>(folder, &NdArrayDevice::Cpu)
        .expect("the run left a model")
        .forward(batch.images)
        .into_data()
}

fn losses(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("train/epoch-2/Loss.log")).expect("the run left its losses")
}

#[test]
fn training_on_a_server_gives_what_training_here_gives() {
    let mut child = Command::new(std::env::current_exe().expect("a test is a program"))
        .args(["--exact", "serve", "--nocapture"])
        .env(VARIABLE, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a program can be started twice");
    // The test runner of the child may still write into it.
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let url =
        lines.by_ref().map_while(Result::ok).find_map(|line| line.strip_prefix("url ").map(String::from));
    let (here, there) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (train_images, test) = images();
    train::<Autodiff<NdArray>>(
        here.path(),
        &config(),
        train_images.clone(),
        test.clone(),
        NdArrayDevice::Cpu,
    )
    .expect("the run succeeds");
    let url = url.expect("the server tells where it is");
    remote_training::train_on(&url, there.path(), &config(), train_images, test).expect("the run succeeds");
    assert_eq!(losses(there.path()), losses(here.path()));
    assert_eq!(scores(there.path()), scores(here.path()));
    drop(child.stdin.take());
    child.wait().expect("the server ends");
}

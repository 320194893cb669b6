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
use burn_conformance::process::Process;
use guide::data::MnistBatcher;
use guide::inference::load;
use guide::model::ModelConfig;
use guide::training::{TrainingConfig, train};
use std::path::Path;
use std::sync::Arc;

fn server() -> (Server, String) {
    let server = Server::start::<NdArray>(Default::default(), ServerOptions::new("127.0.0.1:0"));
    let server = server.expect("there is a free port");
    let url = server.url();
    (server, url)
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

/// Returns the logits of the trained model for the test images.
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
    let server = Process::start("training_on_a_server_gives_what_training_here_gives", server);
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
    remote_training::train_on(server.url(), there.path(), &config(), train_images, test)
        .expect("the run succeeds");
    assert_eq!(losses(there.path()), losses(here.path()));
    assert_eq!(scores(there.path()), scores(here.path()));
}

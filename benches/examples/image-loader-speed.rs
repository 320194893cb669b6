//! Decoding and augmentation of a folder of JPEG images by the data loader, beside PyTorch's `DataLoader`
//! with as many workers.
//!
//! ```text
//! cargo run --release --package benches --example image-loader-speed -- PYTHON
//! ```
//!
//! The interpreter has torch, numpy and Pillow. The target is PyTorch's time.

use burn_dataset::dataloader::{DataLoader, DataLoaderBuilder};
use burn_dataset::vision::{Annotation, ImageAugmentation, ImageDatasetItem, ImageFolderDataset, Pixels};
use burn_ndarray::NdArray;
use burn_tensor::{Int, Tensor, TensorData};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

const IMAGES: usize = 512;
const CROP: usize = 224;
const BATCH: usize = 32;
const ROUNDS: usize = 7;
const AT_MOST: f64 = 1.0;

fn main() {
    let python = std::env::args().nth(1).expect("the path of a Python with torch, numpy and Pillow");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("torch/image_loader.py");
    let folder = std::env::temp_dir().join(format!("burn-image-loader-{}", std::process::id()));
    let made = Command::new(&python).arg(&script).arg(&folder).arg("--make").status();
    assert!(made.expect("Python starts").success(), "the images could not be made");

    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let mut torch = Command::new(&python)
        .arg(&script)
        .arg(&folder)
        .args(["--workers", &workers.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut questions = torch.stdin.take().expect("stdin is piped");
    let mut answers = BufReader::new(torch.stdout.take().expect("stdout is piped")).lines();
    let mut epoch_of_torch = || {
        writeln!(questions).expect("Python reads");
        let answer = answers.next().expect("Python answers").expect("text");
        answer.parse::<f64>().expect("seconds")
    };
    let loader = loader(&folder, workers);
    // One epoch of each starts workers and fills the cache of files; then they take turns.
    epoch(&*loader);
    epoch_of_torch();
    let (mut ours, mut theirs): (Vec<_>, Vec<_>) =
        (0..ROUNDS).map(|_| (epoch(&*loader), epoch_of_torch())).unzip();
    drop(questions);
    torch.wait().expect("Python ends");
    std::fs::remove_dir_all(&folder).expect("the folder of images can be removed");

    let [ours, theirs] = [&mut ours, &mut theirs].map(|seconds| {
        seconds.sort_by(f64::total_cmp);
        seconds[ROUNDS / 2]
    });
    let (speed, ratio) = (IMAGES as f64 / ours, ours / theirs);
    println!(
        "{IMAGES} images, {workers} workers: {:.0} ms ({speed:.0} images/s), PyTorch {:.0} ms: {ratio:.2}",
        1e3 * ours,
        1e3 * theirs
    );
    assert!(ratio <= AT_MOST, "{ratio:.2} is above the target of {AT_MOST}");
}

type Batch = (Tensor<NdArray, 4>, Tensor<NdArray, 1, Int>);

fn loader(folder: &Path, workers: usize) -> Arc<dyn DataLoader<Batch>> {
    let augmentation = ImageAugmentation::new().crop([CROP; 2], 0).horizontal_flip(0.5);
    DataLoaderBuilder::new(batch)
        .batch_size(BATCH)
        .shuffle(1)
        .num_workers(workers)
        .augment(move |item, random| augmentation.apply(item, random))
        .build(ImageFolderDataset::new_classification(folder).expect("the folder was just made"))
}

/// `[batch, channels, height, width]`, in `0..=1`.
fn batch(items: Vec<ImageDatasetItem>) -> Batch {
    let device = Default::default();
    let (mut pixels, mut labels) = (Vec::new(), Vec::new());
    for item in &items {
        let Pixels::U8(values) = &item.image else { panic!("JPEG files have 8 bits") };
        pixels.extend_from_slice(values);
        let Annotation::Label(label) = item.annotation else { panic!("the folder has classes") };
        labels.push(label as i64);
    }
    let count = items.len();
    let pixels =
        Tensor::<NdArray, 4, Int>::from_data(TensorData::new(&pixels, [count, CROP, CROP, 3]), &device);
    let images = pixels.permute([0, 3, 1, 2]).float() / 255.0;
    (images, Tensor::from_data(TensorData::new(&labels, [count]), &device))
}

fn epoch(loader: &dyn DataLoader<Batch>) -> f64 {
    let start = Instant::now();
    let count: usize = loader.iter().map(|(_, labels)| labels.dims()[0]).sum();
    assert_eq!(count, IMAGES);
    start.elapsed().as_secs_f64()
}

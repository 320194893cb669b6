//! Data of one's own: a CSV file, a folder of images, an iterator.

// ANCHOR: row
use burn::data::dataset::{DatasetError, InMemDataset};
use burn::prelude::*;
use serde::Deserialize;
use std::path::Path;

/// A row of the file: the names of the fields are those of its first line.
#[derive(Deserialize, Clone, Debug, PartialEq)]
struct House {
    rooms: f32,
    area: f32,
    price: f32,
}

fn houses(path: &Path) -> Result<InMemDataset<House>, DatasetError> {
    InMemDataset::from_csv_file(path)
}
// ANCHOR_END: row

// ANCHOR: table
/// Features `[rows, 2]` and prices `[rows, 1]`.
fn tensors<B: Backend>(houses: &[House], device: &B::Device) -> (Tensor<B, 2>, Tensor<B, 2>) {
    let features: Vec<f32> = houses.iter().flat_map(|house| [house.rooms, house.area]).collect();
    let prices: Vec<f32> = houses.iter().map(|house| house.price).collect();
    (
        Tensor::from_data(TensorData::new(features, [houses.len(), 2]), device),
        Tensor::from_data(TensorData::new(prices, [houses.len(), 1]), device),
    )
}
// ANCHOR_END: table

// ANCHOR: batches
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use std::sync::Arc;

type Batch<B> = (Tensor<B, 2>, Tensor<B, 2>);

fn batches<B: Backend>(houses: InMemDataset<House>, device: B::Device) -> Arc<dyn DataLoader<Batch<B>>> {
    DataLoaderBuilder::new(move |houses: Vec<House>| tensors(&houses, &device))
        .batch_size(32)
        .shuffle(42)
        .build(houses)
}
// ANCHOR_END: batches

#[test]
fn a_csv_file_becomes_tensors_and_batches() {
    use burn::backend::NdArray;
    use burn::data::dataset::Dataset;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("houses.csv");
    std::fs::write(&path, "rooms,area,price\n3,80.5,120\n5,140,310\n2,45,75\n").unwrap();
    let houses = houses(&path).unwrap();
    let device = Default::default();
    // ANCHOR: whole
    let rows: Vec<House> = houses.iter().collect();
    let (features, prices) = tensors::<NdArray>(&rows, &device);
    assert_eq!(features.dims(), [3, 2]);
    assert_eq!(prices.into_data().to_vec::<f32>().unwrap(), [120.0, 310.0, 75.0]);
    // ANCHOR_END: whole
    assert_eq!(features.into_data().to_vec::<f32>().unwrap(), [3.0, 80.5, 5.0, 140.0, 2.0, 45.0]);
    let batch = batches::<NdArray>(houses, device).iter().next().unwrap();
    assert_eq!(batch.1.sum().into_scalar(), 505.0);
}

// ANCHOR: images
use burn::data::dataset::vision::{Annotation, ImageAugmentation, ImageDatasetItem, ImageFolderDataset};

/// `photos/cat/1.png` is a cat: each subfolder is a class.
fn photos(root: &Path) -> Result<ImageFolderDataset, DatasetError> {
    ImageFolderDataset::new_classification(root)
}

/// Images `[batch, channels, height, width]` from 0 to 1, and their classes `[batch]`.
fn image_batch<B: Backend>(
    items: Vec<ImageDatasetItem>,
    device: &B::Device,
) -> (Tensor<B, 4>, Tensor<B, 1, Int>) {
    let mut classes = Vec::new();
    let mut images = Vec::new();
    for item in items {
        if let Annotation::Label(class) = item.annotation {
            classes.push(class as i64);
            let pixels =
                TensorData::new(item.image.to_unit_range(), [item.height, item.width, item.channels]);
            images.push(Tensor::<B, 3>::from_data(pixels, device).permute([2, 0, 1]));
        }
    }
    let count = classes.len();
    (Tensor::stack(images, 0), Tensor::from_data(TensorData::new(classes, [count]), device))
}

fn image_batches<B: Backend>(
    photos: ImageFolderDataset,
    device: B::Device,
) -> Arc<dyn DataLoader<(Tensor<B, 4>, Tensor<B, 1, Int>)>> {
    // The images of a batch have one size, here `[height, width]` of 64 x 64; half of them are mirrored.
    let changes = ImageAugmentation::new().horizontal_flip(0.5).resize([64, 64]);
    DataLoaderBuilder::new(move |items: Vec<ImageDatasetItem>| image_batch(items, &device))
        .augment(move |item, random| changes.apply(item, random))
        .batch_size(32)
        .shuffle(42)
        .num_workers(2)
        .build(photos)
}
// ANCHOR_END: images

/// A picture of 2 x 2 red pixels.
const RED: [u8; 73] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0, 253,
    212, 154, 115, 0, 0, 0, 16, 73, 68, 65, 84, 120, 218, 99, 248, 207, 192, 0, 68, 12, 16, 10, 0, 31, 238,
    3, 253, 99, 94, 187, 91, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

#[test]
fn a_folder_of_images_becomes_batches() {
    let root = tempfile::tempdir().unwrap();
    for (class, count) in [("apple", 1), ("rose", 2)] {
        std::fs::create_dir(root.path().join(class)).unwrap();
        for number in 0..count {
            std::fs::write(root.path().join(class).join(format!("{number}.png")), RED).unwrap();
        }
    }
    let photos = photos(root.path()).unwrap();
    assert_eq!(photos.classes(), ["apple", "rose"]);
    let loader = image_batches::<burn::backend::NdArray>(photos, Default::default());
    let (images, classes) = loader.iter().next().unwrap();
    assert_eq!(images.dims(), [3, 3, 64, 64]);
    // Red, green and blue planes.
    let planes = images.mean_dims(&[0, 2, 3]).into_data().to_vec::<f32>().unwrap();
    assert_eq!(planes, [1.0, 0.0, 0.0]);
    assert_eq!(classes.sum().into_scalar(), 2);
}

#[test]
fn an_iterator_becomes_a_dataset() {
    // ANCHOR: collect
    let squares: InMemDataset<(f32, f32)> = (0..100).map(|x| x as f32).map(|x| (x, x * x)).collect();
    // ANCHOR_END: collect
    assert_eq!(squares.get(9), Some((9.0, 81.0)));
}

// ANCHOR: stream
use burn::data::dataloader::StreamDataLoader;
use burn::data::dataset::IterableDataset;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

/// The lines of a file that is too large to be in memory.
struct Lines {
    path: PathBuf,
    lines_per_epoch: usize,
}

impl IterableDataset<String> for Lines {
    fn stream(&self, _epoch: usize) -> Box<dyn Iterator<Item = String> + '_> {
        let file = File::open(&self.path).into_iter();
        Box::new(file.flat_map(|file| BufReader::new(file).lines()).map_while(Result::ok))
    }

    fn items_per_epoch(&self) -> usize {
        self.lines_per_epoch
    }
}

fn lengths<B: Backend>(lines: Lines, device: B::Device) -> impl DataLoader<Tensor<B, 1, Int>> {
    let batcher = move |lines: Vec<String>| {
        let lengths: Vec<i64> = lines.iter().map(|line| line.len() as i64).collect();
        let count = lengths.len();
        Tensor::<B, 1, Int>::from_data(TensorData::new(lengths, [count]), &device)
    };
    StreamDataLoader::new(batcher, lines, 2)
}
// ANCHOR_END: stream

#[test]
fn a_stream_becomes_batches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines.txt");
    std::fs::write(&path, "one\nthree\n\nfour\n").unwrap();
    let loader = lengths::<burn::backend::NdArray>(Lines { path, lines_per_epoch: 3 }, Default::default());
    let batches: Vec<Vec<i64>> = loader.iter().map(|batch| batch.into_data().iter().collect()).collect();
    assert_eq!(batches, [vec![3, 5], vec![0]]);
}

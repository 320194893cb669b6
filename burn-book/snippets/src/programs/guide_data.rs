// ANCHOR: program
use burn::backend::NdArray;
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::vision::DigitsDataset;
use burn::prelude::*;
use guide::data::MnistBatcher;

fn main() {
    let (train, test) = DigitsDataset::train_test_mnist(42);
    println!("{} images for training, {} for the test", train.len(), test.len());

    let batcher = MnistBatcher::<NdArray>::new(Default::default());
    let loader = DataLoaderBuilder::new(batcher).batch_size(64).shuffle(42).build(train);
    let batch = loader.iter().next().expect("there are images");
    println!("images {:?}, targets {:?}", batch.images.dims(), batch.targets.dims());
}
// ANCHOR_END: program

#[test]
fn x_701_the_data_of_the_guide() {
    crate::page_output::page_prints!("basic-workflow/data.md");
}

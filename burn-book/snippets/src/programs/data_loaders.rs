// ANCHOR: program
use burn::backend::NdArray;
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::InMemDataset;
use burn::prelude::*;

fn main() {
    let device = Default::default();
    let batcher = move |items: Vec<i64>| {
        let count = items.len();
        Tensor::<NdArray, 1, Int>::from_data(TensorData::new(items, [count]), &device)
    };
    let numbers: InMemDataset<i64> = (0..100).collect();
    let loader = DataLoaderBuilder::new(batcher).batch_size(32).shuffle(42).num_workers(2).build(numbers);

    for batch in loader.iter() {
        println!("{:?}", batch.dims());
    }
    // All items of an epoch, in another order than in the epoch before.
    let sum: i64 = loader.iter().map(|batch| batch.sum().into_scalar()).sum();
    println!("sum {sum}");
}
// ANCHOR_END: program

#[test]
fn x_701_data_loaders() {
    crate::page_output::page_prints!("building-blocks/data-loader.md");
}

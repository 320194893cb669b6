//! Data loaders.

use burn::data::dataset::InMemDataset;

// ANCHOR: builder
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use std::sync::Arc;

fn loader(numbers: InMemDataset<f32>) -> Arc<dyn DataLoader<Vec<f32>>> {
    DataLoaderBuilder::new(|items: Vec<f32>| items)
        .batch_size(32)
        // A new order in each epoch, fixed by the seed and the number of the epoch.
        .shuffle(42)
        // The same batches for any number of threads.
        .num_workers(4)
        // At most 4 * 2 batches are made and not yet taken.
        .prefetch(2)
        .build(numbers)
}
// ANCHOR_END: builder

#[test]
fn batches_do_not_depend_on_workers() {
    let loader = loader((0..100).map(|number| number as f32).collect());
    assert_eq!(loader.num_batches(), 4);
    let epoch: Vec<Vec<f32>> = loader.iter_epoch(3).collect();
    loader.set_next_epoch(3);
    assert_eq!(loader.iter().collect::<Vec<_>>(), epoch);
}

// ANCHOR: augment
fn noisy(numbers: InMemDataset<f32>) -> Arc<dyn DataLoader<Vec<f32>>> {
    DataLoaderBuilder::new(|items: Vec<f32>| items)
        .augment(|number, random| number + 0.1 * random.normal() as f32)
        .batch_size(32)
        .build(numbers)
}
// ANCHOR_END: augment

#[test]
fn items_change_in_every_epoch() {
    let loader = noisy(InMemDataset::new(vec![0.0; 32]));
    let (first, second): (Vec<_>, Vec<_>) = (loader.iter_epoch(1).collect(), loader.iter_epoch(2).collect());
    assert_ne!(first, second);
    assert_eq!(first, loader.iter_epoch(1).collect::<Vec<_>>());
}

// ANCHOR: errors
fn sum(loader: &dyn DataLoader<Vec<f32>>) -> Result<f32, Box<dyn std::error::Error>> {
    let mut batches = loader.iter();
    let mut sum = 0.0;
    while let Some(batch) = batches.try_next()? {
        sum += batch.iter().sum::<f32>();
        let progress = batches.progress();
        println!("{} of {}", progress.items_processed, progress.items_total);
    }
    Ok(sum)
}
// ANCHOR_END: errors

#[test]
fn errors_of_workers_are_values() {
    assert_eq!(sum(&*loader(InMemDataset::new(vec![1.0; 40]))).unwrap(), 40.0);
    let failing =
        DataLoaderBuilder::new(|_: Vec<f32>| panic!("no batch today")).build(InMemDataset::new(vec![1.0]));
    let error = sum(&*failing).unwrap_err().to_string();
    assert!(error.contains("no batch today") && error.contains("indices 0"), "{error}");
}

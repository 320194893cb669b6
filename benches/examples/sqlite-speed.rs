//! A SQLite dataset of a million rows: written as a stream, then read in random order, one by one and in
//! batches of 64.
//!
//! ```text
//! cargo run --release --package benches --example sqlite-speed
//! ```
//!
//! The target is 150,000 items a second for one thread. The file lies in the page cache.

use burn_dataset::Dataset;
use burn_dataset::dataloader::DataLoaderBuilder;
use burn_dataset::random::permutation;
use burn_dataset::source::{SqliteDataset, SqliteDatasetWriter};
use serde::{Deserialize, Serialize};
use std::time::Instant;

const ROWS: usize = 1_000_000;
const BATCH: usize = 64;
const ROUNDS: usize = 3;
const BAR: f64 = 150_000.0;

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Review {
    id: u64,
    text: String,
    stars: f32,
    label: u8,
}

fn review(id: u64) -> Review {
    let text = format!("Review {id}: it is as good as the one before it, and longer than the next.");
    Review { id, text, stars: id as f32 / 7.0, label: (id % 5) as u8 }
}

fn main() {
    let folder = std::env::temp_dir().join(format!("burn-sqlite-speed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    let path = folder.join("reviews.db");
    let start = Instant::now();
    let mut writer = SqliteDatasetWriter::new(&path).expect("the folder is there");
    for id in 0..ROWS as u64 {
        writer.write("train", &review(id)).expect("there is room on the disk");
    }
    writer.finish().expect("there is room on the disk");
    let size = std::fs::metadata(&path).expect("it was written").len() >> 20;
    println!("writing: {:.0} items a second, {size} MiB", ROWS as f64 / start.elapsed().as_secs_f64());

    let start = Instant::now();
    let dataset = SqliteDataset::<Review>::open(&path, "train").expect("it was written");
    println!("opening: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let order = permutation(ROWS, 42, 0);
    let one_by_one = measure("random order, one by one", || {
        for &index in &order {
            assert_eq!(dataset.get(index).map(|item| item.id), Some(index as u64));
        }
    });
    let batches = measure("random order, 64 at a time", || {
        for indices in order.chunks(BATCH) {
            let items = dataset.get_many(indices).expect("every row is there");
            assert_eq!(items[0].id, indices[0] as u64);
        }
    });
    for workers in [1, 2, 8] {
        measure(&format!("through a loader with {workers} workers"), || {
            let builder = DataLoaderBuilder::new(|items: Vec<Review>| items.len());
            let loader = builder.batch_size(BATCH).shuffle(1).num_workers(workers).build(dataset.clone());
            assert_eq!(loader.iter().sum::<usize>(), ROWS);
        });
    }
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    let slowest = one_by_one.min(batches);
    assert!(slowest >= BAR, "{slowest:.0} items a second are below the bar of {BAR}");
}

/// Prints and returns the items a second of the fastest round.
fn measure(name: &str, mut read: impl FnMut()) -> f64 {
    let seconds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        read();
        start.elapsed().as_secs_f64()
    });
    let fastest = ROWS as f64 / seconds.fold(f64::INFINITY, f64::min);
    println!("{name}: {fastest:.0} items a second");
    fastest
}

//! A data loader with eight workers over a map that takes a millisecond of a processor for each item, beside
//! the ideal: the same work, shared evenly between as many threads as there are processors.
//!
//! ```text
//! cargo run --release --package benches --example loader-speed
//! ```
//!
//! The target is 1.1 times the ideal.

use burn_dataset::InMemDataset;
use burn_dataset::dataloader::DataLoaderBuilder;
use burn_dataset::transform::MapperDataset;
use std::hint::black_box;
use std::time::{Duration, Instant};

const ITEMS: usize = 4_000;
const WORKERS: usize = 8;
const ROUNDS: usize = 5;
const BAR: f64 = 1.1;

/// Mixes bits until about a millisecond is over.
fn work(item: &u64, steps: u64) -> u64 {
    (0..steps).fold(*item, |state, step| {
        black_box((state ^ step).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7))
    })
}

fn main() {
    let steps = calibrate();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut ideal, mut loader) = (Duration::MAX, Duration::MAX);
    // In turns, so that both meet the same neighbours.
    for _ in 0..ROUNDS {
        ideal = ideal.min(time(|| share_evenly(processors, steps)));
        loader = loader.min(time(|| load(steps)));
    }
    let ratio = loader.as_secs_f64() / ideal.as_secs_f64();
    println!(
        "{ITEMS} items on {processors} processors: ideal {ideal:.0?}, {WORKERS} workers {loader:.0?}, {ratio:.3} times"
    );
    assert!(ratio <= BAR, "{ratio:.3} is above the bar of {BAR}");
}

fn calibrate() -> u64 {
    let steps = 1 << 20;
    let took = time(|| {
        black_box(work(&1, steps));
    });
    (steps as f64 * 1e-3 / took.as_secs_f64()) as u64
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn share_evenly(processors: usize, steps: u64) {
    std::thread::scope(|scope| {
        for thread in 0..processors {
            scope.spawn(move || {
                for item in (thread..ITEMS).step_by(processors) {
                    black_box(work(&(item as u64), steps));
                }
            });
        }
    });
}

fn load(steps: u64) {
    let dataset = MapperDataset::new((0..ITEMS as u64).collect::<InMemDataset<u64>>(), move |item: &u64| {
        work(item, steps)
    });
    let loader = DataLoaderBuilder::new(|items: Vec<u64>| items.len())
        .batch_size(16)
        .shuffle(1)
        .num_workers(WORKERS)
        .build(dataset);
    assert_eq!(loader.iter().sum::<usize>(), ITEMS);
}

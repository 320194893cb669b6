// ANCHOR: program
// cargo add --path ../burn/crates/burn --features fusion

use burn::backend::{Fusion, NdArray};
use burn::nn::{Gelu, Linear, LinearConfig};
use burn::prelude::*;
use std::time::Instant;

/// Prints the time of one item, in microseconds, at a batch size.
fn time<B: Backend>(backend: &str, batch: usize) {
    let device = Default::default();
    let (hidden, output): (Linear<B>, Linear<B>) =
        (LinearConfig::new(128, 512).init(&device), LinearConfig::new(512, 128).init(&device));
    let x = Tensor::<B, 2>::ones([batch, 128], &device);
    let mut times = Vec::new();
    for _ in 0..10 {
        let start = Instant::now();
        let y = output.forward(Gelu::new().forward(hidden.forward(x.clone())));
        y.into_data(); // waits until it is computed
        times.push(start.elapsed().as_secs_f64() * 1e6 / batch as f64);
    }
    times.sort_by(f64::total_cmp);
    println!("{backend}, batches of {batch}: {:.1} us for each item", times[5]);
}

fn main() {
    for batch in [1, 16, 128] {
        time::<NdArray>("NdArray", batch);
        time::<Fusion<NdArray>>("Fusion<NdArray>", batch);
    }
}
// ANCHOR_END: program

#[test]
fn x_701_performance() {
    crate::page_output::page_prints!("performance.md");
}

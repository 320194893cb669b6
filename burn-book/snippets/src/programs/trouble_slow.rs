// ANCHOR: program
// cargo add --path ../burn/crates/burn --features profile

use burn::backend::{NdArray, Profile};
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;

type B = Profile<NdArray>;

fn main() {
    let device = Default::default();
    let layers: Vec<Linear<B>> = (0..3).map(|_| LinearConfig::new(64, 64).init(&device)).collect();
    let x = Tensor::<B, 2>::ones([32, 64], &device);
    for _ in 0..10 {
        let y = layers.iter().fold(x.clone(), |x, layer| layer.forward(x).tanh());
        // Reading a number waits for the device: once at the end of an epoch is enough.
        let _mean: f32 = y.mean().into_scalar();
    }

    // A line for each operation, the longest total first. Here, how often each ran.
    let mut rows = B::report().by_name();
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    for row in rows.iter().filter(|row| ["matmul", "tanh", "mean"].contains(&row.name.as_str())) {
        println!("{}: {} calls", row.name, row.count);
    }
}
// ANCHOR_END: program

#[test]
fn x_701_it_is_slow() {
    crate::page_output::page_prints!("troubleshooting/slow.md");
}

// ANCHOR: program
// cargo add --path ../burn/crates/burn --features profile

use burn::backend::{NdArray, Profile};
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;

type B = Profile<NdArray>;

#[derive(Module, Debug)]
struct Network<B: Backend> {
    encoder: Linear<B>,
    head: Linear<B>,
}

fn main() {
    let device = Default::default();
    let network: Network<B> = Network {
        encoder: LinearConfig::new(32, 64).init(&device),
        head: LinearConfig::new(64, 2).init(&device),
    };
    network.profile_by_module();
    let x = Tensor::<B, 2>::ones([16, 32], &device);
    for _ in 0..5 {
        network.head.forward(network.encoder.forward(x.clone()).tanh()).into_data();
    }

    // `println!("{}", B::report().module_table())` prints a table with times and bytes, the longest first.
    let mut rows = B::report().by_module();
    rows.sort_by(|a, b| a.module.cmp(&b.module));
    for row in rows.iter().filter(|row| !row.module.is_empty()) {
        println!("{}: {} calls took time: {}", row.module, row.count, !row.total.is_zero());
    }
}
// ANCHOR_END: program

#[test]
fn x_701_watching() {
    crate::page_output::page_prints!("building-blocks/watching.md");
}

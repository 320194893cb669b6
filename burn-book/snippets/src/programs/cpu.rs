// ANCHOR: program
// cargo add --path ../burn/crates/burn --features fusion

use burn::backend::{Fusion, NdArray};
use burn::prelude::*;
use std::time::Instant;

/// Five calls alone, one pass over memory when they are fused.
fn gelu<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
    x.clone() * ((x / core::f64::consts::SQRT_2).erf() + 1.0) / 2.0
}

/// Prints the median time of a call, in microseconds.
fn measure<B: Backend>(name: &str) {
    let device = Default::default();
    let x = Tensor::<B, 2>::ones([256, 256], &device);
    let mut times = Vec::new();
    for _ in 0..20 {
        let start = Instant::now();
        let y = gelu(x.clone()); // held until the clock is read: results that are dropped are not computed
        B::sync(&device); // a backend may return before it has computed
        times.push(start.elapsed().as_micros());
        drop(y);
    }
    times.sort_unstable();
    println!("{name}: {} us", times[10]);
}

fn main() {
    measure::<NdArray>("NdArray");
    measure::<Fusion<NdArray>>("Fusion<NdArray>");
}
// ANCHOR_END: program

#[test]
fn x_701_measuring_time() {
    crate::page_output::page_prints!("cpu.md");
}

//! Microseconds of products by each kernel that can compute them.

#[path = "../tests/device/mod.rs"]
mod device;
#[path = "../tests/products/mod.rs"]
mod products;

use burn_backend::{Backend, DType};
use burn_cubecl::{Form, matmul_by};
use burn_wgpu::{Wgpu, WgpuDevice};
use products::{forms, random, turned};
use std::time::Instant;

type B = Wgpu<f32, i32>;

fn main() {
    device::require();
    let shapes: [[usize; 4]; 12] = [
        [1, 64, 64, 64],
        [1, 128, 128, 128],
        [1, 256, 256, 256],
        [1, 512, 512, 512],
        [1, 1024, 1024, 1024],
        [16, 128, 128, 64],
        [1, 32, 512, 512],
        [1, 8, 512, 512],
        [1, 512, 8, 512],
        [1, 2048, 1, 2048],
        [1, 1, 2048, 2048],
        [1, 2048, 16, 64],
    ];
    for [batch, rows, cols, depth] in shapes {
        let (lhs, rhs) = (random([batch, rows, depth], DType::F32), random([batch, depth, cols], DType::F32));
        for (layout, rhs) in [("rows", rhs.clone()), ("columns", turned(rhs))] {
            let mut line = format!("{batch} x {rows} x {cols} x {depth}, {layout}:");
            for form in forms(&matmul_by(Form::all()[0], &lhs, &rhs)) {
                let call = || {
                    let begin = Instant::now();
                    matmul_by(form, &lhs, &rhs);
                    B::sync(&WgpuDevice::default());
                    begin.elapsed()
                };
                call();
                let mut times: Vec<_> = (0..7).map(|_| call().as_micros()).collect();
                times.sort();
                line.push_str(&format!("  {form} {}", times[3]));
            }
            println!("{line}");
        }
    }
}

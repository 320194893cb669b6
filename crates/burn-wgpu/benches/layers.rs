//! Milliseconds of a layer as one kernel and as a product with a block after it, in turns.

#[path = "../tests/device/mod.rs"]
mod device;
#[path = "../tests/product_block/mod.rs"]
mod product_block;

use burn_backend::{Backend, BinaryOp, Block, BlockStep, DType, Elementwise, TypedCalls, UnaryOp};
use burn_wgpu::{CubeTensor, Wgpu, WgpuDevice};
use product_block::{Writing, random};
use std::time::Instant;

type Leaf = Wgpu<f32, i32>;

fn main() {
    device::require();
    for [rows, depth, cols] in [[512, 512, 512], [512, 64, 512], [2048, 16, 512], [64, 512, 64]] {
        let (lhs, rhs) = (random([rows, depth], DType::F32), random([depth, cols], DType::F32));
        let mut layer = Writing::new(lhs.clone(), rhs.clone(), vec![random([1, cols], DType::F32)]);
        let sum = layer.binary(BinaryOp::Add, layer.product(), 0, DType::F32);
        let gelu =
            layer.step(BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Gelu, x: sum }), DType::F32);
        layer.0.outputs = vec![gelu];
        let time = |call: &dyn Fn() -> Vec<CubeTensor>| {
            let begin = Instant::now();
            let results = call();
            Leaf::sync(&WgpuDevice::default());
            drop(results);
            begin.elapsed().as_secs_f64() * 1e3
        };
        let one = || Leaf::run_block(layer.0.clone());
        let two = || {
            let product = Leaf::matmul(lhs.clone(), rhs.clone());
            let Block { shape, mut inputs, steps, specs, outputs, .. } = layer.0.clone();
            inputs.push(product);
            Leaf::run_block(Block { shape, folded: 0, head: None, inputs, steps, specs, outputs })
        };
        let begin = Instant::now();
        time(&one);
        println!("first call, with its compilation: {:.0} ms", begin.elapsed().as_secs_f64() * 1e3);
        let begin = Instant::now();
        time(&two);
        println!("first call as two kernels: {:.0} ms", begin.elapsed().as_secs_f64() * 1e3);
        let (mut ones, mut twos): (Vec<_>, Vec<_>) = (0..31).map(|_| (time(&one), time(&two))).unzip();
        ones.sort_by(f64::total_cmp);
        twos.sort_by(f64::total_cmp);
        let (one, two) = (ones[15], twos[15]);
        println!("{rows} x {depth} x {cols}: {one:.2} as one, {two:.2} as two, ratio {:.3}", one / two);
    }
}

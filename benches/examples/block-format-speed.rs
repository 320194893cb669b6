//! Products of one row with weights in block formats, beside `f32`, half precision and plain reading of
//! memory.
//!
//! ```text
//! RAYON_NUM_THREADS=2 cargo run --release -p benches --example block-format-speed
//! ```

use burn_ndarray::{NdArray, NdArrayDevice};
use burn_tensor::quantization::{BlockFormat, PackedBlocks};
use burn_tensor::{DType, Distribution, Tensor, TensorData};
use std::hint::black_box;
use std::time::Instant;

type B = NdArray;

/// Calls whose median is taken.
const CALLS: usize = 25;

fn main() {
    let device = NdArrayDevice::default();
    let threads = std::env::var("RAYON_NUM_THREADS").unwrap_or_else(|_| "all".into());
    println!("threads: {threads}\n");
    println!("| product | weights | median, ms | least, ms | GB/s of the least |\n|---|---|---|---|---|");
    for [depth, columns] in [[640, 262_144], [2048, 8192]] {
        for rows in [1, 4, 8] {
            let name = format!("[{rows}, {depth}] x [{depth}, {columns}]");
            let x = Tensor::<B, 2>::random([rows, depth], Distribution::Default, &device);
            for format in BlockFormat::ALL {
                let Some(row) = format.row_bytes(depth) else { continue };
                let weight = Tensor::<B, 2>::from_blocks(blocks(format, columns, row), &device).transpose();
                report(&name, format.name(), columns * row, || {
                    drop(black_box(x.clone().matmul(weight.clone())))
                });
            }
            for dtype in [DType::BF16, DType::F16, DType::F32] {
                let weight = Tensor::<B, 2>::ones([columns, depth], &device).cast(dtype).transpose();
                let x = x.clone().cast(dtype);
                let bytes = columns * depth * dtype.size();
                report(&name, dtype.name(), bytes, || drop(black_box(x.clone().matmul(weight.clone()))));
            }
        }
    }
    let list = Tensor::<B, 1>::ones([256 << 20 >> 2], &device);
    report("sum of a list", "f32", 256 << 20, || drop(black_box(list.clone().sum())));
}

/// Blocks of every pattern of bits; their scales are small numbers.
fn blocks(format: BlockFormat, rows: usize, row: usize) -> PackedBlocks<TensorData> {
    let mut bytes: Vec<u8> =
        (0..rows * row).map(|i| (i as u32).wrapping_mul(0x9E37_79B9).to_le_bytes()[2]).collect();
    for block in bytes.chunks_mut(format.bytes()) {
        // 2^-10 in half precision.
        format
            .half_offsets()
            .iter()
            .for_each(|&at| block[at..at + 2].copy_from_slice(&0x1400_u16.to_le_bytes()));
    }
    let blocks = TensorData::new(bytes, [rows, row]);
    PackedBlocks { blocks, format, transposed: false, dtype: DType::F32 }
}

/// Prints the median of some calls, and the bytes of weights that they read in a second.
fn report(product: &str, weights: &str, bytes: usize, mut call: impl FnMut()) {
    call();
    let mut times: Vec<f64> = (0..CALLS)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let median = times[CALLS / 2];
    let speed = bytes as f64 / times[0] / 1e9;
    println!("| {product} | {weights} | {:.3} | {:.3} | {speed:.1} |", median * 1e3, times[0] * 1e3);
}

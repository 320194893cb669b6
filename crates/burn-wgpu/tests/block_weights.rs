//! Products of few rows with weights in blocks, and their dequantization.

mod device;

use burn_backend::{
    Backend, BlockFormat, BlockMatmulArgs, DType, HasSpec, PackedBlocks, TensorData, TypedCalls, block_on,
};
use burn_wgpu::{Wgpu, WgpuDevice};

type B = Wgpu<f32, i32>;

/// Numbers without a pattern.
fn noise(seed: u32, count: usize) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    (0..count).map(|_| next()).collect()
}

/// Rows of blocks of any bits; their scales are from 0 to 2^-8, of both signs, denormal ones among them.
fn blocks(format: BlockFormat, rows: usize, columns: usize) -> Vec<u8> {
    let halves: &[usize] = match format {
        BlockFormat::Q4_1 | BlockFormat::Q5_1 | BlockFormat::Q4K | BlockFormat::Q5K => &[0, 2],
        BlockFormat::Q2K => &[80, 82],
        BlockFormat::Q3K => &[108],
        BlockFormat::Q6K => &[208],
        BlockFormat::Q4_0 | BlockFormat::Q5_0 | BlockFormat::Q8_0 => &[0],
    };
    let count = rows * format.row_bytes(columns).unwrap();
    let mut bytes: Vec<u8> = noise(5, count).into_iter().map(|x| x as u8).collect();
    let scales = noise(6, 2 * bytes.len() / format.bytes());
    let mut scales = scales.into_iter().map(|x| (x % 0x1c00) as u16 | ((x >> 8) & 0x8000) as u16);
    for block in bytes.chunks_mut(format.bytes()) {
        for &at in halves {
            block[at..at + 2].copy_from_slice(&scales.next().unwrap().to_le_bytes());
        }
    }
    bytes
}

fn read(x: <B as Backend>::Tensor) -> Vec<f64> {
    block_on(B::into_data(x)).unwrap().unwrap().to_f64()
}

#[test]
fn x_605_few_rows_times_blocks_on_a_gpu_equal_the_f64_product_of_dequantized_weights() {
    device::require();
    let device = WgpuDevice::default();
    if !B::has_dtype(&device, DType::U8) {
        panic!("this test needs a device that stores bytes");
    }
    // An odd number of blocks of some formats ends within a word, and is composed.
    for (depth, columns) in [(256, 3), (1024, 37)] {
        for format in BlockFormat::ALL {
            let bytes = blocks(format, columns, depth);
            let mut weight = vec![0.0_f32; columns * depth];
            format.decode(&bytes, &mut weight);
            let stored = TensorData::new(bytes, [columns, format.row_bytes(depth).unwrap()]);
            let stored = B::from_data(stored, &device);
            let rhs = PackedBlocks { blocks: stored, format, transposed: true, dtype: DType::F32 };
            let dequantized = read(B::dequantize_blocks(rhs.clone().transpose()));
            for (found, expected) in dequantized.into_iter().zip(&weight) {
                let expected = f64::from(*expected);
                assert!(
                    (found - expected).abs() <= 1e-6 * expected.abs() + 1e-9,
                    "{format:?}: {found}, {expected}"
                );
            }
            for rows in [1, 2, 3, 8, 11] {
                let x: Vec<f32> = noise(9, rows * depth).into_iter().map(|x| x as f32 / 8e6 - 1.0).collect();
                let lhs = B::from_data(TensorData::new(x.clone(), [rows, depth]), &device);
                let product = B::block_matmul(BlockMatmulArgs { lhs, rhs: rhs.clone() });
                assert_eq!(product.spec().shape[..], [rows, columns]);
                for (at, found) in read(product).into_iter().enumerate() {
                    let (row, column) = (at / columns, at % columns);
                    let (x, w) = (&x[row * depth..][..depth], &weight[column * depth..][..depth]);
                    let terms = || x.iter().zip(w).map(|(x, w)| f64::from(*x) * f64::from(*w));
                    let (expected, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
                    let error = (found - expected).abs();
                    assert!(
                        error <= 2e-6 * size + 1e-9,
                        "{format:?}, {rows} rows: {found}, expected {expected}"
                    );
                }
            }
        }
    }
}

//! products of few rows with quantized weights. Attention over a paged cache is tested in `burn-lm`.

use crate::given::{B, CPU};
use burn::tensor::quantization::{BlockFormat, PackedBlocks};
use burn::tensor::{DType, Tensor, TensorData};

/// Numbers without a pattern, from -1 to 1.
fn noise(seed: u32, count: usize) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / f32::from(1_u16 << 12) / 2048.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn noise_tensor<const D: usize>(seed: u32, shape: [usize; D]) -> Tensor<B, D> {
    Tensor::from_data(TensorData::new(noise(seed, shape.iter().product()), shape), CPU)
}

/// Rows of blocks of any bits, whose scales and minima are small numbers.
fn blocks(format: BlockFormat, rows: usize, columns: usize) -> Vec<u8> {
    let count = rows * format.row_bytes(columns).unwrap();
    let mut bytes: Vec<u8> = noise(5, count).into_iter().map(|x| (x * 127.0) as i8 as u8).collect();
    for (index, block) in bytes.chunks_mut(format.bytes()).enumerate() {
        // 2^-10 and more, in half precision.
        let scale = 0x1400 + 64 * (index % 8) as u16;
        format.half_offsets().iter().for_each(|&at| block[at..at + 2].copy_from_slice(&scale.to_le_bytes()));
    }
    bytes
}

#[test]
fn x_605_few_rows_times_blocks_equal_the_f64_product_of_dequantized_weights() {
    let (depth, columns) = (768, 21);
    for format in BlockFormat::ALL {
        let bytes = blocks(format, columns, depth);
        let mut weight = vec![0.0; columns * depth];
        format.decode(&bytes, &mut weight);
        let stored = TensorData::new(bytes, [columns, format.row_bytes(depth).unwrap()]);
        let packed = PackedBlocks { blocks: stored, format, transposed: false, dtype: DType::F32 };
        let matrix = Tensor::<B, 2>::from_blocks(packed, CPU).transpose();
        for rows in 1..=8 {
            let x = noise_tensor::<2>(9, [rows, depth]);
            let found = x.clone().matmul(matrix.clone()).into_data().to_f64();
            let x = x.into_data().to_f64();
            for (at, found) in found.into_iter().enumerate() {
                let (row, column) = (at / columns, at % columns);
                let (x, w) = (&x[row * depth..][..depth], &weight[column * depth..][..depth]);
                let terms = || x.iter().zip(w).map(|(x, w)| x * f64::from(*w));
                let expected: f64 = terms().sum();
                // Activations below 1 are rounded to 8 bits: each is wrong by at most 1 / 254. Most errors of
                // a sum cancel each other.
                let bound: f64 = w.iter().map(|w| f64::from(w.abs()) / 254.0).sum();
                let error = (found - expected).abs();
                assert!(error <= bound, "{format:?}, {rows} rows: {found}, expected {expected}");
                assert!(error <= 0.2 * bound + 1e-6, "{format:?}, {rows} rows: {error} of {bound}");
            }
        }
    }
}

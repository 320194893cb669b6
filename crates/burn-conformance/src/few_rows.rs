//! Checks of what language models do when they decode: products and attention of few rows, beside `f64`.

use burn_backend::{
    AttentionArgs, Backend, BlockFormat, BlockMatmulArgs, DType, HasSpec, PackedBlocks,
    QuantizedAttentionArgs, QuantizedRows, TensorData, block_on, f16,
};
use burn_tensor::{Bool, Tensor};

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
    let count = rows * format.row_bytes(columns).unwrap();
    let mut bytes: Vec<u8> = noise(5, count).into_iter().map(|x| x as u8).collect();
    let scales = noise(6, 2 * bytes.len() / format.bytes());
    let mut scales = scales.into_iter().map(|x| (x % 0x1c00) as u16 | ((x >> 8) & 0x8000) as u16);
    for block in bytes.chunks_mut(format.bytes()) {
        for &at in format.half_offsets() {
            block[at..at + 2].copy_from_slice(&scales.next().unwrap().to_le_bytes());
        }
    }
    bytes
}

fn read<B: Backend>(x: B::Tensor) -> Vec<f64> {
    block_on(B::into_data(x)).unwrap().unwrap().to_f64()
}

/// # Panics
/// When a product of few rows and blocks is not the `f64` product of dequantized weights.
#[track_caller]
pub fn check_blocks<B: Backend>(device: &B::Device) {
    assert!(B::has_dtype(device, DType::U8), "this test needs a device that stores bytes");
    // An odd number of blocks of some formats ends within a word, and is composed.
    for (depth, columns) in [(256, 3), (1024, 37), (4096, 9)] {
        for format in BlockFormat::ALL {
            let bytes = blocks(format, columns, depth);
            let mut weight = vec![0.0_f32; columns * depth];
            format.decode(&bytes, &mut weight);
            let stored = TensorData::new(bytes, [columns, format.row_bytes(depth).unwrap()]);
            let stored = B::from_data(stored, device);
            let rhs = PackedBlocks { blocks: stored, format, transposed: true, dtype: DType::F32 };
            let dequantized = read::<B>(B::dequantize_blocks(rhs.clone().transpose()));
            for (found, expected) in dequantized.into_iter().zip(&weight) {
                let expected = f64::from(*expected);
                assert!(
                    (found - expected).abs() <= 1e-6 * expected.abs() + 1e-9,
                    "{format:?}: {found}, {expected}"
                );
            }
            for rows in [1, 2, 3, 8, 11] {
                let x: Vec<f32> = noise(9, rows * depth).into_iter().map(|x| x as f32 / 8e6 - 1.0).collect();
                let lhs = B::from_data(TensorData::new(x.clone(), [rows, depth]), device);
                let product = B::block_matmul(BlockMatmulArgs { lhs, rhs: rhs.clone() });
                assert_eq!(product.spec().shape[..], [rows, columns]);
                for (at, found) in read::<B>(product).into_iter().enumerate() {
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

/// Numbers from -1 to 1.
fn numbers(seed: u32, count: usize) -> Vec<f32> {
    noise(seed, count).into_iter().map(|x| x as f32 / (1 << 23) as f32 - 1.0).collect()
}

fn tensor<B: Backend, const D: usize>(values: &[f32], shape: [usize; D], device: &B::Device) -> Tensor<B, D> {
    Tensor::from_data(TensorData::new(values, shape), device)
}

/// The product of rows and a matrix that is given by its columns, and the sums of the sizes of its terms.
fn product(x: &[f32], weight: &[f32], depth: usize) -> Vec<(f64, f64)> {
    let of = |x: &[f32], column: &[f32]| {
        let terms = || x.iter().zip(column).map(|(x, w)| f64::from(*x) * f64::from(*w));
        (terms().sum(), terms().map(f64::abs).sum())
    };
    x.chunks(depth).flat_map(|x| weight.chunks(depth).map(move |column| of(x, column))).collect()
}

#[track_caller]
fn assert_near(found: &[f64], expected: impl Iterator<Item = (f64, f64)>, title: &str) {
    for (at, (found, (expected, allowed))) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(error <= allowed, "{title}: element {at} is {found}, expected {expected}");
    }
}

/// # Panics
/// When products of few rows with matrices of contiguous columns, and what a program does with them, are not
/// those of `f64`.
#[track_caller]
pub fn check_products<B: Backend>(device: &B::Device) {
    for (rows, depth, columns) in [(1, 256, 37), (1, 1000, 512), (3, 2048, 130), (4, 96, 8)] {
        let title = format!("[{rows}, {depth}] x [{depth}, {columns}]");
        let x = numbers(1, rows * depth);
        let [gate, up] = [2, 3].map(|seed| numbers(seed, columns * depth));
        let rest = numbers(4, rows * columns);
        let weight = |values: &[f32]| tensor::<B, 2>(values, [columns, depth], device).transpose();
        let input = tensor::<B, 2>(&x, [rows, depth], device);
        let sum = input.clone().matmul(weight(&up)) + tensor::<B, 2>(&rest, [rows, columns], device);
        // Read here, so that no product below is in its block.
        let sum = sum.into_data();
        let gated = input.clone().matmul(weight(&gate));
        let gated = gated.clone() / ((-gated).exp() + 1.0) * input.matmul(weight(&up));
        let (gates, ups) = (product(&x, &gate, depth), product(&x, &up, depth));
        let expected =
            ups.iter().zip(&rest).map(|((y, size), rest)| (y + f64::from(*rest), 1e-6 * size + 1e-6));
        assert_near(&sum.to_f64(), expected, &title);
        let expected = gates.iter().zip(&ups).map(|((gate, size), (up, up_size))| {
            let error = 3e-6 * (size + 1.0) * (up_size + 1.0);
            (gate / (1.0 + (-gate).exp()) * up, error)
        });
        assert_near(&gated.into_data().to_f64(), expected, &title);
    }
}

/// # Panics
/// When products of one row that is normalized before, alone, several at a time and with what follows them,
/// are not those of `f64`.
#[track_caller]
pub fn check_products_of_norms<B: Backend>(device: &B::Device) {
    // Rows of one, two and four vectors a unit, of fewer vectors than units, and of no whole vectors.
    for (depth, columns) in [(1024, 37), (2048, 8), (4096, 24), (96, 40), (50, 8)] {
        let title = format!("a norm of {depth} elements and {columns} columns");
        let [x, gain] = [1, 2].map(|seed| numbers(seed, depth));
        let weights = [3, 4, 5].map(|seed| numbers(seed, columns * depth));
        let rest = numbers(6, columns);
        let mean = x.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / depth as f64 + 1e-5;
        let normed =
            x.iter().zip(&gain).map(|(x, gain)| (f64::from(*x) * f64::from(*gain) / mean.sqrt()) as f32);
        let normed: Vec<f32> = normed.collect();
        let [first, second, third] = weights.each_ref().map(|weight| product(&normed, weight, depth));

        let row = |values: &[f32]| tensor::<B, 2>(values, [1, values.len()], device);
        let (x, gain, rest_row) = (row(&x), row(&gain), row(&rest));
        let norm = || x.clone() * (x.clone().square().mean_dim(1) + 1e-5).sqrt().recip() * gain.clone();
        let [a, b, c] =
            weights.each_ref().map(|weight| tensor::<B, 2>(weight, [columns, depth], device).transpose());
        // Read here, so that the products are asked for where all they read is there.
        drop([&a, &b, &c, &x, &gain, &rest_row].map(Tensor::to_data));

        let alone = norm().matmul(a.clone()).into_data();
        let exact = |product: &[(f64, f64)]| -> Vec<(f64, f64)> {
            product.iter().map(|(y, size)| (*y, 3e-6 * size + 1e-6)).collect()
        };
        assert_near(&alone.to_f64(), exact(&first).into_iter(), &title);
        let several = {
            let rows = norm();
            [&a, &b, &c].map(|weight| rows.clone().matmul(weight.clone()))
        };
        for (found, expected) in several.into_iter().zip([&first, &second, &third]) {
            assert_near(&found.into_data().to_f64(), exact(expected).into_iter(), &title);
        }
        let gated = {
            let rows = norm();
            rows.clone().matmul(a).tanh() * rows.matmul(b)
        };
        let gated = gated.into_data().to_f64();
        let expected = first
            .iter()
            .zip(&second)
            .map(|((gate, size), (up, up_size))| (gate.tanh() * up, 3e-6 * (size + 1.0) * (up_size + 1.0)));
        assert_near(&gated, expected, &title);
        let sum = (norm().matmul(c) + rest_row).into_data().to_f64();
        let expected = exact(&third).into_iter().zip(&rest);
        assert_near(&sum, expected.map(|((y, error), rest)| (y + f64::from(*rest), error)), &title);
    }
}

/// Sizes of an attention of one query.
#[derive(Clone, Copy)]
struct Sizes {
    heads: usize,
    key_heads: usize,
    size: usize,
    keys: usize,
}

impl Sizes {
    const ALL: [Sizes; 3] = [
        Sizes { heads: 8, key_heads: 2, size: 64, keys: 700 },
        Sizes { heads: 4, key_heads: 4, size: 32, keys: 65 },
        Sizes { heads: 2, key_heads: 1, size: 128, keys: 1500 },
    ];

    fn is_hidden(self, key: usize) -> bool {
        key % 7 == 3 || key + 9 > self.keys
    }

    fn mask<B: Backend>(self, device: &B::Device) -> B::Tensor {
        let hidden: Vec<bool> = (0..self.keys).map(|key| self.is_hidden(key)).collect();
        Tensor::<B, 4, Bool>::from_data(TensorData::new(hidden, [1, 1, 1, self.keys]), device).into_handle()
    }

    /// Compares results of scale 0.5 with those of `f64`.
    #[track_caller]
    fn assert_attention(self, found: &[f64], query: &[f32], [key, value]: [&[f64]; 2]) {
        let Sizes { heads, key_heads, size, keys } = self;
        let mut expected = Vec::new();
        for (head, query) in query.chunks(size).enumerate() {
            let first = head / (heads / key_heads) * keys * size;
            let [key, value] = [key, value].map(|rows| rows[first..][..keys * size].chunks(size));
            let score = |key: &[f64]| -> f64 { key.iter().zip(query).map(|(k, q)| k * f64::from(*q)).sum() };
            let weight = |(at, key)| if self.is_hidden(at) { 0.0 } else { (0.5 * score(key)).exp() };
            let weights: Vec<f64> = key.enumerate().map(weight).collect();
            let total: f64 = weights.iter().sum();
            expected.extend((0..size).map(|column| {
                let terms = weights.iter().zip(value.clone()).map(|(weight, value)| weight * value[column]);
                (terms.sum::<f64>() / total, 1e-5)
            }));
        }
        assert_eq!(found.len(), expected.len());
        let title = format!("{heads} heads of {size}, {keys} keys");
        assert_near(found, expected.into_iter(), &title);
    }
}

/// # Panics
/// When attention of one query with hidden keys is not that of `f64`.
#[track_caller]
pub fn check_attention<B: Backend>(device: &B::Device) {
    for sizes in Sizes::ALL {
        let Sizes { heads, key_heads, size, keys } = sizes;
        let query = numbers(1, heads * size);
        let [key, value] = [2, 3].map(|seed| numbers(seed, key_heads * keys * size));
        let memory =
            |values: &[f32]| tensor::<B, 4>(values, [1, key_heads, keys, size], device).into_handle();
        let (found, _log_sums) = B::attention(AttentionArgs {
            query: tensor::<B, 4>(&query, [1, heads, 1, size], device).into_handle(),
            key: memory(&key),
            value: memory(&value),
            mask: Some(sizes.mask::<B>(device)),
            causal: false,
            scale: 0.5,
        });
        let [key, value] = [key, value].map(|rows| rows.into_iter().map(f64::from).collect::<Vec<_>>());
        sizes.assert_attention(&read::<B>(found), &query, [&key, &value]);
    }
}

/// # Panics
/// When attention of one query to quantized keys and values is not that of `f64` to the dequantized ones.
#[track_caller]
pub fn check_quantized_attention<B: Backend>(device: &B::Device) {
    for sizes in Sizes::ALL {
        let Sizes { heads, key_heads, size, keys } = sizes;
        let query = numbers(1, heads * size);
        let shape = |last: usize| [1, key_heads, keys, last];
        let rows = [2, 3].map(|seed| {
            let bytes: Vec<i8> = noise(seed, key_heads * keys * size).into_iter().map(|x| x as i8).collect();
            let scales = numbers(seed + 10, bytes.len() / 32).into_iter().map(|x| f16::from_f32(x / 127.0));
            let scales: Vec<f16> = scales.collect();
            let floats = bytes
                .chunks(32)
                .zip(&scales)
                .flat_map(|(block, scale)| block.iter().map(|byte| f64::from(*byte) * scale.to_f64()));
            let floats: Vec<f64> = floats.collect();
            let words: Vec<i32> = bytes
                .as_chunks::<4>()
                .0
                .iter()
                .map(|word| i32::from_le_bytes(word.map(|x| x as u8)))
                .collect();
            let words = B::from_data(TensorData::new(words, shape(size / 4)), device);
            let scale = B::from_data(TensorData::new(scales, shape(size / 32)), device);
            (QuantizedRows { words, scale }, floats)
        });
        let [(key, keys_of), (value, values_of)] = rows;
        let query_of = tensor::<B, 4>(&query, [1, heads, 1, size], device).into_handle();
        let mask = Some(sizes.mask::<B>(device));
        let args = QuantizedAttentionArgs { query: query_of, key, value, mask, causal: false, scale: 0.5 };
        let (found, _log_sums) = B::quantized_attention(args);
        sizes.assert_attention(&read::<B>(found), &query, [&keys_of, &values_of]);
    }
}

//! Matrices, and what is known of products of them.

use burn_backend::*;

/// Numbers between -1 and 1 that look random, with `along` more on the diagonal.
pub fn matrices(shape: &[usize], along: f64) -> TensorData {
    let shape = Shape::from(shape);
    let [rows, cols] = [shape[shape.rank() - 2], shape[shape.rank() - 1]];
    let element = |at: usize| {
        let value = (at as f64 * 0.618_033_988_749_895 + 0.137).fract() * (at as f64 * 0.414_213_562).fract();
        let (row, col) = (at / cols % rows, at % cols);
        (2.0 * value - 1.0 + if row == col { along } else { 0.0 }) as f32
    };
    let values: Vec<f32> = (0..shape.num_elements()).map(element).collect();
    TensorData::new(values, shape)
}

pub fn on<B: Backend>(data: &TensorData) -> B::Tensor {
    B::from_data(data.clone(), &B::Device::default())
}

/// On the backend that the results are known from.
pub fn in_doubles<C: Backend>(data: &TensorData) -> C::Tensor {
    C::from_data(data.clone().convert_dtype(DType::F64), &C::Device::default())
}

pub fn has_doubles<B: Backend>() -> bool {
    B::has_dtype(&B::Device::default(), DType::F64)
}

pub fn read<B: Backend>(x: B::Tensor) -> Vec<f64> {
    block_on(B::into_data(x)).expect("it was computed").expect("the device answers").to_f64()
}

pub fn assert_near<B: Backend, C: Backend>(name: &str, found: B::Tensor, expected: C::Tensor) {
    let (found, expected) = (read::<B>(found), read::<C>(expected));
    assert_eq!(found.len(), expected.len(), "{name}");
    let size = expected.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    let off = found.iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(off <= 1e-4 * size, "{name}: off by {off:e} of {size:e}");
    assert!(found.iter().all(|x| x.is_finite()), "{name}");
}

/// `[rows, inner]` by `[inner, cols]`.
pub fn product(x: &[f64], y: &[f64], inner: usize) -> Vec<f64> {
    let (rows, cols) = (x.len() / inner, y.len() / inner);
    let at = |k: usize| (0..inner).map(|l| x[k / cols * inner + l] * y[l * cols + k % cols]).sum();
    (0..rows * cols).map(at).collect()
}

pub fn turned(x: &[f64], cols: usize) -> Vec<f64> {
    let rows = x.len() / cols;
    (0..x.len()).map(|k| x[k % rows * cols + k / rows]).collect()
}

pub fn assert_close(name: &str, found: &[f64], expected: &[f64], allowed: f64) {
    let off = found.iter().zip(expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(found.len() == expected.len() && off <= allowed, "{name}: off by {off:e}");
}

/// Columns at right angles of length 1.
pub fn assert_orthonormal(name: &str, x: &[f64], cols: usize, allowed: f64) {
    let identity: Vec<f64> = (0..cols * cols).map(|k| f64::from(u8::from(k / cols == k % cols))).collect();
    assert_close(name, &product(&turned(x, cols), x, x.len() / cols), &identity, allowed);
}

/// `x = U diag(s) V^T`, where `s` are these.
pub fn assert_is_product(name: &str, x: &[f64], [u, s, v]: [&[f64]; 3], expected: &[f64], allowed: f64) {
    let k = s.len();
    let size = expected.iter().fold(0.0, |size: f64, s| size.max(s.abs()));
    assert_close(name, s, expected, allowed * size);
    assert_orthonormal(name, u, k, 3.0 * allowed);
    assert_orthonormal(name, v, k, 3.0 * allowed);
    let scaled: Vec<f64> = u.iter().enumerate().map(|(at, u)| u * s[at % k]).collect();
    assert_close(name, &product(&scaled, &turned(v, k), k), x, 3.0 * allowed * size);
}

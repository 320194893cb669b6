//! Products of halves are added up in `f32`, also those of a single row or column.

use burn_backend::*;
use burn_ndarray::NdArray;

type B = NdArray<f32>;

fn read(x: <B as Backend>::Tensor) -> Vec<f64> {
    block_on(B::into_data(x)).unwrap().unwrap().to_f64()
}

#[test]
fn sums_of_halves_are_rounded_once() {
    let mut state = 12_345_u32;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        f64::from(state >> 8) / f64::from(1 << 23) - 1.0
    };
    for dtype in [DType::F16, DType::BF16] {
        for [rows, cols] in [[1, 48], [48, 1], [1, 1], [2, 48], [3, 5], [70, 2], [40, 48]] {
            let depth = 500;
            let mut numbers = |shape: [usize; 2]| {
                let values: Vec<f64> = (0..shape[0] * shape[1]).map(|_| 3.0 * next()).collect();
                B::cast(B::from_data(TensorData::new(values, shape), &Default::default()), dtype)
            };
            let (lhs, rhs) = (numbers([rows, depth]), numbers([depth, cols]));
            let (x, y) = (read(lhs.clone()), read(rhs.clone()));
            let found = read(B::matmul(lhs, rhs));
            let unit = if dtype == DType::F16 { 2_f64.powi(-11) } else { 2_f64.powi(-8) };
            for (at, found) in found.into_iter().enumerate() {
                let terms = (0..depth).map(|k| x[at / cols * depth + k] * y[k * cols + at % cols]);
                let exact: f64 = terms.clone().sum();
                // Half a unit of the result, and what sums of `f32` lose.
                let allowed = unit * exact.abs() + 2_f64.powi(-20) * terms.map(f64::abs).sum::<f64>();
                assert!(
                    (found - exact).abs() <= allowed,
                    "{dtype} {rows} x {cols}: {found}, expected {exact}"
                );
            }
        }
    }
}

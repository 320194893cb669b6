//! Factors by reflections: their product, and what is known of each.

use super::matrices::{assert_close, has_doubles, matrices, on, product, read, turned};
use burn_backend::*;

/// `Q` and the transpose of `R`, of each matrix.
fn assert_is_reflected<B: Backend>(x: &TensorData, allowed: f64) {
    let shape = x.shape.clone();
    let [m, n] = [shape[shape.rank() - 2], shape[shape.rank() - 1]];
    let k = m.min(n);
    let found = read::<B>(B::factorize(Factorization::Qr, on::<B>(x)));
    for (found, x) in found.chunks((m + n) * k).zip(x.clone().to_f64().chunks(m * n)) {
        let (q, r) = found.split_at(m * k);
        let name = format!("qr of {m} x {n}");
        let size = x.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        assert_close(&name, &product(q, &turned(r, k), k), x, allowed * size);
        let identity: Vec<f64> = (0..k * k).map(|at| f64::from(u8::from(at / k == at % k))).collect();
        assert_close(&name, &product(&turned(q, k), q, m), &identity, allowed);
        let is_triangle = (0..n * k).all(|at| at % k <= at / k || r[at] == 0.0);
        assert!(is_triangle && (0..k).all(|at| r[at * k + at] >= 0.0), "{name}");
    }
}

/// Panels that a cube holds, with one and several rows for a unit, of all widths, and one of more rows than
/// fit.
pub fn reflections_of_all_sizes<B: Backend>() {
    let shapes: [&[usize]; 11] = [
        &[1, 1],
        &[3, 1, 5],
        &[3, 31, 31],
        &[33, 33],
        &[40, 300],
        &[300, 40],
        &[700, 70],
        &[1100, 33],
        &[2100, 12],
        &[4200, 9],
        &[20, 40, 24],
    ];
    for shape in shapes {
        assert_is_reflected::<B>(&matrices(shape, 0.5), 2e-5);
    }
    let doubles: &[[usize; 2]] = if has_doubles::<B>() { &[[60, 40], [520, 24], [2100, 3]] } else { &[] };
    for shape in doubles {
        assert_is_reflected::<B>(&matrices(shape, 0.5).convert_dtype(DType::F64), 1e-13);
    }
}

/// Columns that are zero, the same or sums of others, and matrices of nothing but these.
pub fn reflections_of_fewer_directions<B: Backend>() {
    let (m, n) = (80, 50);
    let of = |element: &dyn Fn(usize, usize) -> f32| {
        let values: Vec<f32> = (0..m * n).map(|at| element(at / n, at % n)).collect();
        TensorData::new(values, Shape::from([m, n]))
    };
    assert_is_reflected::<B>(&of(&|_, _| 0.0), 1e-5);
    assert_is_reflected::<B>(&of(&|_, _| 1.0), 1e-5);
    assert_is_reflected::<B>(&of(&|row, col| if col % 3 == 1 { 0.0 } else { (row * col % 7) as f32 }), 1e-5);
    assert_is_reflected::<B>(&of(&|row, col| (row + col) as f32), 1e-5);
    assert_is_reflected::<B>(&of(&|row, col| f32::from(u8::from(row == col))), 1e-5);
}

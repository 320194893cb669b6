//! Eigenvalues and singular values, with their vectors, of matrices whose values are known.

use super::matrices::{
    assert_close, assert_is_product, has_doubles, in_doubles, matrices, on, product, read, turned,
};
use burn_backend::*;

/// Compares the values of matrices that look random with those of another backend in `f64`.
pub fn values_of_many_rounds<B: Backend, C: Backend>() {
    for [m, n] in [[101, 101], [130, 60], [50, 140]] {
        let (x, op, k) = (matrices(&[m, n], 0.5), Factorization::Svd, m.min(n));
        let (found, expected) = (B::factorize(op, on::<B>(&x)), C::factorize(op, in_doubles::<C>(&x)));
        let (found, expected) = (read::<B>(found), read::<C>(expected));
        let parts = [&found[..m * k], &found[m * k..][..k], &found[(m + 1) * k..]];
        assert_is_product(&format!("svd of {m} x {n}"), &x.to_f64(), parts, &expected[m * k..][..k], 1e-5);
    }
    for n in [101, 120] {
        let (x, op) = (matrices(&[n, n], 0.5), Factorization::Eigh);
        let (found, expected) = (B::factorize(op, on::<B>(&x)), C::factorize(op, in_doubles::<C>(&x)));
        let (found, expected) = (read::<B>(found), read::<C>(expected));
        let x = x.to_f64();
        let symmetric: Vec<f64> = x.iter().zip(turned(&x, n)).map(|(x, y)| 0.5 * (x + y)).collect();
        let (vectors, values) = found.split_at(n * n);
        assert_is_product("eigh", &symmetric, [vectors, values, vectors], &expected[n * n..], 1e-5);
    }
}

/// Tolerances by dtype.
const TYPES: [(DType, f64); 2] = [(DType::F32, 4e-6), (DType::F64, 1e-14)];

fn factors<B: Backend>(op: Factorization, x: &[f64], shape: &[usize], dtype: DType) -> Vec<f64> {
    let data = TensorData::new(x, Shape::from(shape)).convert_dtype(dtype);
    read::<B>(B::factorize(op, B::from_data(data, &B::Device::default())))
}

/// `Q diag(values) Q^T`, where `Q` is of three reflections.
fn symmetric_of(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let mut x: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { values[k % n] } else { 0.0 }).collect();
    for step in [0.618_033_988_749_895, 0.414_213_562_373_095, 0.732_050_807_568_877] {
        let u: Vec<f64> = (0..n).map(|i| (i as f64 * step + 0.137).fract() - 0.45).collect();
        let square: f64 = u.iter().map(|u| u * u).sum();
        let element = |k: usize| f64::from(u8::from(k / n == k % n)) - 2.0 * u[k / n] * u[k % n] / square;
        let q: Vec<f64> = (0..n * n).map(element).collect();
        x = product(&product(&q, &x, n), &q, n);
    }
    x
}

/// Eigenvalues and singular values of a symmetric matrix.
fn assert_values<B: Backend>(name: &str, x: &[f64], values: &[f64]) {
    let n = values.len();
    let (mut ascending, mut sizes) = (values.to_vec(), values.to_vec());
    ascending.sort_by(f64::total_cmp);
    sizes.iter_mut().for_each(|value| *value = value.abs());
    sizes.sort_by(|x, y| y.total_cmp(x));
    for (dtype, allowed) in TYPES.into_iter().filter(|(dtype, _)| *dtype == DType::F32 || has_doubles::<B>())
    {
        let name = format!("{name}, {n} x {n}, {dtype}");
        let found = factors::<B>(Factorization::Eigh, x, &[n, n], dtype);
        let (vectors, values) = found.split_at(n * n);
        assert_is_product(&format!("eigh: {name}"), x, [vectors, values, vectors], &ascending, allowed);
        let found = factors::<B>(Factorization::Svd, x, &[n, n], dtype);
        let parts = [&found[..n * n], &found[n * n..][..n], &found[(n + 1) * n..]];
        assert_is_product(&format!("svd: {name}"), x, parts, &sizes, allowed);
    }
}

/// Fewer rows than meet at once, as many, and more.
pub fn values_of_all_sizes<B: Backend>() {
    for n in [1, 2, 15, 16, 17, 31, 32, 33, 48, 65, 150] {
        let values: Vec<f64> = (0..n).map(|k| (k as f64 * 0.37).sin()).collect();
        assert_values::<B>("spread", &symmetric_of(&values), &values);
    }
}

/// Values that rotations take long for.
pub fn values_that_are_far_apart_or_the_same<B: Backend>() {
    for n in [20, 70] {
        let of = |f: &dyn Fn(usize) -> f64| (0..n).map(f).collect::<Vec<_>>();
        let cases = [
            ("graded", of(&|k| 10.0_f64.powf(-6.0 * k as f64 / n as f64))),
            ("repeated", of(&|k| [-1.0, 1.0, 2.0][k % 3])),
            ("of low rank", of(&|k| if k < 5 { k as f64 + 1.0 } else { 0.0 })),
            ("the identity", of(&|_| 1.0)),
            ("zero", of(&|_| 0.0)),
            ("large", of(&|k| 1e28 * (k as f64).cos())),
            ("small", of(&|k| 1e-28 * (k as f64).cos())),
        ];
        for (name, values) in cases {
            assert_values::<B>(name, &symmetric_of(&values), &values);
        }
        let diagonal = of(&|k| (k as f64 * 0.37).sin());
        let x: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { diagonal[k % n] } else { 0.0 }).collect();
        assert_values::<B>("diagonal", &x, &diagonal);
    }
    let values: Vec<f64> = (0..150).map(|k| [-1.0, 1.0, 2.0][k % 3]).collect();
    assert_values::<B>("repeated", &symmetric_of(&values), &values);
}

/// Neighbours in a batch know nothing of each other.
pub fn values_beside_what_has_none<B: Backend>() {
    for n in [3, 20, 40] {
        let values: Vec<f64> = (0..n).map(|k| (k as f64 * 0.37).sin()).collect();
        let one = symmetric_of(&values);
        for (op, none) in [(Factorization::Eigh, f64::NAN), (Factorization::Svd, f64::INFINITY)] {
            let mut batch = [one.clone(), one.clone(), one.clone()].concat();
            batch[n * n + n] = none;
            let alone = factors::<B>(op, &one, &[n, n], DType::F32);
            let found = factors::<B>(op, &batch, &[3, n, n], DType::F32);
            let parts: Vec<&[f64]> = found.chunks(alone.len()).collect();
            assert_eq!([parts[0], parts[2]], [&alone[..]; 2], "{op:?} of {n} x {n}");
            assert!(parts[1].iter().all(|x| x.is_nan()), "{op:?} of {n} x {n}");
        }
    }
}

/// The matrix of second differences, whose eigenvalues are `4 sin^2(k pi / 2 (n + 1))`.
pub fn rotations_keep_lengths<B: Backend>() {
    let n = 100;
    let element = |k: usize| match (k / n).abs_diff(k % n) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0_f32,
    };
    let x = TensorData::new((0..n * n).map(element).collect::<Vec<_>>(), Shape::from([n, n]));
    let value = |k: usize| 4.0 * (k as f64 * std::f64::consts::FRAC_PI_2 / (n + 1) as f64).sin().powi(2);
    let values: Vec<f64> = (1..=n).map(value).collect();
    let found = read::<B>(B::factorize(Factorization::Eigh, on::<B>(&x)));
    assert_close("eigh", &found[n * n..], &values, 8e-6);
    let found = read::<B>(B::factorize(Factorization::Svd, on::<B>(&x)));
    let descending: Vec<f64> = values.into_iter().rev().collect();
    assert_close("svd", &found[n * n..][..n], &descending, 8e-6);
}

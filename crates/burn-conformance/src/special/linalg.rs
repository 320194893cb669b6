use super::situation;
use crate::Subject;
use crate::array::Array;
use crate::case::read;
use crate::input::{Input, ordinary};
use crate::number::Number;
use crate::subject::Report;
use crate::tolerance::epsilon;
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_backend::{DType, Factorization, Shape, TypedCalls};

type Element = fn(usize, usize) -> f64;

/// Matrices whose factors are not unique or lose digits: the factors still multiply to the matrix, and what
/// should be orthonormal is.
pub fn check(subject: &Subject, report: &mut Report<'_>) {
    let hard: [(&str, [usize; 2], Element); 8] = [
        ("zeros", [4, 4], |_, _| 0.0),
        ("the identity", [5, 5], |i, j| f64::from(u8::from(i == j))),
        ("rank 1", [6, 4], |i, j| (i + 1) as f64 * (j as f64 - 1.5)),
        ("rank 2, wide", [3, 7], |i, j| (i * j) as f64 - 1.0),
        ("almost singular", [7, 7], |i, j| 1.0 / (i + j + 1) as f64),
        ("equal values", [4, 4], |i, j| if (i + 1) % 4 == j { 2.0 } else { 0.0 }),
        ("a row of zeros", [3, 3], |i, j| if i == 1 { 0.0 } else { 1.0 + (i * 2 + j * j) as f64 }),
        ("one beside the other", [2, 6], |i, j| (i + j % 2) as f64),
    ];
    for dtype in subject.dtypes().filter(|dtype| dtype.is_float()).collect::<Vec<_>>() {
        for op in Factorization::ALL {
            if op == Factorization::Cholesky {
                continue;
            }
            for (name, shape, element) in hard {
                let symmetric = op.needs_square();
                if symmetric && shape[0] != shape[1] {
                    continue;
                }
                let x = Array::build(shape.into(), dtype, |i| {
                    let (i, j) = if symmetric { (i[0].min(i[1]), i[0].max(i[1])) } else { (i[0], i[1]) };
                    Number::Float(element(i, j))
                });
                let x = Input::new(x.to_data());
                let at = situation(report.family(), op.name(), dtype, name);
                report.check(&at, || multiplies(op, &x, &subject.device));
            }
            if dtype.size() > 2 {
                for (name, factor) in [("large elements", 1e30), ("small elements", 1e-30)] {
                    let scaled =
                        ordinary([5, 5], dtype).array().map(dtype, |x| Number::Float(x.to_f64() * factor));
                    let x = Input::new(symmetrised(op, scaled).to_data());
                    let at = situation(report.family(), op.name(), dtype, name);
                    report.check(&at, || multiplies(op, &x, &subject.device));
                }
                let large: [usize; 2] = if op.needs_square() { [66, 66] } else { [66, 35] };
                let x = Input::new(symmetrised(op, ordinary(large, dtype).array()).to_data());
                let at = situation(report.family(), op.name(), dtype, "a large one");
                report.check(&at, || multiplies(op, &x, &subject.device));
            }
        }
    }
}

fn symmetrised(op: Factorization, x: Array) -> Array {
    if !op.needs_square() {
        return x;
    }
    Array::build(x.spec.shape.clone(), x.spec.dtype, |i| x.at(&[i[0].min(i[1]), i[0].max(i[1])]))
}

/// `[rows, cols]` by `[cols, other]`.
fn product(x: &[f64], y: &[f64], inner: usize) -> Vec<f64> {
    let (rows, cols) = (x.len() / inner, y.len() / inner);
    let at = |k: usize| (0..inner).map(|l| x[k / cols * inner + l] * y[l * cols + k % cols]).sum();
    (0..rows * cols).map(at).collect()
}

fn turned(x: &[f64], cols: usize) -> Vec<f64> {
    let rows = x.len() / cols;
    (0..x.len()).map(|k| x[k % rows * cols + k / rows]).collect()
}

fn near(what: &str, found: &[f64], expected: &[f64], allowed: f64) -> Result<(), String> {
    let far = found.iter().zip(expected).position(|(x, y)| (x - y).is_nan() || (x - y).abs() > allowed);
    far.map_or(Ok(()), |at| {
        Err(format!("{what}: {:e} should be {:e} (element {at})", found[at], expected[at]))
    })
}

fn orthonormal(what: &str, x: &[f64], cols: usize, allowed: f64) -> Result<(), String> {
    let identity: Vec<f64> = (0..cols * cols).map(|k| f64::from(u8::from(k / cols == k % cols))).collect();
    near(what, &product(&turned(x, cols), x, x.len() / cols), &identity, allowed)
}

fn multiplies(op: Factorization, x: &Input, device: &DynamicDevice) -> Result<(), String> {
    let shape: &Shape = &x.data.shape;
    let (m, n, dtype): (usize, usize, DType) = (shape[0], shape[1], x.data.dtype);
    let k = m.min(n);
    let values = x.data.to_f64();
    let size = values.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    let unit = 8.0 * epsilon(dtype) * (m + n) as f64;
    let found = read(Dynamic::factorize(op, x.upload(device))).to_f64();
    let scaled = |vectors: &[f64], values: &[f64]| -> Vec<f64> {
        vectors.iter().enumerate().map(|(at, x)| x * values[at % values.len()]).collect()
    };
    match op {
        Factorization::Cholesky => unreachable!("has a definition everywhere"),
        Factorization::Qr => {
            let (q, r) = found.split_at(m * k);
            orthonormal("Q", q, k, unit)?;
            let lower = (0..n * k).any(|at| at % k > at / k && r[at] != 0.0);
            if lower || (0..k).any(|i| r[i * k + i] < 0.0) {
                return Err("R is not upper triangular with a diagonal that is not negative".into());
            }
            near("Q R", &product(q, &turned(r, k), k), &values, unit * size)
        }
        Factorization::Svd => {
            let (u, rest) = found.split_at(m * k);
            let (s, v) = rest.split_at(k);
            orthonormal("U", u, k, unit)?;
            orthonormal("V", v, k, unit)?;
            if s.windows(2).any(|pair| pair[0] < pair[1]) || s.iter().any(|&s| s < 0.0) {
                return Err(format!("singular values {s:?}"));
            }
            near("U S V^T", &product(&scaled(u, s), &turned(v, k), k), &values, unit * size)
        }
        Factorization::Eigh => {
            let (vectors, eigenvalues) = found.split_at(n * n);
            orthonormal("V", vectors, n, unit)?;
            if eigenvalues.windows(2).any(|pair| pair[0] > pair[1]) {
                return Err(format!("eigenvalues {eigenvalues:?}"));
            }
            let whole = product(&scaled(vectors, eigenvalues), &turned(vectors, n), n);
            near("V W V^T", &whole, &values, unit * size)
        }
    }
}

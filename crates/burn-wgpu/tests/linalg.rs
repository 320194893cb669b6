//! Matrices that are factored in several panels, beside the CPU's results in `f64`.

mod device;

use burn_backend::{Backend, DType, Factorization, Shape, TensorData, Triangle, block_on, kernels};
use burn_ndarray::{NdArray, NdArrayDevice};
use burn_wgpu::{Wgpu, WgpuDevice};

type Gpu = Wgpu<f32, i32>;
type Cpu = NdArray<f64, i64>;

/// Numbers between -1 and 1 that look random, with `along` more on the diagonal.
fn matrices(shape: &[usize], along: f64) -> TensorData {
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

fn on_gpu(data: &TensorData) -> <Gpu as Backend>::Tensor {
    Gpu::from_data(data.clone(), &WgpuDevice::default())
}

fn on_cpu(data: &TensorData) -> <Cpu as Backend>::Tensor {
    Cpu::from_data(data.clone().convert_dtype(DType::F64), &NdArrayDevice::default())
}

fn read<B: Backend>(x: B::Tensor) -> Vec<f64> {
    block_on(B::into_data(x)).unwrap().unwrap().to_f64()
}

fn assert_near(name: &str, found: <Gpu as Backend>::Tensor, expected: <Cpu as Backend>::Tensor) {
    let (found, expected) = (read::<Gpu>(found), read::<Cpu>(expected));
    assert_eq!(found.len(), expected.len(), "{name}");
    let size = expected.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    let off = found.iter().zip(&expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(off <= 1e-4 * size, "{name}: off by {off:e} of {size:e}");
    assert!(found.iter().all(|x| x.is_finite()), "{name}");
}

#[test]
fn systems_of_several_panels() {
    if device::is_missing() {
        return;
    }
    let (a, b) = (matrices(&[2, 1, 150, 150], 4.0), matrices(&[3, 150, 70], 0.0));
    let found = Gpu::solve(on_gpu(&a), on_gpu(&b));
    assert_near("solve", found, Cpu::solve(on_cpu(&a), on_cpu(&b)));
    for size in [1, 31, 32, 33, 100] {
        let (a, b) = (matrices(&[3, size, size], 4.0), matrices(&[3, size, 1], 0.0));
        let found = Gpu::solve(on_gpu(&a), on_gpu(&b));
        assert_near(&format!("solve of {size}"), found, Cpu::solve(on_cpu(&a), on_cpu(&b)));
    }
    let a = matrices(&[150, 150], 100.0);
    for triangle in Triangle::ALL.into_iter().filter(|triangle| !triangle.unit) {
        let found = Gpu::solve_triangular(on_gpu(&a), on_gpu(&b), triangle);
        assert_near("solve_triangular", found, Cpu::solve_triangular(on_cpu(&a), on_cpu(&b), triangle));
    }
}

fn assert_factors(x: &TensorData) {
    let name = format!("lu of {:?}, {}", x.shape, x.dtype);
    let (found, order) = Gpu::lu(on_gpu(x), DType::I32);
    let (expected, rows) = Cpu::lu(on_cpu(x), DType::I64);
    assert_eq!(read::<Gpu>(order), read::<Cpu>(rows), "{name}");
    assert_near(&name, found, expected);
}

fn has_doubles() -> bool {
    Gpu::has_dtype(&WgpuDevice::default(), DType::F64)
}

/// Pivots come from all rows, which units hold one or several of, or which stay in memory.
#[test]
fn pivots_of_low_and_high_panels() {
    if device::is_missing() {
        return;
    }
    for shape in [[2, 150, 150], [1, 200, 70], [1, 70, 200], [2, 33, 33], [1, 1100, 40], [1, 9000, 20]] {
        assert_factors(&matrices(&shape, 0.5));
    }
    if has_doubles() {
        for shape in [[1, 70, 70], [1, 600, 40]] {
            assert_factors(&matrices(&shape, 0.5).convert_dtype(DType::F64));
        }
    }
}

/// Magnitudes that are equal: the first of them is the pivot, in each column.
#[test]
fn of_equal_pivots_the_first_is_taken() {
    if device::is_missing() {
        return;
    }
    for rows in [20, 100, 700, 9000] {
        let signs =
            matrices(&[rows, 3], 0.0).to_f64().into_iter().map(|x| if x < -0.3 { -1.0 } else { 1.0_f32 });
        assert_factors(&TensorData::new(signs.collect::<Vec<_>>(), Shape::from([rows, 3])));
    }
}

#[test]
fn factors_of_several_panels() {
    if device::is_missing() {
        return;
    }
    let op = Factorization::Cholesky;
    for (size, batch) in [(1, 3), (5, 2), (31, 2), (32, 1), (33, 2), (64, 1), (150, 2), (260, 1)] {
        let x = matrices(&[batch, size, size], 200.0);
        let found = Gpu::factorize(op, on_gpu(&x));
        assert_near(&format!("cholesky of {size}"), found, Cpu::factorize(op, on_cpu(&x)));
    }
    if has_doubles() {
        let x = matrices(&[150, 150], 200.0).convert_dtype(DType::F64);
        assert_near("cholesky of doubles", Gpu::factorize(op, on_gpu(&x)), Cpu::factorize(op, on_cpu(&x)));
    }
    for shape in [[2, 150, 150], [1, 200, 70], [1, 70, 200]] {
        let (x, op) = (matrices(&shape, 0.5), Factorization::Qr);
        assert_near("qr", Gpu::factorize(op, on_gpu(&x)), Cpu::factorize(op, on_cpu(&x)));
    }
}

/// `[rows, inner]` by `[inner, cols]`.
fn product(x: &[f64], y: &[f64], inner: usize) -> Vec<f64> {
    let (rows, cols) = (x.len() / inner, y.len() / inner);
    let at = |k: usize| (0..inner).map(|l| x[k / cols * inner + l] * y[l * cols + k % cols]).sum();
    (0..rows * cols).map(at).collect()
}

fn turned(x: &[f64], cols: usize) -> Vec<f64> {
    let rows = x.len() / cols;
    (0..x.len()).map(|k| x[k % rows * cols + k / rows]).collect()
}

fn assert_close(name: &str, found: &[f64], expected: &[f64], allowed: f64) {
    let off = found.iter().zip(expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(found.len() == expected.len() && off <= allowed, "{name}: off by {off:e}");
}

/// Columns at right angles of length 1.
fn assert_orthonormal(name: &str, x: &[f64], cols: usize, allowed: f64) {
    let identity: Vec<f64> = (0..cols * cols).map(|k| f64::from(u8::from(k / cols == k % cols))).collect();
    assert_close(name, &product(&turned(x, cols), x, x.len() / cols), &identity, allowed);
}

/// `x = U diag(s) V^T`, where `s` are these.
fn assert_is_product(name: &str, x: &[f64], [u, s, v]: [&[f64]; 3], expected: &[f64], allowed: f64) {
    let k = s.len();
    let size = expected.iter().fold(0.0, |size: f64, s| size.max(s.abs()));
    assert_close(name, s, expected, allowed * size);
    assert_orthonormal(name, u, k, 3.0 * allowed);
    assert_orthonormal(name, v, k, 3.0 * allowed);
    let scaled: Vec<f64> = u.iter().enumerate().map(|(at, u)| u * s[at % k]).collect();
    assert_close(name, &product(&scaled, &turned(v, k), k), x, 3.0 * allowed * size);
}

#[test]
fn values_of_many_rounds() {
    if device::is_missing() {
        return;
    }
    for [m, n] in [[101, 101], [130, 60], [50, 140]] {
        let (x, op, k) = (matrices(&[m, n], 0.5), Factorization::Svd, m.min(n));
        let (found, expected) = (Gpu::factorize(op, on_gpu(&x)), Cpu::factorize(op, on_cpu(&x)));
        let (found, expected) = (read::<Gpu>(found), read::<Cpu>(expected));
        let parts = [&found[..m * k], &found[m * k..][..k], &found[(m + 1) * k..]];
        assert_is_product(&format!("svd of {m} x {n}"), &x.to_f64(), parts, &expected[m * k..][..k], 1e-5);
    }
    for n in [101, 120] {
        let (x, op) = (matrices(&[n, n], 0.5), Factorization::Eigh);
        let (found, expected) = (Gpu::factorize(op, on_gpu(&x)), Cpu::factorize(op, on_cpu(&x)));
        let (found, expected) = (read::<Gpu>(found), read::<Cpu>(expected));
        let x = x.to_f64();
        let symmetric: Vec<f64> = x.iter().zip(turned(&x, n)).map(|(x, y)| 0.5 * (x + y)).collect();
        let (vectors, values) = found.split_at(n * n);
        assert_is_product("eigh", &symmetric, [vectors, values, vectors], &expected[n * n..], 1e-5);
    }
}

/// What is allowed of rounding.
const TYPES: [(DType, f64); 2] = [(DType::F32, 4e-6), (DType::F64, 1e-14)];

fn factors(op: Factorization, x: &[f64], shape: &[usize], dtype: DType) -> Vec<f64> {
    let data = TensorData::new(x, Shape::from(shape)).convert_dtype(dtype);
    read::<Gpu>(Gpu::factorize(op, Gpu::from_data(data, &WgpuDevice::default())))
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
fn assert_values(name: &str, x: &[f64], values: &[f64]) {
    let n = values.len();
    let (mut ascending, mut sizes) = (values.to_vec(), values.to_vec());
    ascending.sort_by(f64::total_cmp);
    sizes.iter_mut().for_each(|value| *value = value.abs());
    sizes.sort_by(|x, y| y.total_cmp(x));
    for (dtype, allowed) in TYPES {
        let name = format!("{name}, {n} x {n}, {dtype}");
        let found = factors(Factorization::Eigh, x, &[n, n], dtype);
        let (vectors, values) = found.split_at(n * n);
        assert_is_product(&format!("eigh: {name}"), x, [vectors, values, vectors], &ascending, allowed);
        let found = factors(Factorization::Svd, x, &[n, n], dtype);
        let parts = [&found[..n * n], &found[n * n..][..n], &found[(n + 1) * n..]];
        assert_is_product(&format!("svd: {name}"), x, parts, &sizes, allowed);
    }
}

#[test]
fn values_of_all_sizes() {
    if device::is_missing() {
        return;
    }
    for n in [1, 2, 15, 16, 17, 31, 32, 33, 48, 65, 150] {
        let values: Vec<f64> = (0..n).map(|k| (k as f64 * 0.37).sin()).collect();
        assert_values("spread", &symmetric_of(&values), &values);
    }
}

#[test]
fn values_that_are_far_apart_or_the_same() {
    if device::is_missing() {
        return;
    }
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
            assert_values(name, &symmetric_of(&values), &values);
        }
        let diagonal = of(&|k| (k as f64 * 0.37).sin());
        let x: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { diagonal[k % n] } else { 0.0 }).collect();
        assert_values("diagonal", &x, &diagonal);
    }
    let values: Vec<f64> = (0..150).map(|k| [-1.0, 1.0, 2.0][k % 3]).collect();
    assert_values("repeated", &symmetric_of(&values), &values);
}

/// Neighbours in a batch know nothing of each other.
#[test]
fn values_beside_what_has_none() {
    if device::is_missing() {
        return;
    }
    for n in [3, 20, 40] {
        let values: Vec<f64> = (0..n).map(|k| (k as f64 * 0.37).sin()).collect();
        let one = symmetric_of(&values);
        for (op, none) in [(Factorization::Eigh, f64::NAN), (Factorization::Svd, f64::INFINITY)] {
            let mut batch = [one.clone(), one.clone(), one.clone()].concat();
            batch[n * n + n] = none;
            let alone = factors(op, &one, &[n, n], DType::F32);
            let found = factors(op, &batch, &[3, n, n], DType::F32);
            let parts: Vec<&[f64]> = found.chunks(alone.len()).collect();
            assert_eq!([parts[0], parts[2]], [&alone[..]; 2], "{op:?} of {n} x {n}");
            assert!(parts[1].iter().all(|x| x.is_nan()), "{op:?} of {n} x {n}");
        }
    }
}

/// Launches do not grow with the number of pairs of rows.
#[test]
fn rotations_are_few_launches() {
    if device::is_missing() {
        return;
    }
    let launches = |op: Factorization, shape: &[usize]| {
        let x = on_gpu(&matrices(shape, 0.5));
        let listening = kernels::listen();
        let _ = Gpu::factorize(op, x);
        listening.heard().len()
    };
    for op in [Factorization::Eigh, Factorization::Svd] {
        let small = launches(op, &[1000, 32, 32]);
        assert!(small < 60, "{op:?}: {small}");
        let large = launches(op, &[256, 256]);
        assert!(large < 700, "{op:?}: {large}");
    }
}

/// The matrix of second differences, whose eigenvalues are `4 sin^2(k pi / 2 (n + 1))`.
#[test]
fn rotations_keep_lengths() {
    if device::is_missing() {
        return;
    }
    let n = 100;
    let element = |k: usize| match (k / n).abs_diff(k % n) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0_f32,
    };
    let x = TensorData::new((0..n * n).map(element).collect::<Vec<_>>(), Shape::from([n, n]));
    let value = |k: usize| 4.0 * (k as f64 * std::f64::consts::FRAC_PI_2 / (n + 1) as f64).sin().powi(2);
    let values: Vec<f64> = (1..=n).map(value).collect();
    let found = read::<Gpu>(Gpu::factorize(Factorization::Eigh, on_gpu(&x)));
    assert_close("eigh", &found[n * n..], &values, 8e-6);
    let found = read::<Gpu>(Gpu::factorize(Factorization::Svd, on_gpu(&x)));
    let descending: Vec<f64> = values.into_iter().rev().collect();
    assert_close("svd", &found[n * n..][..n], &descending, 8e-6);
}

/// `Q` and the transpose of `R`, of each matrix.
fn assert_is_reflected(x: &TensorData, allowed: f64) {
    let shape = x.shape.clone();
    let [m, n] = [shape[shape.rank() - 2], shape[shape.rank() - 1]];
    let k = m.min(n);
    let found = read::<Gpu>(Gpu::factorize(Factorization::Qr, on_gpu(x)));
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

/// Panels that a cube holds, with one and several rows for a unit, of all widths, and one of more rows than fit.
#[test]
fn reflections_of_all_sizes() {
    if device::is_missing() {
        return;
    }
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
        assert_is_reflected(&matrices(shape, 0.5), 2e-5);
    }
    for shape in [[60, 40], [520, 24], [2100, 3]] {
        assert_is_reflected(&matrices(&shape, 0.5).convert_dtype(DType::F64), 1e-13);
    }
}

/// Columns that are zero, the same or sums of others, and matrices of nothing but these.
#[test]
fn reflections_of_fewer_directions() {
    if device::is_missing() {
        return;
    }
    let (m, n) = (80, 50);
    let of = |element: &dyn Fn(usize, usize) -> f32| {
        let values: Vec<f32> = (0..m * n).map(|at| element(at / n, at % n)).collect();
        TensorData::new(values, Shape::from([m, n]))
    };
    assert_is_reflected(&of(&|_, _| 0.0), 1e-5);
    assert_is_reflected(&of(&|_, _| 1.0), 1e-5);
    assert_is_reflected(&of(&|row, col| if col % 3 == 1 { 0.0 } else { (row * col % 7) as f32 }), 1e-5);
    assert_is_reflected(&of(&|row, col| (row + col) as f32), 1e-5);
    assert_is_reflected(&of(&|row, col| f32::from(u8::from(row == col))), 1e-5);
}

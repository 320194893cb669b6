//! Linear algebra matrix by matrix in `f64`, for leaves that can read their tensors without waiting.

use crate::Backend;
use alloc::vec::Vec;
use burn_ir::{
    DType, Factorization, HasSpec, Linalg, Outputs, Shape, TensorData, TensorSpec, Triangle, lu_f64,
    output_specs, solve_f64,
};

/// Function that reads the elements of a tensor, row-major.
pub type Read<T> = fn(T) -> Vec<f64>;

/// Returns the rows and columns of the matrices of `spec`.
fn size(spec: &TensorSpec) -> (usize, usize) {
    let rank = spec.shape.rank();
    (spec.shape[rank - 2], spec.shape[rank - 1])
}

fn specs<T: HasSpec>(op: Linalg<&T>) -> Outputs<TensorSpec> {
    output_specs(&op.into()).unwrap_or_else(|error| panic!("{error}"))
}

/// Creates a tensor of `spec` with these elements.
fn tensor<B: Backend>(values: Vec<f64>, spec: TensorSpec, device: &B::Device) -> B::Tensor {
    B::from_data(TensorData::new(values, spec.shape).convert_dtype(spec.dtype), device)
}

/// The matrices of a tensor whose batch is broadcast to that of `result`.
struct Matrices {
    values: Vec<f64>,
    rows: usize,
    cols: usize,
    count: usize,
}

impl Matrices {
    fn new<B: Backend>(x: B::Tensor, result: &Shape, read: Read<B::Tensor>) -> Self {
        let (rows, cols) = size(x.spec());
        let batch = &result[..result.rank() - 2];
        let wide = batch.iter().copied().chain([rows, cols]).collect();
        Matrices { values: read(B::expand(x, wide)), rows, cols, count: batch.iter().product() }
    }

    fn iter(&self) -> impl Iterator<Item = &[f64]> {
        let size = self.rows * self.cols;
        (0..self.count).map(move |k| &self.values[k * size..][..size])
    }
}

/// See [`Factorization`].
pub fn factorize<B: Backend>(op: Factorization, x: B::Tensor, read: Read<B::Tensor>) -> B::Tensor {
    let (device, spec) = (B::device(&x), specs(Linalg::Factorize { op, x: &x }).one());
    let x = Matrices::new::<B>(x, &spec.shape, read);
    let values = x.iter().flat_map(|matrix| op.eval_f64(matrix, x.rows, x.cols)).collect();
    tensor::<B>(values, spec, &device)
}

/// See [`lu_f64`].
pub fn lu<B: Backend>(x: B::Tensor, index: DType, read: Read<B::Tensor>) -> (B::Tensor, B::Tensor) {
    let (device, specs) = (B::device(&x), specs(Linalg::Lu { x: &x, index }).two());
    let x = Matrices::new::<B>(x, &specs.0.shape, read);
    let (mut packed, mut order) = (Vec::new(), Vec::new());
    for matrix in x.iter() {
        let (values, rows) = lu_f64(matrix, x.rows, x.cols);
        packed.extend(values);
        order.extend(rows.into_iter().map(|row| row as f64));
    }
    (tensor::<B>(packed, specs.0, &device), tensor::<B>(order, specs.1, &device))
}

/// See [`solve_f64`].
pub fn solve<B: Backend>(a: B::Tensor, b: B::Tensor, read: Read<B::Tensor>) -> B::Tensor {
    let spec = specs(Linalg::Solve { a: &a, b: &b }).one();
    systems::<B>(a, b, spec, read, solve_f64)
}

/// See [`Triangle::solve_f64`].
pub fn solve_triangular<B: Backend>(
    a: B::Tensor,
    b: B::Tensor,
    triangle: Triangle,
    read: Read<B::Tensor>,
) -> B::Tensor {
    let spec = specs(Linalg::SolveTriangular { a: &a, b: &b, triangle }).one();
    systems::<B>(a, b, spec, read, |a, b, rows, cols| triangle.solve_f64(a, b, rows, cols))
}

fn systems<B: Backend>(
    a: B::Tensor,
    b: B::Tensor,
    spec: TensorSpec,
    read: Read<B::Tensor>,
    solve: impl Fn(&[f64], &[f64], usize, usize) -> Vec<f64>,
) -> B::Tensor {
    let device = B::device(&a);
    let [a, b] = [a, b].map(|x| Matrices::new::<B>(x, &spec.shape, read));
    let values =
        a.iter().zip(b.iter()).flat_map(|(left, right)| solve(left, right, b.rows, b.cols)).collect();
    tensor::<B>(values, spec, &device)
}

/// See [`BilinearArgs`](burn_ir::BilinearArgs): a product with the weight, and one with `rhs` for each row.
#[cfg(feature = "test-operation")]
pub fn bilinear<B: Backend>(args: burn_ir::BilinearArgs<B::Tensor>) -> B::Tensor {
    let ((rows, left), right) = (size(args.lhs.spec()), size(args.rhs.spec()).1);
    let out = args.weight.spec().shape[0];
    let weight = B::reshape(B::permute(args.weight, [1, 0, 2].into()), [left, out * right].into());
    let products = B::reshape(B::matmul(args.lhs, weight), [rows, out, right].into());
    let sums = B::matmul(products, B::reshape(args.rhs, [rows, right, 1].into()));
    let y = B::reshape(sums, [rows, out].into());
    match args.bias {
        Some(bias) => crate::ops::add::<B>(y, bias),
        None => y,
    }
}

//! Matrices as they are worked through, and results made of them.

use burn_backend::*;
use burn_cubecl::kernels::{
    Program, compare_scalar, expand, partial, range, reduce, row_major, transpose, unary,
};
use burn_cubecl::{CubeTensor, Engine};
use std::ops::Range;

/// The same matrices in row-major order in a buffer of their own, halves as `f32`.
pub fn own(x: &CubeTensor) -> CubeTensor {
    row_major(x, partial(x.dtype()))
}

/// The specification of the only result.
#[track_caller]
pub fn result_of(op: &Operation<&CubeTensor>) -> TensorSpec {
    output_specs(op).unwrap_or_else(|error| panic!("{error}")).one()
}

/// How many matrices there are, and their rows and columns.
pub fn sizes(x: &CubeTensor) -> [usize; 3] {
    let shape = x.shape();
    let (outer, inner) = shape.split_at(shape.rank() - 2);
    [outer.iter().product(), inner[0], inner[1]]
}

/// As the shape of `x`, with other sizes after the batch.
pub fn behind_batch(x: &CubeTensor, sizes: &[usize]) -> Shape {
    let shape = x.shape();
    shape[..shape.rank() - 2].iter().chain(sizes).copied().collect()
}

/// A part of each matrix.
pub fn part(x: &CubeTensor, rows: Range<usize>, cols: Range<usize>) -> CubeTensor {
    let (strides, mut offset) = (x.strides().clone(), x.offset());
    let rank = strides.len();
    offset = offset.wrapping_add(rows.start.wrapping_mul(strides[rank - 2]));
    offset = offset.wrapping_add(cols.start.wrapping_mul(strides[rank - 1]));
    x.clone().view(behind_batch(x, &[rows.len(), cols.len()]), strides, offset)
}

/// Each matrix with rows for columns.
pub fn turned(x: &CubeTensor) -> CubeTensor {
    transpose(x.clone())
}

/// The diagonal of square matrices: `[.., n]`.
pub fn diagonal(x: &CubeTensor) -> CubeTensor {
    let (shape, strides) = (x.shape(), x.strides());
    let (last, step) =
        (shape.rank() - 1, strides.iter().rev().take(2).fold(0, |sum: usize, &s| sum.wrapping_add(s)));
    let along = strides[..last - 1].iter().copied().chain([step]).collect();
    x.clone().view(shape[..last].iter().copied().collect(), along, x.offset())
}

/// Whether a condition of so many elements of each matrix holds for one (`Any`) or for all, which are in the
/// last dimensions: `[.., 1, 1]`.
pub fn of_each(op: ReduceOp, x: CubeTensor, dims: usize) -> CubeTensor {
    let rank = x.shape().rank();
    let reduced = reduce(op, &x, &(rank - dims..rank).collect());
    let outer = reduced.shape()[..rank - dims].to_vec();
    reduced.reshaped(outer.into_iter().chain([1, 1]).collect())
}

/// The largest magnitude in each matrix, which is not empty; NaN where there is one.
pub fn largest(x: &CubeTensor) -> CubeTensor {
    of_each(ReduceOp::Max, unary(UnaryOp::Abs, x.clone()), 2)
}

/// Whether a number is finite, from its magnitude.
pub fn is_finite(magnitude: CubeTensor) -> CubeTensor {
    let most = if magnitude.dtype() == DType::F64 { f64::MAX } else { f64::from(f32::MAX) };
    compare_scalar(CompareOp::LessEqual, magnitude, Scalar::Float(most))
}

/// `x` where there is a result, and NaN where there is none.
pub fn where_it_is(exists: &CubeTensor, x: &CubeTensor, spec: TensorSpec) -> CubeTensor {
    let mut program = Program::new(2);
    let nan = program.constant(Scalar::Float(f64::NAN), x.dtype());
    let value = program.choose(1, 0, nan);
    let value = program.cast(value, spec.dtype);
    program.output(value);
    program.run(&spec.shape.clone(), &[x, exists], vec![spec], x.engine()).remove(0)
}

/// The numbers 0, 1 and so on in the last dimension of a shape.
pub fn counted(shape: Shape, engine: &'static dyn Engine) -> CubeTensor {
    let last = *shape.last().expect("a dimension");
    let spec = TensorSpec::new([last], DType::I32);
    expand(range(spec, Scalar::Int(0), Scalar::Int(1), engine), shape)
}

/// Returns the divisor that keeps squares of the elements in range: 1 for all but extreme matrices.
pub fn unit_of(largest: &CubeTensor) -> CubeTensor {
    const FAR: f64 = 65_536.0;
    let spec = largest.spec().clone();
    let mut program = Program::new(1);
    let constants = [0.0, 1.0 / FAR, FAR, 1.0].map(|x| program.constant(Scalar::Float(x), spec.dtype));
    let [zero, small, large, one] = constants;
    let is_small = program.compare(CompareOp::Less, 0, small);
    let is_large = program.compare(CompareOp::Greater, 0, large);
    let is_far = program.binary(BinaryOp::Or, is_small, is_large);
    let is_zero = program.compare(CompareOp::Equal, 0, zero);
    let far = program.choose(is_zero, one, 0);
    let unit = program.choose(is_far, far, one);
    program.output(unit);
    program.run(&spec.shape.clone(), &[largest], vec![spec], largest.engine()).remove(0)
}

/// 1 and -1, which make elements not negative.
pub fn signs(x: &CubeTensor) -> CubeTensor {
    let spec = x.spec().clone();
    let mut program = Program::new(1);
    let [zero, one, other] = [0, 1, -1].map(|value| program.constant(Scalar::Int(value), spec.dtype));
    let is_negative = program.compare(CompareOp::Less, 0, zero);
    let sign = program.choose(is_negative, other, one);
    program.output(sign);
    program.run(&spec.shape.clone(), &[x], vec![spec], x.engine()).remove(0)
}

/// `(x + x^T) / 2`, in a buffer of its own.
pub fn symmetric(x: &CubeTensor) -> CubeTensor {
    let spec = TensorSpec { dtype: partial(x.dtype()), shape: x.shape() };
    let mut program = Program::new(2);
    let half = program.constant(Scalar::Float(0.5), spec.dtype);
    let [above, below] = [0, 1].map(|side| {
        let value = program.cast(side, spec.dtype);
        program.binary(BinaryOp::Mul, value, half)
    });
    let sum = program.binary(BinaryOp::Add, above, below);
    program.output(sum);
    program.run(&spec.shape.clone(), &[x, &turned(x)], vec![spec], x.engine()).remove(0)
}

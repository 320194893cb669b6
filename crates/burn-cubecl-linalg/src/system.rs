use crate::lu::factors;
use crate::triangular::substitute;
use crate::working::{behind_batch, diagonal, of_each, own, result_of, sizes, where_it_is};
use burn_backend::*;
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{binary, cast, compare_scalar, expand, gather_, wide};

/// Whether square matrices have a zero on the diagonal: `[.., 1, 1]`.
fn is_singular(x: &CubeTensor) -> CubeTensor {
    let zeros = compare_scalar(CompareOp::Equal, diagonal(x), Scalar::Int(0));
    of_each(ReduceOp::Any, zeros, 1)
}

fn not(x: CubeTensor) -> CubeTensor {
    compare_scalar(CompareOp::Equal, x, Scalar::Int(0))
}

/// `b` repeated to the batch of a result.
fn right_side(b: CubeTensor, spec: &TensorSpec) -> CubeTensor {
    expand(b, spec.shape.clone())
}

pub fn solve_triangular(a: CubeTensor, b: CubeTensor, triangle: Triangle) -> CubeTensor {
    let spec = result_of(&Operation::Linalg(Linalg::SolveTriangular { a: &a, b: &b, triangle }));
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, a.engine());
    }
    let (a, x) = (wide(a), own(&right_side(b, &spec)));
    substitute(&a, &x, triangle, false);
    if triangle.unit {
        return cast(x, spec.dtype);
    }
    where_it_is(&not(is_singular(&a)), &x, spec)
}

pub fn solve(a: CubeTensor, b: CubeTensor) -> CubeTensor {
    let spec = result_of(&Operation::Linalg(Linalg::Solve { a: &a, b: &b }));
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, a.engine());
    }
    let factors = factors(&a);
    let [_, size, _] = sizes(&a);
    // Rows of the right side as the factors have them.
    let order = factors.order.reshaped(behind_batch(&a, &[size, 1]));
    let rank = spec.shape.rank();
    let order = expand(order, spec.shape.clone());
    let x = own(&gather_(right_side(b, &spec), rank - 2, order));
    substitute(&factors.packed, &x, Triangle { upper: false, unit: true }, false);
    substitute(&factors.packed, &x, Triangle { upper: true, unit: false }, false);
    let regular = not(is_singular(&factors.packed));
    let exists = binary(BinaryOp::And, factors.is_finite, regular);
    where_it_is(&exists, &x, spec)
}

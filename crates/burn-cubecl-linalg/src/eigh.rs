use crate::identity::identity;
use crate::small_symmetric::eigh_of_small;
use crate::symmetric::turn_symmetric;
use crate::working::{
    behind_batch, diagonal, is_finite, largest, part, result_of, signs, sizes, symmetric, turned, unit_of,
    where_it_is,
};
use burn_backend::{BinaryOp, DType, Extremum, Factorization, HasSpec, Linalg, Operation, UnaryOp};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{binary, cat, expand, gather_, reduce_with_indices, sort_with_indices, unary};

/// Eigenvalues `[.., n]` and, in rows, vectors, in no order. Elements are neither very large nor very small.
fn unordered(x: &CubeTensor) -> (CubeTensor, CubeTensor) {
    let size = sizes(x)[1];
    let now = cat(&[x.clone(), identity(x, size, size)], x.spec().shape.rank() - 1);
    turn_symmetric(&now, &largest(x));
    (diagonal(&part(&now, 0..size, 0..size)), part(&now, 0..size, size..2 * size))
}

/// Rows in the order of `places: [.., n]`.
pub fn rows_at(x: CubeTensor, places: CubeTensor) -> CubeTensor {
    let (shape, [_, rows, _]) = (x.shape(), sizes(&x));
    let places = places.reshaped(behind_batch(&x, &[rows, 1]));
    gather_(x, shape.rank() - 2, expand(places, shape))
}

/// 1 and -1, so that the largest element of each row becomes positive, of several the first: `[.., n, 1]`.
pub fn upright(rows: &CubeTensor) -> CubeTensor {
    let last = rows.spec().shape.rank() - 1;
    let size = unary(UnaryOp::Abs, rows.clone());
    let at = reduce_with_indices(Extremum::Max, &size, last, DType::I32).1;
    signs(&gather_(rows.clone(), last, at))
}

pub fn eigh(x: &CubeTensor) -> CubeTensor {
    let spec = result_of(&Operation::Linalg(Linalg::Factorize { op: Factorization::Eigh, x }));
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, x.engine());
    }
    if let Some(found) = eigh_of_small(x, &spec) {
        return found;
    }
    let x = symmetric(x);
    let largest = largest(&x);
    let unit = unit_of(&largest);
    let (values, vectors) = unordered(&binary(BinaryOp::Div, x, unit.clone()));
    let rank = spec.shape.rank();
    let (values, places) = sort_with_indices(&values, rank - 2, false, DType::I32);
    let vectors = rows_at(vectors, places);
    let vectors = binary(BinaryOp::Mul, vectors.clone(), upright(&vectors));
    let size = sizes(&vectors)[1];
    let values = values.reshaped(behind_batch(&vectors, &[1, size]));
    let values = binary(BinaryOp::Mul, values, unit);
    let stacked = cat(&[turned(&vectors), values], rank - 2);
    where_it_is(&is_finite(largest), &stacked, spec)
}

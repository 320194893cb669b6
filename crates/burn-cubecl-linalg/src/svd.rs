use crate::eigh::{rows_at, upright};
use crate::identity::identity;
use crate::qr::{reflected, signs_of_diagonal};
use crate::rows::{is_one_launch, turn_rows};
use crate::small_rows::{OrthogonalRows, small_turned_apart};
use crate::working::{
    is_finite, largest, of_each, own, part, result_of, sizes, turned, unit_of, where_it_is,
};
use burn_backend::{
    BinaryOp, CompareOp, DType, Factorization, HasSpec, Linalg, Operation, ReduceOp, Scalar, UnaryOp,
};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{Program, binary, by_kernel, cat, reduce, sort_with_indices, unary};

/// Rows `[.., k, n]` at right angles, and the rotations `[.., k, k]` that turned them. Elements are neither
/// very large nor very small.
fn turned_apart(x: CubeTensor) -> (CubeTensor, CubeTensor) {
    let [_, size, long] = sizes(&x);
    let squares = unary(UnaryOp::Square, x.clone());
    let squares = of_each(ReduceOp::Sum, squares, 2);
    let rows = cat(&[x.clone(), identity(&x, size, size)], x.spec().shape.rank() - 1);
    turn_rows(&rows, &squares, long);
    (part(&rows, 0..size, 0..long), part(&rows, 0..size, long..long + size))
}

/// Rows, the longest first, as columns of length 1, or of zeros where there is almost nothing.
fn unit_columns(rows: &CubeTensor, lengths: &CubeTensor) -> CubeTensor {
    let dtype = rows.dtype();
    let epsilon = if dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let mut program = Program::new(3);
    let factor = program.constant(Scalar::Float(0.01 * epsilon), dtype);
    let zero = program.constant(Scalar::Int(0), dtype);
    let nothing = program.binary(BinaryOp::Mul, 2, factor);
    let is_something = program.compare(CompareOp::Greater, 1, nothing);
    let scaled = program.binary(BinaryOp::Div, 0, 1);
    let scaled = program.choose(is_something, scaled, zero);
    program.output(scaled);
    let longest = part(lengths, 0..1, 0..1);
    let spec = rows.spec().clone();
    let scaled =
        program.run(&spec.shape.clone(), &[rows, lengths, &longest], vec![spec], rows.engine()).remove(0);
    own(&turned(&scaled))
}

/// Columns of length 1 at right angles, for those that almost are; what is zero becomes any such. The buffer
/// is written over.
fn at_right_angles(columns: &CubeTensor) -> CubeTensor {
    let frame = reflected(columns);
    binary(BinaryOp::Mul, frame, signs_of_diagonal(columns))
}

/// Rows `[.., k, n]` at right angles, the longest first. Elements are neither very large nor very small.
fn ordered_apart(x: CubeTensor) -> OrthogonalRows {
    let x = if x.is_contiguous() { x } else { own(&x) };
    if let Some(found) = small_turned_apart(&x) {
        return found;
    }
    let last = x.spec().shape.rank() - 1;
    let (longs, shorts) = turned_apart(x);
    let squares = unary(UnaryOp::Square, longs.clone());
    let squares = reduce(ReduceOp::Sum, &squares, &[last].into_iter().collect());
    let lengths = unary(UnaryOp::Sqrt, squares);
    let (lengths, places) = sort_with_indices(&lengths, last - 1, true, DType::I32);
    let columns = unit_columns(&rows_at(longs, places.clone()), &lengths);
    OrthogonalRows { lengths, columns, turned: rows_at(shorts, places) }
}

pub fn svd(x: &CubeTensor) -> CubeTensor {
    let spec = result_of(&Operation::Linalg(Linalg::Factorize { op: Factorization::Svd, x }));
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, x.engine());
    }
    let x = own(x);
    let [_, m, n] = sizes(&x);
    let (last, is_flat) = (spec.shape.rank() - 1, n > m);
    let largest = largest(&x);
    let unit = unit_of(&largest);
    let x = binary(BinaryOp::Div, x, unit.clone());
    let tall = if is_flat { turned(&x) } else { x };
    // Rows of a triangle need half of the sweeps where lengths differ much.
    let frame = (!is_one_launch(&turned(&tall))).then(|| {
        let triangle = own(&tall);
        (reflected(&triangle), part(&triangle, 0..m.min(n), 0..m.min(n)))
    });
    let rows = frame.as_ref().map_or(turned(&tall), |(_, rows)| rows.clone());
    let OrthogonalRows { lengths, columns, turned: rotations } = ordered_apart(rows);
    let (longs, shorts) = (at_right_angles(&columns), turned(&rotations));
    let (longs, shorts) = match frame {
        Some((frame, _)) => (by_kernel(&frame, &own(&shorts)), longs),
        None => (longs, shorts),
    };
    let (left, right) = if is_flat { (shorts, longs) } else { (longs, shorts) };
    let signs = turned(&upright(&turned(&left)));
    let values = binary(BinaryOp::Mul, turned(&lengths), unit);
    let [left, right] = [left, right].map(|x| binary(BinaryOp::Mul, x, signs.clone()));
    where_it_is(&is_finite(largest), &cat(&[left, values, right], last - 1), spec)
}

//! One step of a block over one run of elements.

use crate::binary::WithNumber;
use crate::copy::with_width;
use crate::simd::{Operand, Run, map};
use crate::strided::One;
use crate::{binary, cast, compare, mask, reduce, unary};
use burn_backend::{BinaryOp, DType, Operation, ReduceOp, Register, Scalar};
use core::slice;

/// Time of one element, in additions.
#[allow(clippy::wildcard_enum_match_arm)] // A block has no other operations.
pub fn cost(step: &Operation<Register>) -> usize {
    match step {
        Operation::Unary { op, .. } => unary::cost(*op),
        Operation::Binary { op, .. } | Operation::BinaryScalar { op, .. } => binary::cost(*op),
        Operation::Clamp { .. } => 2,
        Operation::Compare { .. }
        | Operation::CompareScalar { .. }
        | Operation::MaskWhere { .. }
        | Operation::MaskFill { .. }
        | Operation::Cast { .. }
        | Operation::Expand { .. }
        | Operation::Reduce { .. } => 1,
        other => unreachable!("{} in a block", other.name()),
    }
}

/// An elementwise step, whose operands, in their order, have elements of `dtype` but for masks. Writes elements of `to`.
///
/// # Safety
/// `out` may be written, and the operands read, for `len` elements; an operand is `out` or does not overlap with it.
#[allow(clippy::wildcard_enum_match_arm)] // A block has no other operations.
pub unsafe fn run(
    step: &Operation<Register>,
    (dtype, to): (DType, DType),
    out: *mut u8,
    [x, y, z]: [Operand; 3],
    len: usize,
) {
    let width = to.size();
    // SAFETY: by the contract.
    let one = |x: Operand| unsafe { Run::new(out, width, [x], len) };
    // SAFETY: by the contract.
    let two = |x: Operand, y: Operand| unsafe { Run::new(out, width, [x, y], len) };
    // SAFETY: by the contract.
    let three = |x: Operand, y: Operand, z: Operand| unsafe { Run::new(out, width, [x, y, z], len) };
    let with_scalar = |op: BinaryOp, x: Operand, scalar: Scalar| match WithNumber::new(op, dtype, scalar) {
        WithNumber::Unary(op) => unary::kernel(op, dtype, &one(x)),
        WithNumber::Binary(op, scalar) => binary::kernel(op, dtype, &two(x, scalar.operand())),
    };
    match step {
        Operation::Unary { op, .. } => unary::kernel(*op, dtype, &one(x)),
        Operation::Binary { op, .. } => binary::kernel(*op, dtype, &two(x, y)),
        Operation::BinaryScalar { op, rhs, .. } => with_scalar(*op, x, *rhs),
        Operation::Compare { op, .. } => compare::kernel(*op, dtype, &two(x, y)),
        Operation::CompareScalar { op, rhs, .. } => {
            let scalar = One::new(*rhs, dtype);
            compare::kernel(*op, dtype, &two(x, scalar.operand()));
        }
        Operation::Clamp { min, max, .. } => {
            let written = Operand { start: out.cast_const(), repeated: false, width };
            match (*min, *max) {
                (Some(min), Some(max)) => {
                    with_scalar(BinaryOp::Max, x, min);
                    with_scalar(BinaryOp::Min, written, max);
                }
                (Some(min), None) => with_scalar(BinaryOp::Max, x, min),
                (None, Some(max)) => with_scalar(BinaryOp::Min, x, max),
                (None, None) => copy(&one(x), width),
            }
        }
        Operation::MaskWhere { .. } => mask::kernel(to, &three(x, y, z)),
        Operation::MaskFill { value, .. } => {
            let value = One::new(*value, to);
            mask::kernel(to, &three(y, value.operand(), x));
        }
        Operation::Cast { .. } if dtype == to => copy(&one(x), width),
        Operation::Cast { .. } => cast::kernel(dtype, to, &one(x)),
        Operation::Expand { .. } => copy(&one(x), width),
        other => unreachable!("{} in a block", other.name()),
    }
}

fn copy(run: &Run<1>, width: usize) {
    with_width!(width, E => map(run, |x: E| x));
}

/// The reduction of each of `rows` rows of `columns` elements.
///
/// # Safety
/// `x` may be read for all of them, and `out` written for one element per row.
pub unsafe fn fold(op: ReduceOp, dtype: DType, x: *const u8, out: *mut u8, rows: usize, columns: usize) {
    macro_rules! fold {
        ($reduce:path) => {
            // SAFETY: by the contract; results and operands are different memory, aligned for their elements.
            unsafe {
                let xs = slice::from_raw_parts(x.cast(), rows * columns);
                $reduce(op, xs, slice::from_raw_parts_mut(out.cast(), rows));
            }
        };
    }
    match dtype {
        DType::F32 => fold!(reduce::reduce_rows_f32),
        DType::F64 => fold!(reduce::reduce_rows_f64),
        DType::F16
        | DType::BF16
        | DType::I64
        | DType::I32
        | DType::I16
        | DType::I8
        | DType::U64
        | DType::U32
        | DType::U16
        | DType::U8
        | DType::Bool => unreachable!("rows of {} in a block", dtype.name()),
    }
}

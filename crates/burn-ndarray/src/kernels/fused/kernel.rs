//! Kernel of one step of a block on a run of elements, selected once for all runs.

use crate::elements::strided::One;
use crate::kernels::binary;
use crate::kernels::binary::WithNumber;
use crate::kernels::cast;
use crate::kernels::compare;
use crate::kernels::copy::with_width;
use crate::kernels::mask;
use crate::kernels::reduce::{self, FlatOrder};
use crate::kernels::unary;
use crate::left_out::with_feature;
use crate::simd::{Operand, Run, map};
use burn_backend::{BinaryOp, BlockStep, CompareOp, DType, Elementwise, ReduceOp, Register, UnaryOp};
use core::slice;

#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Number(BinaryOp, One),
    Compare(CompareOp),
    CompareNumber(CompareOp, One),
    /// At least, at most.
    Clamp(Option<One>, Option<One>),
    Where,
    Fill(One),
    Cast,
    Copy,
    Fold(Fold),
}

/// A reduction of rows.
#[derive(Clone, Copy, Debug)]
pub struct Fold {
    pub op: ReduceOp,
    /// The order in which a row is folded.
    pub order: FlatOrder,
    /// Whether squares of the elements are folded.
    pub squares: bool,
}

impl Kernel {
    /// The kernel of a step whose operands, but for masks, have elements of `from`; rows are folded in this
    /// order.
    pub fn new(step: &BlockStep<Register>, from: DType, to: DType, order: FlatOrder) -> Self {
        match step {
            BlockStep::Elementwise(Elementwise::Unary { op, .. }) => Kernel::Unary(*op),
            BlockStep::Elementwise(Elementwise::Binary { op, .. }) => Kernel::Binary(*op),
            BlockStep::Elementwise(Elementwise::BinaryScalar { op, rhs, .. }) => {
                match WithNumber::new(*op, from, *rhs) {
                    WithNumber::Unary(op) => Kernel::Unary(op),
                    WithNumber::Binary(op, one) => Kernel::Number(op, one),
                }
            }
            BlockStep::Elementwise(Elementwise::Compare { op, .. }) => Kernel::Compare(*op),
            BlockStep::Elementwise(Elementwise::CompareScalar { op, rhs, .. }) => {
                Kernel::CompareNumber(*op, One::new(*rhs, from))
            }
            BlockStep::Elementwise(Elementwise::Clamp { min, max, .. }) => {
                Kernel::Clamp(min.map(|min| One::new(min, from)), max.map(|max| One::new(max, from)))
            }
            BlockStep::Elementwise(Elementwise::MaskWhere { .. }) => Kernel::Where,
            BlockStep::Elementwise(Elementwise::MaskFill { value, .. }) => Kernel::Fill(One::new(*value, to)),
            BlockStep::Elementwise(Elementwise::Cast { .. }) if from == to => Kernel::Copy,
            BlockStep::Elementwise(Elementwise::Cast { .. }) => Kernel::Cast,
            BlockStep::Expand { .. } => Kernel::Copy,
            BlockStep::Reduce { op, .. } => Kernel::Fold(Fold { op: *op, order, squares: false }),
        }
    }

    /// Time of one element, in additions.
    pub fn cost(&self) -> usize {
        match self {
            Kernel::Unary(op) => unary::cost(*op),
            Kernel::Binary(op) | Kernel::Number(op, _) => binary::cost(*op),
            Kernel::Clamp(..) => 2,
            Kernel::Compare(_)
            | Kernel::CompareNumber(..)
            | Kernel::Where
            | Kernel::Fill(_)
            | Kernel::Cast
            | Kernel::Copy
            | Kernel::Fold(..) => 1,
        }
    }

    /// An elementwise kernel over elements of `from`, which writes elements of `to`.
    ///
    /// # Safety
    /// `out` may be written, and the operands read, for `len` elements; an operand is `out` or does not
    /// overlap with it.
    #[inline]
    pub unsafe fn run(
        &self,
        (from, to): (DType, DType),
        out: *mut u8,
        [x, y, z]: [Operand; 3],
        (len, width): (usize, usize),
    ) {
        // SAFETY: by the contract.
        let one = |x: Operand| unsafe { Run::new(out, width, [x], len) };
        // SAFETY: by the contract.
        let two = |x: Operand, y: Operand| unsafe { Run::new(out, width, [x, y], len) };
        // SAFETY: by the contract.
        let three = |x: Operand, y: Operand, z: Operand| unsafe { Run::new(out, width, [x, y, z], len) };
        match self {
            Kernel::Unary(op) => unary::kernel(*op, from, &one(x)),
            Kernel::Binary(op) => binary::kernel(*op, from, &two(x, y)),
            Kernel::Number(op, number) => binary::kernel(*op, from, &two(x, number.operand())),
            Kernel::Compare(op) => compare::kernel(*op, from, &two(x, y)),
            Kernel::CompareNumber(op, number) => compare::kernel(*op, from, &two(x, number.operand())),
            Kernel::Clamp(min, max) => {
                let written = Operand { start: out.cast_const(), repeated: false, width };
                let mut from_here = x;
                for (op, bound) in [(BinaryOp::Max, min), (BinaryOp::Min, max)] {
                    if let Some(bound) = bound {
                        binary::kernel(op, from, &two(from_here, bound.operand()));
                        from_here = written;
                    }
                }
                if min.is_none() && max.is_none() {
                    copy(&one(x), width);
                }
            }
            Kernel::Where => mask::kernel(to, &three(x, y, z)),
            Kernel::Fill(value) => mask::kernel(to, &three(y, value.operand(), x)),
            Kernel::Cast => cast::kernel(from, to, &one(x)),
            Kernel::Copy => copy(&one(x), width),
            Kernel::Fold(Fold { op, .. }) => unreachable!("{} is no elementwise kernel", op.name()),
        }
    }
}

fn copy(run: &Run<1>, width: usize) {
    with_width!(width, E => map(run, |x: E| x));
}

/// The reduction of each of `rows` rows of `columns` elements.
///
/// # Safety
/// `x` may be read for all of them, and `out` written for one element per row.
pub unsafe fn fold(
    Fold { op, order, squares }: Fold,
    dtype: DType,
    x: *const u8,
    out: *mut u8,
    (rows, columns): (usize, usize),
) {
    macro_rules! fold {
        ($reduce:path) => {
            // SAFETY: by the contract; results and operands are different memory, aligned for their elements.
            unsafe {
                let xs = slice::from_raw_parts(x.cast(), rows * columns);
                $reduce(op, order, squares, xs, slice::from_raw_parts_mut(out.cast(), rows));
            }
        };
    }
    match dtype {
        DType::F32 => fold!(reduce::reduce_rows_f32),
        DType::F64 => with_feature!("dtypes", op.name(), fold!(reduce::reduce_rows_f64)),
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

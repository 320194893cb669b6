//! Partial results of reductions and scans, and what two of them give.

use crate::launch::element::{storage, widened};
use crate::launch::kernel::Body;
use burn_backend::{DType, ReduceOp};
use cubecl::prelude::*;

cubecl::define_scalar!(pub Partial);

/// Join of partial results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Join {
    op: ReduceOp,
    is_float: bool,
}

impl Join {
    pub const SUM: Join = Join { op: ReduceOp::Sum, is_float: true };
    pub const MAX: Join = Join { op: ReduceOp::Max, is_float: true };

    pub fn new(op: ReduceOp, dtype: DType) -> Self {
        Join { op, is_float: dtype.is_float() }
    }

    /// Returns whether an element may be joined twice (maximum, minimum); these have no identity element in
    /// every type.
    pub fn is_idempotent(self) -> bool {
        matches!(self.op, ReduceOp::Max | ReduceOp::Min)
    }

    pub fn is_sum(self) -> bool {
        matches!(self.op, ReduceOp::Sum | ReduceOp::Mean)
    }

    fn is_product(self) -> bool {
        self.op == ReduceOp::Prod
    }

    fn is_largest(self) -> bool {
        matches!(self.op, ReduceOp::Max | ReduceOp::Any)
    }

    fn is_smallest(self) -> bool {
        matches!(self.op, ReduceOp::Min | ReduceOp::All)
    }

    /// Returns the identity element of the operation, where an integer is one.
    pub fn neutral(self) -> i64 {
        i64::from(matches!(self.op, ReduceOp::Prod | ReduceOp::All))
    }
}

/// The dtype of partial results: halves are accumulated in `f32`, and integers wrapped when they are stored.
pub fn partial(dtype: DType) -> DType {
    widened(dtype)
}

/// Sets the type of [`Partial`].
pub fn name_partial(body: &mut Body, dtype: DType) {
    body.scope.register_type::<Partial>(storage(partial(dtype)));
}

/// Joins two values; NaN propagates, bools are words of 0 and 1.
#[cube]
pub fn join<T: Numeric>(x: T, y: T, #[comptime] how: Join) -> T {
    if comptime!(how.is_product()) {
        x * y
    } else if comptime!(how.is_largest()) {
        if comptime!(how.is_float) {
            select(crate::ops::math::is_not_a_number::<T>(x) || x > y, x, y)
        } else {
            select(x > y, x, y)
        }
    } else if comptime!(how.is_smallest()) {
        if comptime!(how.is_float) {
            select(crate::ops::math::is_not_a_number::<T>(x) || x < y, x, y)
        } else {
            select(x < y, x, y)
        }
    } else {
        x + y
    }
}

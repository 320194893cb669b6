//! Operations that compute each element from the elements at the same index.

use crate::OpErrorKind as Kind;
use crate::infer::layout;
use crate::infer::require::{Result, accepted, bools, broadcast, broadcast_shapes, numeric, one, same_dtype};
use crate::{
    BinaryOp, CompareOp, DType, Differentiability, FusionClass, HasSpec, OperationTraits, Outputs,
    PrecisionClass, Reason, Scalar, TensorSpec, UnaryOp,
};
use alloc::boxed::Box;
use alloc::format;
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Operation whose result elements each depend on the operand elements at the same index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Elementwise<T> {
    /// See [`UnaryOp`].
    Unary { op: UnaryOp, x: T },
    /// See [`BinaryOp`].
    Binary { op: BinaryOp, lhs: T, rhs: T },
    /// [`BinaryOp`] with a number on the right.
    BinaryScalar { op: BinaryOp, lhs: T, rhs: Scalar },
    /// See [`CompareOp`].
    Compare { op: CompareOp, lhs: T, rhs: T },
    /// [`CompareOp`] with a number on the right.
    CompareScalar { op: CompareOp, lhs: T, rhs: Scalar },
    /// `min(max(x, low), high)`; a bound that is absent does nothing. NaN stays NaN.
    Clamp { x: T, min: Option<Scalar>, max: Option<Scalar> },
    /// `on` where the mask is true, `off` elsewhere; all three broadcast.
    MaskWhere { mask: T, on: T, off: T },
    /// `value` where the mask is true, `x` elsewhere; the mask broadcasts to `x`.
    MaskFill { x: T, mask: T, value: Scalar },
    /// Cast to another element type, by the rules of [`Element::from_scalar`](crate::Element::from_scalar).
    Cast { x: T, dtype: DType },
}

impl<T> Elementwise<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Elementwise::Unary { op, .. } => op.name(),
            Elementwise::Binary { op, .. } | Elementwise::BinaryScalar { op, .. } => op.name(),
            Elementwise::Compare { op, .. } | Elementwise::CompareScalar { op, .. } => op.name(),
            Elementwise::Clamp { .. } => "clamp",
            Elementwise::MaskWhere { .. } => "mask_where",
            Elementwise::MaskFill { .. } => "mask_fill",
            Elementwise::Cast { .. } => "cast",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        let gradient = match self {
            Elementwise::Unary { op, .. } => of_unary(*op),
            Elementwise::Binary { op: BinaryOp::ReluGrad, .. } => {
                Differentiability::Partial(&[Some(Reason::Choice), None])
            }
            Elementwise::Binary { op, .. } | Elementwise::BinaryScalar { op, .. } => of_binary(*op),
            Elementwise::Compare { .. } | Elementwise::CompareScalar { .. } => {
                Differentiability::Constant(Reason::Truth)
            }
            Elementwise::Clamp { .. } => Differentiability::Full,
            Elementwise::MaskWhere { .. } => Differentiability::Partial(&[Some(Reason::Mask), None, None]),
            Elementwise::MaskFill { .. } => Differentiability::Partial(&[None, Some(Reason::Mask)]),
            Elementwise::Cast { dtype, .. } if dtype.is_float() => Differentiability::Full,
            Elementwise::Cast { dtype, .. } if dtype.is_int() => Differentiability::Constant(Reason::Whole),
            Elementwise::Cast { .. } => Differentiability::Constant(Reason::Truth),
        };
        let traits = OperationTraits::new(PrecisionClass::Neutral).fusion(FusionClass::Elementwise);
        traits.memory_bound().gradient(gradient)
    }
}

impl<T: HasSpec> Elementwise<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        one(match self {
            Elementwise::Unary { op, x } => accepted(|dtype| op.accepts(dtype), x.spec())?.clone(),
            Elementwise::Binary { op, lhs, rhs } => {
                accepted(|dtype| op.accepts(dtype), lhs.spec())?;
                broadcast(lhs.spec(), rhs.spec())?
            }
            Elementwise::BinaryScalar { op, lhs, .. } => {
                accepted(|dtype| op.accepts(dtype), lhs.spec())?.clone()
            }
            Elementwise::Compare { lhs, rhs, .. } => as_bool(broadcast(lhs.spec(), rhs.spec())?),
            Elementwise::CompareScalar { lhs, .. } => as_bool(lhs.spec().clone()),
            Elementwise::Clamp { x, .. } => numeric(x.spec())?.clone(),
            Elementwise::MaskWhere { mask, on, off } => mask_where(mask.spec(), on.spec(), off.spec())?,
            Elementwise::MaskFill { x, mask, .. } => {
                bools(mask.spec())?;
                layout::expand(mask.spec(), &x.spec().shape)?;
                x.spec().clone()
            }
            Elementwise::Cast { x, dtype } => TensorSpec { shape: x.shape(), dtype: *dtype },
        })
    }
}

fn of_unary(op: UnaryOp) -> Differentiability {
    if op == UnaryOp::Not { Differentiability::Constant(Reason::Truth) } else { Differentiability::Full }
}

fn of_binary(op: BinaryOp) -> Differentiability {
    use BinaryOp::*;
    match op {
        Add | Sub | Mul | Div | Remainder | Fmod | Pow | Atan2 | Hypot | Max | Min => Differentiability::Full,
        And | Or | Xor => Differentiability::Constant(Reason::Truth),
        ShiftLeft | ShiftRight => Differentiability::Constant(Reason::Whole),
        // With a number for the gradient.
        ReluGrad => Differentiability::Constant(Reason::Choice),
    }
}

fn as_bool(spec: TensorSpec) -> TensorSpec {
    TensorSpec { dtype: DType::Bool, ..spec }
}

#[allow(clippy::wildcard_enum_match_arm)] // Kinds of errors, no operations.
fn mask_where(mask: &TensorSpec, on: &TensorSpec, off: &TensorSpec) -> Result<TensorSpec> {
    bools(mask)?;
    same_dtype(on, off)?;
    let rank = mask.shape.rank().max(on.shape.rank()).max(off.shape.rank());
    // The message names all three shapes, not only the two that do not broadcast.
    let named = |kind: Box<Kind>, of: usize| match *kind {
        Kind::Broadcast { dim, .. } => {
            let shapes = format!("mask {:?}, on {:?} and off {:?}", mask.shape, on.shape, off.shape);
            let dim = dim + rank - of;
            let text = format!(
                "{shapes} do not broadcast: they differ at dimension {dim} (of the result), and are not 1"
            );
            Box::new(Kind::Argument(text.into()))
        }
        other => Box::new(other),
    };
    let values = broadcast_shapes(&on.shape, &off.shape)
        .map_err(|kind| named(kind, on.shape.rank().max(off.shape.rank())))?;
    let shape = broadcast_shapes(&mask.shape, &values).map_err(|kind| named(kind, rank))?;
    Ok(TensorSpec { shape, dtype: on.dtype })
}

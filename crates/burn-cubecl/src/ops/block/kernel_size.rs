//! How long the text of a kernel becomes that has steps for several elements.

use super::program::ProgramStep;
use burn_backend::{BinaryOp, UnaryOp};

/// Steps that the text of a kernel has at most, for all elements of a unit.
pub const LONGEST: usize = 2048;
/// Steps that a function counts for.
const FUNCTION: usize = 8;

/// The length for one element.
pub fn length(steps: &[ProgramStep]) -> usize {
    let is_short = |op: UnaryOp| {
        use UnaryOp::*;
        matches!(op, Neg | Abs | Sign | Square | Sqrt | Recip | Relu | Not | Floor | Ceil | Trunc)
    };
    let of = |step: &ProgramStep| match *step {
        ProgramStep::Unary { op, .. } if !is_short(op) => FUNCTION,
        ProgramStep::Binary { op: BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Hypot, .. } => FUNCTION,
        ProgramStep::Scalar { .. }
        | ProgramStep::Unary { .. }
        | ProgramStep::Binary { .. }
        | ProgramStep::Compare { .. } => 1,
        ProgramStep::Quotient { .. }
        | ProgramStep::Corrected { .. }
        | ProgramStep::Choose { .. }
        | ProgramStep::Cast { .. }
        | ProgramStep::Fold { .. } => 1,
    };
    steps.iter().map(of).sum()
}

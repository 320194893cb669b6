//! Differentiability of operations: to which operands gradients flow, and why to no other.

use core::fmt;

/// Differentiability of an operation: whether gradients flow through it, and to which operands. Only the
/// first of several results is tracked: the others are indices, or saved for the gradient rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differentiability {
    /// Gradients flow to every operand.
    Full,
    /// Gradients flow to each operand without a reason, in operand order.
    Partial(&'static [Option<Reason>]),
    /// No gradient flows: the result is untracked, and requesting its gradients is an error.
    Constant(Reason),
}

/// Reason why no gradient flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The result is boolean.
    Truth,
    /// The result is an index.
    Place,
    /// The result is a whole number.
    Whole,
    /// The operand is a boolean mask.
    Mask,
    /// The operand is a tensor of indices.
    Places,
    /// The operand follows from others.
    Result,
    /// The operand decides only where the gradient goes.
    Choice,
    /// The operand is a quantized number, or what moves it.
    Packed,
    /// The program detached the tensor.
    Detached,
}

impl Reason {
    /// Returns the reason in words: `"the result is boolean"`.
    pub const fn text(self) -> &'static str {
        match self {
            Reason::Truth => "the result is boolean",
            Reason::Place => "the result is an index",
            Reason::Whole => "the result is a whole number",
            Reason::Mask => "a mask is boolean",
            Reason::Places => "an index has no slope",
            Reason::Choice => "it only chooses where the gradient goes",
            Reason::Result => "it follows from the other operands",
            Reason::Packed => "a quantized number has no slope",
            Reason::Detached => "the program detached the tensor",
        }
    }
}

impl Differentiability {
    /// Returns whether gradients flow to any operand.
    pub fn is_differentiable(self) -> bool {
        !matches!(self, Differentiability::Constant(_))
    }

    /// Returns why no gradient flows to the operand in this position; `None` where one does.
    pub fn operand(self, position: usize) -> Option<Reason> {
        match self {
            Differentiability::Full => None,
            Differentiability::Partial(operands) => operands.get(position).copied().flatten(),
            Differentiability::Constant(reason) => Some(reason),
        }
    }
}

impl fmt::Display for Differentiability {
    /// In words: `to every operand but the 2nd (an index has no slope)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Differentiability::Full => f.write_str("to every operand"),
            Differentiability::Constant(reason) => write!(f, "none: {}", reason.text()),
            Differentiability::Partial(operands) => {
                f.write_str("to every operand")?;
                let ended = operands.iter().zip(["1st", "2nd", "3rd", "4th", "5th", "6th", "7th"]);
                let ended = ended.filter_map(|(reason, position)| Some((reason.as_ref()?, position)));
                for (count, (reason, position)) in ended.enumerate() {
                    let word = if count == 0 { "but" } else { "and" };
                    write!(f, " {word} the {position} ({})", reason.text())?;
                }
                Ok(())
            }
        }
    }
}

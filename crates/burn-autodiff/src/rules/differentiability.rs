use super::{Saves, saves};
use burn_backend::{BinaryOp, Operation, PoolKind};
use core::fmt;

/// Differentiability of an operation: whether gradients flow through it, and to which operands.
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
    /// The result is a truth value.
    Truth,
    /// The result is a place.
    Place,
    /// The result is a whole number.
    Whole,
    /// The operand is a truth value that chooses.
    Mask,
    /// The operand is a list of places.
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
    /// Returns the reason in words: `"the result is a truth value"`.
    pub const fn text(self) -> &'static str {
        match self {
            Reason::Truth => "the result is a truth value",
            Reason::Place => "the result is an index",
            Reason::Whole => "the result is a whole number",
            Reason::Mask => "a mask is a truth value",
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

const ON_AND_OFF: Differentiability = Differentiability::Partial(&[Some(Reason::Mask), None, None]);
const NOT_MASK: Differentiability = Differentiability::Partial(&[None, Some(Reason::Mask)]);
const NOT_PLACES: Differentiability = Differentiability::Partial(&[None, Some(Reason::Places)]);
const WRITTEN: Differentiability = Differentiability::Partial(&[None, Some(Reason::Places), None]);
const NOT_RESULTS: Differentiability =
    Differentiability::Partial(&[None, None, None, None, Some(Reason::Result), Some(Reason::Result), None]);
const RIGHT: Differentiability = Differentiability::Partial(&[Some(Reason::Choice), None]);
const NOT_CHOICE: Differentiability = Differentiability::Partial(&[None, Some(Reason::Choice)]);
const NOT_WORDS: Differentiability =
    Differentiability::Partial(&[Some(Reason::Packed), None, Some(Reason::Packed)]);
const LEFT_AND_SCALE: Differentiability =
    Differentiability::Partial(&[None, Some(Reason::Packed), None, Some(Reason::Packed)]);

/// Returns whether gradients flow through `op`. Only the first of several results is tracked: the others are
/// indices, or saved for the gradient rule.
///
/// ```
/// use burn::backend::autodiff::{Differentiability, Reason, differentiability};
/// use burn::tensor::DType;
/// use burn::tensor::ops::Operation;
///
/// let to_bool = differentiability(&Operation::Cast { x: (), dtype: DType::Bool });
/// assert_eq!(to_bool, Differentiability::Constant(Reason::Truth));
/// let gather = differentiability(&Operation::Gather { x: (), dim: 0, indices: () });
/// assert_eq!((gather.operand(0), gather.operand(1)), (None, Some(Reason::Places)));
/// ```
pub fn differentiability<T>(op: &Operation<T>) -> Differentiability {
    use Operation::*;
    if let Saves::Constant(reason) = saves(op) {
        return Differentiability::Constant(reason);
    }
    match op {
        MaskWhere { .. } => ON_AND_OFF,
        MaskFill { .. } => NOT_MASK,
        Gather { .. } | Select { .. } => NOT_PLACES,
        Scatter { .. } | SelectAssign { .. } => WRITTEN,
        PoolGrad(args) => match args.kind {
            PoolKind::Max => NOT_CHOICE,
            PoolKind::Avg { .. } => Differentiability::Full,
        },
        Binary { op: BinaryOp::ReluGrad, .. } => RIGHT,
        Unary { .. } | Binary { .. } | BinaryScalar { .. } | Compare { .. } | CompareScalar { .. } => {
            Differentiability::Full
        }
        Clamp { .. } | Cast { .. } | Reshape { .. } | Permute { .. } | Expand { .. } | Flip { .. } => {
            Differentiability::Full
        }
        Slice { .. } | SliceAssign { .. } | Cat { .. } | RepeatDim { .. } => Differentiability::Full,
        Reduce { .. } | ArgReduce { .. } | ReduceWithIndices { .. } | Cumulative { .. } => {
            Differentiability::Full
        }
        Sort { .. } | SortWithIndices { .. } | TopK { .. } => Differentiability::Full,
        Factorize { .. } | Lu { .. } | Solve { .. } | SolveTriangular { .. } => Differentiability::Full,
        Fft { .. } => Differentiability::Full,
        Matmul { .. } | Conv(_) | ConvTranspose(_) | ConvWeightGrad(_) => Differentiability::Full,
        Pool(_) | MaxPoolWithIndices { .. } => Differentiability::Full,
        AdaptiveAvgPool { .. } | AdaptiveAvgPoolGrad { .. } => Differentiability::Full,
        Interpolate { .. } | InterpolateGrad { .. } => Differentiability::Full,
        Softmax { .. } | LogSoftmax { .. } | LayerNorm(_) | LayerNormGrad(_) => Differentiability::Full,
        Attention(_) => Differentiability::Full,
        AttentionGrad(_) => NOT_RESULTS,
        Dequantize(_) => NOT_WORDS,
        QuantizedMatmul(_) => LEFT_AND_SCALE,
        Quantize(_) | IntegerMatmul(_) | Recurrent(_) => Differentiability::Full,
        RecurrentGrad(args) => super::recurrent::grad_differentiability(args.kind),
    }
}

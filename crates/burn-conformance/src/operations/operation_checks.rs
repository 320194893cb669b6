//! The form of the checks of an operation, and operands and dtypes that checks sweep over.

use crate::array::Array;
use crate::expected::Expected;
use crate::fuzz::{Calls, Random};
use crate::gradient::call::{ClosedForm, GradientCall};
use crate::input::{Input, MemoryLayout};
use crate::subject::Report;
use crate::tolerance::Tolerance;
use crate::{Case, Subject};
use burn_backend::*;

/// A call of which only the shapes and dtypes of the operands are known.
pub type Op = Operation<TensorSpec>;

/// Checks of one operation, which is one [`Family`](crate::Family) of the suite.
pub trait OperationChecks {
    /// Emits the calls that every backend is checked with: variants, dtypes, layouts and values, swept.
    fn cases(&self, emit: Emit<'_>);

    /// Returns calls whose operands of `dtype` are about a mebibyte large; some may be invalid.
    fn large(&self, dtype: DType) -> Vec<Op>;

    /// Returns one or more calls of every variant in `f64`, for checks of gradients.
    fn gradients(&self) -> Vec<GradientCall>;

    /// Draws a call that is often valid.
    fn random(&self, calls: &mut Calls<'_>) -> Op;

    /// Returns calls at ties, corners and zeros, whose gradients are a matter of definition.
    fn closed_forms(&self) -> Vec<ClosedForm> {
        Vec::new()
    }

    /// Draws valid calls of an operation that folds, orders or normalizes one operand, for comparisons of the
    /// operand's layouts in memory; none of other operations.
    fn folding(&self, _random: &mut Random, _x: &TensorSpec) -> Vec<Op> {
        Vec::new()
    }

    /// Runs checks that are no single call.
    fn special(&self, _subject: &Subject, _report: &mut Report<'_>) {}

    /// Returns the text after the name in the support table, where operations share a name.
    fn qualifier(&self) -> &'static str {
        ""
    }
}

/// Takes cases one after the other; they are not all in memory at once.
pub type Emit<'a> = &'a mut dyn FnMut(Case);

/// Larger than a block of vector instructions or of work for one thread, and no multiple of either.
pub const LARGE: usize = 70_001;

/// Element types of the large calls of functions that share what walks over the elements.
pub const FEW_DTYPES: [DType; 3] = [DType::F32, DType::BF16, DType::U8];

/// Whether a call gets [`LARGE`] operands: every variant once, and the first of them in a dtype of each kind
/// and width of arithmetic.
pub fn is_large<O: PartialEq>(op: O, all: impl IntoIterator<Item = O>, dtype: DType) -> bool {
    let first = all.into_iter().next() == Some(op);
    dtype == DType::F32
        || (first && [DType::F64, DType::BF16, DType::I32, DType::U8, DType::Bool].contains(&dtype))
}

pub fn moved_two((values, indices): (Array, Array)) -> Outputs<Expected> {
    let expected = |array| Expected { array, tolerance: Tolerance::Rounded };
    (expected(values), expected(indices)).into()
}

/// One operand in every layout and rank that matters, with ordinary values.
pub fn operands(dtype: DType) -> Vec<(String, Input)> {
    let shapes: [(&str, Shape); 6] = [
        ("rank 0", Shape::new([])),
        ("one element", Shape::new([1])),
        ("empty", Shape::new([2, 0, 3])),
        ("a list", Shape::new([37])),
        ("a matrix", Shape::new([5, 9])),
        ("rank 4", Shape::new([2, 3, 4, 5])),
    ];
    let mut operands = Vec::new();
    for (name, shape) in shapes {
        let layouts: &[MemoryLayout] = if shape.num_elements() == 1 {
            &[MemoryLayout::Contiguous, MemoryLayout::Offset]
        } else {
            &MemoryLayout::ALL
        };
        for &layout in layouts {
            let input = crate::input::ordinary(shape.clone(), dtype).laid_out(layout);
            operands.push((format!("{name}, {layout:?}"), input));
        }
    }
    operands
}

pub fn floats() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| dtype.is_float())
}

pub fn numbers() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|&dtype| dtype != DType::Bool)
}

pub fn ints() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| dtype.is_int())
}

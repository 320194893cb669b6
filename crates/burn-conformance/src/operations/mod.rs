//! Checks of every operation: the calls that backends run, the definition that results are compared with, and
//! calls for gradients, for random programs and for measurements of memory. One file holds all of that for
//! operations that belong together.
//!
//! The definitions are naive loops over numbers in full precision. They stand on
//! [`UnaryOp::eval_f64`](burn_backend::UnaryOp::eval_f64) and its like. A slip in one of them shows as a
//! failure of the minimal backend and of `NdArray` alike, which were written apart from it.

pub mod attention;
pub mod block_format;
pub mod compare;
pub mod conv;
pub mod elementwise;
pub mod fft;
pub mod index;
pub mod interpolate;
pub mod layout;
pub mod linalg;
mod list;
pub mod mask;
pub mod matmul;
pub mod norm;
pub mod order;
pub mod pool;
pub mod quantization;
pub mod quantized_product;
pub mod recurrent;
pub mod reduce;
pub mod softmax;

use crate::array::{Array, broadcast, indices, replace};
pub(crate) use crate::fuzz::Calls;
use crate::fuzz::Random;
use crate::gradient::call::{Call, F, bool_values, call, constant, index_values, positive, signed};
use crate::input::{Input, MemoryLayout, given, list, ordinary, repetitive, spread};
use crate::large::{COLS, ROWS, half_of_rows, matrix, spec};
use crate::number::{self, Number};
use crate::tolerance::{self, Tolerance};
use crate::values::classes;
use crate::{Case, Family};
use burn_backend::*;

/// A call of which only the shapes and dtypes of the operands are known.
pub type Op = Operation<TensorSpec>;

/// Checks of one operation, which is one [`Family`] of the suite.
pub trait OperationChecks {
    /// Emits the calls that every backend is checked with: variants, dtypes, layouts and values, swept.
    fn cases(&self, emit: Emit<'_>);

    /// Returns calls whose operands of `dtype` are about a mebibyte large; some may be invalid.
    fn large(&self, dtype: DType) -> Vec<Op>;

    /// Returns one or more calls of every variant in `f64`, for checks of gradients.
    fn gradients(&self) -> Vec<Call>;

    /// Draws a call that is often valid.
    fn random(&self, calls: &mut Calls<'_>) -> Op;
}

/// Takes cases one after the other; they are not all in memory at once.
pub type Emit<'a> = &'a mut dyn FnMut(Case);

/// Larger than a block of vector instructions or of work for one thread, and no multiple of either.
const LARGE: usize = 70_001;

/// Whether a call gets [`LARGE`] operands: every variant once, and the first of them in a dtype of each kind
/// and width of arithmetic.
fn is_large<O: PartialEq>(op: O, all: impl IntoIterator<Item = O>, dtype: DType) -> bool {
    let first = all.into_iter().next() == Some(op);
    dtype == DType::F32
        || (first && [DType::F64, DType::BF16, DType::I32, DType::U8, DType::Bool].contains(&dtype))
}

/// A result by definition, and how far a backend may be from it.
#[derive(Clone, Debug)]
pub struct Expected {
    pub array: Array,
    pub tolerance: Tolerance,
}

impl Expected {
    /// Moved, not computed: every bit counts.
    pub(crate) fn moved(array: Array) -> Outputs<Expected> {
        Expected { array, tolerance: Tolerance::Rounded }.into()
    }
}

/// Returns the results of `op`, which has been checked, by its definition.
pub fn evaluate(op: &Operation<Array>) -> Outputs<Expected> {
    match op {
        Operation::Elementwise(op) => elementwise::evaluate(op),
        Operation::Layout(op) => layout::evaluate(op),
        Operation::Reduction(op) => reduce::evaluate(op),
        Operation::Order(op) => order::evaluate(op),
        Operation::Index(op) => index::evaluate(op),
        Operation::Linalg(op) => linalg::evaluate(op),
        Operation::Convolution(op) => conv::evaluate(op),
        Operation::Pooling(op) => pool::evaluate(op),
        Operation::Resize(op) => interpolate::evaluate(op),
        Operation::Spectral(op) => fft::evaluate(op),
        Operation::Normalization(op) => norm::evaluate(op),
        Operation::Attention(op) => attention::evaluate(op),
        Operation::Quantized(op) => quantization::evaluate(op),
        Operation::Recurrent(op) => recurrent::evaluate(op),
    }
}

fn moved_two((values, indices): (Array, Array)) -> Outputs<Expected> {
    let expected = |array| Expected { array, tolerance: Tolerance::Rounded };
    (expected(values), expected(indices)).into()
}

/// Emits every case of `family`; those that are no operation have tests of their own.
pub fn each(family: Family, emit: Emit<'_>) {
    if let Some(checks) = family.checks() {
        checks.cases(emit);
    }
}

/// One operand in every layout and rank that matters, with ordinary values.
fn operands(dtype: DType) -> Vec<(String, Input)> {
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

fn floats() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| dtype.is_float())
}

fn numbers() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|&dtype| dtype != DType::Bool)
}

fn ints() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| dtype.is_int())
}

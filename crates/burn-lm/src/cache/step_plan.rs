use super::SequenceId;
use crate::model::RotaryRows;
use burn_core::tensor::{Backend, Bool, Tensor};
use std::ops::Range;

/// Neighbouring positions of the memory: first one and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub start: usize,
    pub count: usize,
}

/// Cache positions that one call of the model writes and reads; the same for all layers.
#[derive(Debug)]
pub struct StepPlan<B: Backend> {
    pub segments: Vec<Segment<B>>,
    /// Where the keys and values of all rows are written.
    pub written: RowPositions<B>,
    /// Rotations of layers without and with a sliding window.
    pub rotary: [Option<RotaryRows<B>>; 2],
}

/// Positions of rows in the memory.
#[derive(Debug)]
pub enum RowPositions<B: Backend> {
    /// Neighbours from this one on.
    From(usize),
    /// One for each row: a list of integers.
    Listed(B::Tensor),
}

/// The rows of one sequence in a call.
#[derive(Debug)]
pub struct Segment<B: Backend> {
    pub sequence: SequenceId,
    /// Its rows among those of the call.
    pub rows: Range<usize>,
    /// The position of its first row in the sequence.
    pub start: usize,
    /// Keys that layers without a sliding window read.
    pub global: Visible<B>,
    /// Keys that layers with a sliding window read.
    pub window: Visible<B>,
}

/// Keys that the rows of a sequence attend to.
#[derive(Clone, Debug)]
pub struct Visible<B: Backend> {
    pub runs: Vec<Run>,
    /// The queries that attend to no key of a run, for each run.
    pub blind: Vec<Option<Tensor<B, 3, Bool>>>,
    /// True where a key is hidden from a query.
    pub mask: Option<Tensor<B, 4, Bool>>,
    /// Whether query `i` attends to keys `0..=i` only.
    pub causal: bool,
}

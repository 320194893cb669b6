//! Notes of a run while it is recorded.

use burn_backend::dynamic::DynamicTensor;
use burn_backend::{Creation, HasSpec, Operation, Outputs, TensorData, TensorSpec};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Step of a recorded run. Tensors have numbers: first those that are given, then those that steps make.
#[derive(Clone, Debug)]
pub(super) enum Noted {
    /// An operation, and the specs of its results.
    Call(Operation<usize>, Vec<TensorSpec>),
    /// A tensor is created: of random elements, or larger than constants are kept.
    Create(Creation),
    /// A tensor that is the same in every run.
    Constant(DynamicTensor),
    /// Every index must be below a size.
    Check { indices: usize, size: usize },
    /// The elements of a tensor decide which steps follow.
    Read { tensor: usize, data: TensorData },
}

/// How an operation relates to indices.
#[derive(Clone, Copy, Debug)]
pub(super) enum IndexUse {
    /// It takes elements at the indices of this number, which must be below a size.
    Indices {
        number: usize,
        size: usize,
    },
    /// Its result has the elements of the tensor of this number.
    Reshape {
        number: usize,
    },
    None,
}

/// Steps of one run from its start to its outputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// Number of tensors that are given.
    pub(super) given: usize,
    pub(super) steps: Vec<Noted>,
    /// Numbers of the outputs.
    pub(super) outputs: Vec<usize>,
}

/// The most steps that are noted.
pub(super) const MOST_STEPS: usize = 1 << 16;

/// The most bytes of a result of constants that is kept; a larger one is computed by each run.
const MOST_CONSTANT_BYTES: usize = 1 << 20;

/// The most bytes of all constants that a run makes, and that are kept for later ones.
const MOST_KEPT_BYTES: usize = 1 << 24;

/// The most bytes of elements that decide which steps follow.
const MOST_READ_BYTES: usize = 1 << 12;

/// Notes of a run, shared by its tensors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<Content>>);

#[derive(Debug, Default)]
struct Content {
    steps: Vec<Noted>,
    /// For each tensor, whether it is the same in every run.
    is_constant: Vec<bool>,
    /// Bytes of the constants that were made.
    kept: usize,
    /// Indices that were read, so that the next operation at these indices is checked in every run.
    unchecked: Option<usize>,
    is_refused: bool,
}

impl Content {
    /// Adds a step. Where they are too many, as those of a loop that runs long, there are no notes.
    fn push(&mut self, step: Noted) {
        if self.steps.len() >= MOST_STEPS {
            self.refuse();
        }
        if !self.is_refused {
            self.steps.push(step);
        }
    }

    fn refuse(&mut self) {
        self.is_refused = true;
        self.steps = Vec::new();
    }

    /// Whether a tensor of so many bytes, made of constants, is kept: then they count.
    fn keep(&mut self, bytes: usize) -> bool {
        let is_kept = bytes <= MOST_CONSTANT_BYTES && self.kept + bytes <= MOST_KEPT_BYTES;
        self.kept += if is_kept { bytes } else { 0 };
        is_kept
    }

    fn number(&mut self, is_constant: bool) -> usize {
        self.is_constant.push(is_constant);
        self.is_constant.len() - 1
    }

    /// Refuses a run in which a tensor was read for another reason than a check of indices.
    fn finish_check(&mut self) {
        if self.unchecked.take().is_some() {
            self.refuse();
        }
    }

    /// Relates an operation to the indices that were read before it.
    fn check_indices(&mut self, index_use: IndexUse) {
        let Some(read) = self.unchecked else { return };
        match index_use {
            IndexUse::Indices { number, size } if number == read => {
                self.unchecked = None;
                self.push(Noted::Check { indices: number, size });
            }
            // The result has the next number.
            IndexUse::Reshape { number } if number == read => self.unchecked = Some(self.is_constant.len()),
            IndexUse::Indices { .. } | IndexUse::Reshape { .. } | IndexUse::None => self.finish_check(),
        }
    }
}

impl Notes {
    fn content(&self) -> MutexGuard<'_, Content> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of a tensor that is given.
    pub(super) fn given(&self) -> usize {
        self.content().number(false)
    }

    /// Notes a tensor that is the same in every run, and returns its number.
    pub(super) fn constant(&self, tensor: DynamicTensor) -> usize {
        let mut content = self.content();
        content.finish_check();
        content.push(Noted::Constant(tensor));
        content.number(true)
    }

    /// Notes a call and gives its results their numbers. A call of constants alone makes constants.
    pub(super) fn call(
        &self,
        call: Operation<usize>,
        index_use: IndexUse,
        results: Outputs<DynamicTensor>,
    ) -> Outputs<(DynamicTensor, usize)> {
        let mut content = self.content();
        content.check_indices(index_use);
        let mut specs = Vec::new();
        results.visit(|tensor| specs.push(tensor.spec().clone()));
        let size = specs.iter().map(bytes).sum();
        let mut is_constant = true;
        call.visit(|&number| is_constant &= content.is_constant[number]);
        is_constant = is_constant && content.keep(size);
        if is_constant {
            results.visit(|tensor| content.push(Noted::Constant(tensor.clone())));
        } else {
            content.push(Noted::Call(call, specs));
        }
        results.map(|tensor| (tensor, content.number(is_constant)))
    }

    /// Notes the creation of a tensor, and returns its number.
    pub(super) fn creation(&self, creation: Creation, tensor: &DynamicTensor) -> usize {
        let mut content = self.content();
        content.finish_check();
        let is_random = matches!(creation, Creation::Random { .. });
        let is_constant = !is_random && content.keep(bytes(tensor.spec()));
        content.push(if is_constant { Noted::Constant(tensor.clone()) } else { Noted::Create(creation) });
        content.number(is_constant)
    }

    /// Notes elements that decide what follows.
    pub(super) fn read(&self, tensor: usize, data: &TensorData) {
        let mut content = self.content();
        content.finish_check();
        if content.is_constant[tensor] {
            return;
        }
        if data.as_bytes().len() > MOST_READ_BYTES {
            content.refuse();
        }
        content.push(Noted::Read { tensor, data: data.clone() });
    }

    /// Notes that a tensor is read by who says nothing of the reason: it may check indices.
    pub(super) fn read_for_check(&self, tensor: usize) {
        let mut content = self.content();
        content.finish_check();
        if !content.is_constant[tensor] {
            content.unchecked = Some(tensor);
        }
    }

    /// Notes that the steps alone are not the run.
    pub(super) fn refuse(&self) {
        self.content().refuse();
    }

    /// Returns the steps that compute the outputs of these numbers, if they are the whole run.
    pub(super) fn finish(&self, given: usize, outputs: Vec<usize>) -> Option<Path> {
        let mut content = self.content();
        content.finish_check();
        let steps = std::mem::take(&mut content.steps);
        (!content.is_refused).then_some(Path { given, steps, outputs })
    }
}

fn bytes(spec: &TensorSpec) -> usize {
    spec.shape.num_elements().saturating_mul(spec.dtype.size())
}

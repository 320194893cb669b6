//! A call without its tensors. What is asked of it does not depend on the backend, and is compiled here and
//! not by every program.

use crate::AutodiffTensor;
use crate::checkpoint::{Recipe, SavedTensor};
use crate::rules::{self, Operand, Saves};
use crate::stop_reason::{Ended, EndedRef};
use alloc::sync::Arc;
use alloc::vec::Vec;
use burn_backend::dynamic::Dynamic;
use burn_backend::{Differentiability, Operation};

/// The number of an operand.
type OperandIndex = usize;

/// Operation whose operands are replaced by their positions.
pub struct Template(Operation<OperandIndex>);

impl Template {
    /// Returns the call without operands, and its operands in order.
    pub fn new<T>(op: &Operation<T>) -> (Self, Vec<&T>) {
        let mut operands = Vec::new();
        let op = op.map_ref(|x| {
            operands.push(x);
            operands.len() - 1
        });
        (Template(op), operands)
    }

    pub fn operation(&self) -> &Operation<OperandIndex> {
        &self.0
    }

    /// Returns the values that the gradient rule saves, or the reason why no gradient flows through the
    /// operation.
    #[inline(never)]
    pub fn saves(&self) -> Result<Saves, EndedRef> {
        if let Differentiability::Constant(reason) = self.0.traits().differentiability {
            return Err(Ended::at(self.0.name(), reason));
        }
        Ok(rules::saves(&self.0))
    }

    /// Returns the recipe that recomputes the result, where that costs less than keeping it.
    #[inline(never)]
    pub fn recipe(&self, source: &mut dyn FnMut(OperandIndex) -> SavedTensor) -> Option<Arc<Recipe>> {
        let recompute = self.0.traits().is_memory_bound;
        recompute.then(|| Recipe::new(self.0.map_ref(|&at| source(at)))).flatten().map(Arc::new)
    }

    /// Returns the call with other operands, in order.
    #[inline(never)]
    pub fn of(self, operands: Vec<AutodiffTensor<Dynamic>>) -> Operation<AutodiffTensor<Dynamic>> {
        let mut operands = operands.into_iter();
        self.0.map(|_| operands.next().expect("one for each place"))
    }

    /// Returns the call with the operands that `operand` returns.
    #[inline(never)]
    pub fn with(self, operand: &mut dyn FnMut(OperandIndex) -> Operand) -> Operation<Operand> {
        self.0.map(operand)
    }
}

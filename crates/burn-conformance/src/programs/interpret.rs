use super::Program;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend, HasSpec, Outputs, TensorSpec, output_specs};

/// Lifetime of tensors in an interpreted program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registers {
    /// Tensors are kept until the end: operands are always shared.
    Kept,
    /// The last use consumes a tensor, and may write into it.
    Moved,
}

impl Program {
    pub(super) fn upload(&self, device: &DynamicDevice) -> Vec<DynamicTensor> {
        self.leaves.iter().map(|leaf| Dynamic::from_data(leaf.to_data(), device)).collect()
    }

    /// The results of all calls, or of those that no other call uses.
    pub(super) fn interpret(
        &self,
        leaves: Vec<DynamicTensor>,
        registers: Registers,
    ) -> Result<Vec<Option<DynamicTensor>>, String> {
        let mut uses = self.uses();
        let mut tensors: Vec<Option<DynamicTensor>> = leaves.into_iter().map(Some).collect();
        for (number, call) in self.calls.iter().enumerate() {
            let op = call.map_ref(|&operand| {
                uses[operand] -= 1;
                let tensor = &mut tensors[operand];
                let last = registers == Registers::Moved && uses[operand] == 0;
                let tensor = if last { tensor.take() } else { tensor.clone() };
                tensor.expect("a tensor stays until its last use")
            });
            let who = |error: &dyn std::fmt::Display| format!("call {number}, {}: {error}", call.name());
            let inferred = output_specs(&op).map_err(|error| who(&error))?;
            let results = Dynamic::execute(op);
            let found = results.map_ref(|result| result.spec().clone());
            if found != inferred {
                return Err(who(&differs(&found, &inferred)));
            }
            results.map(|result| tensors.push(Some(result)));
        }
        Ok(tensors.split_off(self.leaves.len()))
    }
}

fn differs(found: &Outputs<TensorSpec>, inferred: &Outputs<TensorSpec>) -> String {
    format!("the result says it is {found:?}, but should be {inferred:?}")
}

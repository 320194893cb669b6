//! A program again, on any backend.

use crate::{Program, ReplayError, Step, Value};
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend, HasSpec, TensorSpec, block_on, kernel_error, output_specs};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Program {
    /// Runs the program with these inputs on `device` of `B`, and returns the outputs. Tensors are moved into
    /// their last use, so they can be written in place; gradients flow where `B` tracks them.
    ///
    /// # Errors
    /// When inputs are not what the program was recorded with, or the backend fails.
    pub fn replay<B: Backend>(
        &self,
        inputs: Vec<B::Tensor>,
        device: &B::Device,
    ) -> Result<Vec<B::Tensor>, ReplayError> {
        let inputs = inputs.into_iter().map(DynamicTensor::new::<B>).collect();
        let outputs = self.replay_on(inputs, &DynamicDevice::new::<B>(device.clone()))?;
        Ok(outputs.into_iter().map(DynamicTensor::into_inner::<B>).collect())
    }

    /// [`Program::replay`] on a backend that is chosen at run time.
    ///
    /// # Errors
    /// As [`Program::replay`].
    pub fn replay_on(
        &self,
        inputs: Vec<DynamicTensor>,
        device: &DynamicDevice,
    ) -> Result<Vec<DynamicTensor>, ReplayError> {
        block_on(self.replay_async(inputs, device)).unwrap_or(Err(ReplayError::Pending))
    }

    /// [`Program::replay_on`], where a thread cannot wait. Only `argwhere` waits.
    ///
    /// # Errors
    /// As [`Program::replay`].
    pub async fn replay_async(
        &self,
        inputs: Vec<DynamicTensor>,
        device: &DynamicDevice,
    ) -> Result<Vec<DynamicTensor>, ReplayError> {
        self.check_inputs(&inputs)?;
        let mut registers = Registers::new(self, inputs);
        for (number, step) in self.steps().iter().enumerate() {
            match step {
                Step::Create(creation) => {
                    let made = guarded(number, step, || Dynamic::create(creation.clone(), device))?;
                    registers.put(made);
                }
                Step::Call(op) => {
                    let op = op.map_ref(|value| registers.take(*value));
                    output_specs(&op).map_err(|error| ReplayError::Call { step: number, error })?;
                    guarded(number, step, || Dynamic::execute(op))?.map(|x| registers.put(x));
                }
                Step::ArgWhere { mask, index, .. } => {
                    let found = Dynamic::argwhere(registers.take(*mask), *index).await;
                    registers.put(found.map_err(|error| ReplayError::Device { step: number, error })?);
                }
            }
        }
        Ok(self.outputs().iter().map(|output| registers.take(output.value)).collect())
    }

    fn check_inputs(&self, found: &[DynamicTensor]) -> Result<(), ReplayError> {
        if found.len() != self.inputs().len() {
            return Err(ReplayError::Inputs { expected: self.inputs().len(), found: found.len() });
        }
        let mut pairs = self.inputs().iter().zip(found);
        let differs = |expected: &TensorSpec, found: &DynamicTensor| expected != found.spec();
        match pairs.find(|(input, found)| differs(&input.spec, found)) {
            None => Ok(()),
            Some((input, found)) => {
                Err(ReplayError::Input { expected: input.clone(), found: found.spec().clone() })
            }
        }
    }
}

/// Values until their last use.
struct Registers {
    tensors: Vec<Option<DynamicTensor>>,
    uses: Vec<u32>,
}

impl Registers {
    fn new(program: &Program, inputs: Vec<DynamicTensor>) -> Self {
        let mut uses = vec![0; program.values()];
        program.steps().iter().for_each(|step| step.visit(|value| uses[value.index()] += 1));
        program.outputs().iter().for_each(|output| uses[output.value.index()] += 1);
        let mut registers = Registers { tensors: Vec::with_capacity(uses.len()), uses };
        inputs.into_iter().for_each(|input| registers.put(input));
        registers
    }

    /// Stores the next value; an unused one is dropped.
    fn put(&mut self, x: DynamicTensor) {
        let used = self.uses[self.tensors.len()] > 0;
        self.tensors.push(used.then_some(x));
    }

    fn take(&mut self, value: Value) -> DynamicTensor {
        let at = value.index();
        self.uses[at] -= 1;
        let x = if self.uses[at] == 0 { self.tensors[at].take() } else { self.tensors[at].clone() };
        x.expect("a value stays until its last use")
    }
}

/// Runs a call that may panic, for instance on an index out of range: programs are untrusted.
fn guarded<T>(step: usize, what: &Step, call: impl FnOnce() -> T) -> Result<T, ReplayError> {
    let said = |panic: Box<dyn Any + Send>| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message").to_owned()
    };
    let (mut call, mut result) = (Some(call), None);
    let mut once = || result = call.take().map(|call| call());
    let message = match catch_unwind(AssertUnwindSafe(|| kernel_error::catch(&mut once))) {
        Ok(Ok(())) => return Ok(result.expect("it ran")),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => said(panic),
    };
    Err(ReplayError::Panic { step, name: what.name(), message })
}

use super::Arguments;
use crate::calls::{Definition, Operand};
use crate::error::{Outcome, Reason};
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_tensor::ops::try_in_operation;

/// Makes a call. An error of a kernel is a reason like any other.
pub(crate) fn execute(
    definition: &'static Definition,
    operands: Vec<Operand>,
    device: &DynamicDevice,
) -> Outcome<Vec<DynamicTensor>> {
    let arguments = Arguments::new(operands, device.clone());
    let mut results = Err(Reason::new("the call was not made"));
    let kernel = try_in_operation(definition.name, || {
        results = (definition.execute)(arguments);
        Ok(())
    });
    kernel?;
    results.map_err(|reason| Reason(format!("{}: {reason}", definition.name)))
}

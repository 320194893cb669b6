//! Execution of loops.

use super::frame::{Frame, Held};
use crate::budget::bytes_of;
use crate::builder::{Collected, Loop};
use crate::calls::{Operand, all};
use crate::error::{Outcome, fail};
use crate::run::{execute, upload};
use crate::value::{Expr, Tensor};
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_ir::TensorData;

impl Frame<'_> {
    /// Runs a loop.
    pub(super) fn repeat(&mut self, own: &Loop, device: &DynamicDevice) -> Outcome<()> {
        let limit = match own.limit.as_ref().map(|limit| self.number(limit)).transpose()? {
            None => i64::MAX,
            Some(Expr::Int(limit)) => limit,
            Some(other) => fail!("the number of iterations is {other:?}, no integer"),
        };
        let mut values: Vec<Held> =
            own.initial.iter().map(|tensor| self.held(tensor)).collect::<Outcome<_>>()?;
        let mut parts: Vec<Vec<Tensor>> = vec![Vec::new(); own.collected.len()];
        let mut bytes = 0_u64;
        for iteration in 0..limit.max(0) as usize {
            self.budget.trip()?;
            self.put_shape(own.iteration, vec![iteration]);
            for (variable, value) in own.variables.iter().zip(values.drain(..)) {
                self.put(variable.id, value);
            }
            for statement in &own.body.statements {
                self.step(statement, &[], device)?;
            }
            let (next, made) = own.body.results.split_at(own.variables.len());
            values = next.iter().map(|tensor| self.held(tensor)).collect::<Outcome<_>>()?;
            for (all, part) in parts.iter_mut().zip(made) {
                let part = self.tensor(part)?;
                bytes = bytes.saturating_add(bytes_of(&part.spec).unwrap_or(0));
                all.push(part);
            }
            self.budget.bytes("collected outputs", bytes)?;
            match self.number(&own.condition)? {
                Expr::Bool(true) => {}
                Expr::Bool(false) => break,
                other => fail!("the condition is {other:?}, not a boolean"),
            }
        }
        for (collected, (parts, result)) in
            own.collected.iter().zip(parts.into_iter().zip(&own.results[own.variables.len()..]))
        {
            let bytes = parts.iter().filter_map(|part| bytes_of(&part.spec)).fold(0, u64::saturating_add);
            self.budget.room("collected outputs", bytes)?;
            let tensor = joined(collected, parts, result, device)?;
            values.push(self.made("collected outputs", tensor)?);
        }
        for statement in &own.body.statements {
            self.release(&statement.results());
        }
        for variable in &own.variables {
            self.release(&[variable.id]);
        }
        for (result, value) in own.results.iter().zip(values) {
            self.put(result.id, value);
        }
        Ok(())
    }
}

/// The parts of all iterations as one tensor.
fn joined(
    collected: &Collected,
    parts: Vec<Tensor>,
    result: &Tensor,
    device: &DynamicDevice,
) -> Outcome<DynamicTensor> {
    if parts.is_empty() {
        let Some(shape) = &collected.empty else { fail!("a loop without iterations has no output") };
        let data = TensorData::from_bytes(&[], shape.clone(), result.dtype());
        return upload(&data.map_err(|error| error.to_string())?, device);
    }
    let Some(cat) = all().find(|call| call.name == "cat") else { fail!("there is no call `cat`") };
    let operands = vec![Operand::Tensors(parts), Operand::Number(collected.axis.into())];
    match execute(cat, operands, device)?.pop() {
        Some(handle) => Ok(handle),
        None => fail!("`cat` gives no tensor"),
    }
}

//! A recorded model runs.

use super::Program;
use crate::builder::Statement;
use crate::calls::{Operand, Range};
use crate::error::{OnnxError, Outcome, Reason, fail};
use crate::run::{execute, read, upload};
use crate::value::{Expr, Host, Tensor, TensorId};
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_ir::HasSpec;
use std::collections::HashMap;

/// Tensors, shapes and numbers that the statements so far have made.
#[derive(Default)]
struct Frame {
    tensors: HashMap<TensorId, DynamicTensor>,
    shapes: HashMap<TensorId, Vec<usize>>,
    read: HashMap<TensorId, Host>,
}

impl Program {
    /// Computes the outputs from inputs in the order of the program.
    ///
    /// # Errors
    /// When there are not as many inputs, or a call fails.
    pub(crate) fn run_on(
        &self,
        inputs: Vec<DynamicTensor>,
        device: &DynamicDevice,
    ) -> Result<Vec<DynamicTensor>, OnnxError> {
        let mut frame = Frame::default();
        for ((_, tensor), handle) in self.inputs.iter().zip(inputs) {
            frame.put(tensor.id, handle);
        }
        let last = self.last_uses();
        for (place, statement) in self.statements.iter().enumerate() {
            frame.step(statement, device).map_err(|reason| self.failed(statement, reason))?;
            for id in last.get(&place).into_iter().flatten() {
                frame.tensors.remove(id);
            }
        }
        let outputs = self.outputs.iter().map(|output| match frame.tensors.get(&output.tensor.id) {
            Some(handle) => Ok(handle.clone()),
            None => Err(OnnxError::Input { name: output.name.clone(), reason: "it was not computed".into() }),
        });
        outputs.collect()
    }

    fn failed(&self, statement: &Statement, reason: Reason) -> OnnxError {
        let named = statement.results().iter().find_map(|id| self.names.get(id)).cloned();
        let operator = match statement {
            Statement::Call { definition, .. } => definition.name,
            Statement::Constant { .. } => "constant",
            Statement::Read { .. } => "read",
            Statement::Branch { .. } => "branch",
        };
        OnnxError::Node { node: named.unwrap_or_default(), operator: operator.into(), reason: reason.0 }
    }

    /// Tensors by the place of the last statement that takes them.
    fn last_uses(&self) -> HashMap<usize, Vec<TensorId>> {
        let mut last: HashMap<TensorId, usize> = HashMap::new();
        for (place, statement) in self.statements.iter().enumerate() {
            last.extend(statement.operands().into_iter().map(|id| (id, place)));
        }
        let mut uses: HashMap<usize, Vec<TensorId>> = HashMap::new();
        for (id, place) in last {
            if !self.outputs.iter().any(|output| output.tensor.id == id) {
                uses.entry(place).or_default().push(id);
            }
        }
        uses
    }
}

impl Frame {
    fn put(&mut self, id: TensorId, handle: DynamicTensor) {
        self.shapes.insert(id, handle.shape().to_vec());
        self.tensors.insert(id, handle);
    }

    fn step(&mut self, statement: &Statement, device: &DynamicDevice) -> Outcome<()> {
        match statement {
            Statement::Call { definition, operands, results } => {
                let operands =
                    operands.iter().map(|operand| self.operand(operand)).collect::<Outcome<_>>()?;
                let handles = execute(definition, operands, device)?;
                for (result, handle) in results.iter().zip(handles) {
                    self.put(result.id, handle);
                }
            }
            Statement::Constant { constant, result } => {
                let handle = upload(&constant.data, device)?;
                self.put(result.id, handle);
            }
            Statement::Read { tensor } => {
                let handle = self.handle(tensor)?;
                self.read.insert(tensor.id, Host::from_data(&read(&handle)?));
            }
            Statement::Branch { condition, blocks, results } => {
                let place = match self.number(condition)? {
                    Expr::Bool(condition) => usize::from(!condition),
                    other => fail!("the condition is {other:?}, no truth value"),
                };
                for statement in &blocks[place].statements {
                    self.step(statement, device)?;
                }
                for (result, inner) in results.iter().zip(&blocks[place].results) {
                    let handle = self.handle(inner)?;
                    self.put(result.id, handle);
                }
            }
        }
        Ok(())
    }

    fn handle(&self, tensor: &Tensor) -> Outcome<DynamicTensor> {
        match self.tensors.get(&tensor.id) {
            Some(handle) => Ok(handle.clone()),
            None => fail!("{tensor:?} was not computed"),
        }
    }

    fn tensor(&self, tensor: &Tensor) -> Outcome<Tensor> {
        Ok(Tensor { handle: Some(self.handle(tensor)?), ..tensor.clone() })
    }

    fn operand(&self, operand: &Operand) -> Outcome<Operand> {
        Ok(match operand {
            Operand::Tensor(tensor) => Operand::Tensor(self.tensor(tensor)?),
            Operand::Tensors(tensors) => {
                Operand::Tensors(tensors.iter().map(|tensor| self.tensor(tensor)).collect::<Outcome<_>>()?)
            }
            Operand::Number(number) => Operand::Number(self.number(number)?),
            Operand::Numbers(numbers) => {
                Operand::Numbers(numbers.iter().map(|number| self.number(number)).collect::<Outcome<_>>()?)
            }
            Operand::Ranges(ranges) => {
                Operand::Ranges(ranges.iter().map(|range| self.range(range)).collect::<Outcome<_>>()?)
            }
            Operand::Pairs(pairs) => Operand::Pairs(
                pairs
                    .iter()
                    .map(|(before, after)| Ok((self.number(before)?, self.number(after)?)))
                    .collect::<Outcome<_>>()?,
            ),
            Operand::Absent | Operand::Flag(_) | Operand::Type(_) => operand.clone(),
        })
    }

    fn range(&self, range: &Range) -> Outcome<Range> {
        let end = range.end.as_ref().map(|end| self.number(end)).transpose()?;
        Ok(Range { start: self.number(&range.start)?, end, step: range.step })
    }

    /// The value of an expression.
    fn number(&self, expr: &Expr) -> Outcome<Expr> {
        match expr {
            Expr::Int(_) | Expr::Float(_) | Expr::Bool(_) => Ok(expr.clone()),
            Expr::Dim(id, d) => match self.shapes.get(id).and_then(|shape| shape.get(*d)) {
                Some(&size) => Ok(size.into()),
                None => fail!("{expr:?} is not known yet"),
            },
            Expr::Element(id, place) => match self.read.get(id).and_then(|host| host.elements.get(*place)) {
                Some(element) => Ok(element.clone()),
                None => fail!("{expr:?} was not read"),
            },
            Expr::Apply(call) => {
                let args = call.1.iter().map(|arg| self.number(arg)).collect::<Outcome<Vec<_>>>()?;
                match call.0.evaluate(&args) {
                    Some(value) => Ok(value),
                    None => fail!("{:?} of {args:?} is no number", call.0),
                }
            }
        }
    }
}

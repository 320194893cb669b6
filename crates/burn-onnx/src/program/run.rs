//! A recorded model runs.

use super::Program;
use crate::builder::{Collected, Loop, Statement};
use crate::calls::{Operand, Range, all};
use crate::error::{OnnxError, Outcome, Reason, fail};
use crate::run::{execute, read, upload};
use crate::value::{Expr, Host, Tensor, TensorId};
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_ir::{HasSpec, TensorData};
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
            Statement::Loop(_) => "loop",
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
            Statement::Loop(own) => self.repeat(own, device)?,
        }
        Ok(())
    }

    fn repeat(&mut self, own: &Loop, device: &DynamicDevice) -> Outcome<()> {
        let limit = match own.limit.as_ref().map(|limit| self.number(limit)).transpose()? {
            None => i64::MAX,
            Some(Expr::Int(limit)) => limit,
            Some(other) => fail!("the number of iterations is {other:?}, no integer"),
        };
        let mut values: Vec<DynamicTensor> =
            own.initial.iter().map(|tensor| self.handle(tensor)).collect::<Outcome<_>>()?;
        let mut parts: Vec<Vec<Tensor>> = vec![Vec::new(); own.collected.len()];
        for iteration in 0..limit.max(0) as usize {
            self.shapes.insert(own.iteration, vec![iteration]);
            for (variable, value) in own.variables.iter().zip(values.drain(..)) {
                self.put(variable.id, value);
            }
            for statement in &own.body.statements {
                self.step(statement, device)?;
            }
            let (next, made) = own.body.results.split_at(own.variables.len());
            values = next.iter().map(|tensor| self.handle(tensor)).collect::<Outcome<_>>()?;
            for (all, part) in parts.iter_mut().zip(made) {
                all.push(self.tensor(part)?);
            }
            match self.number(&own.condition)? {
                Expr::Bool(true) => {}
                Expr::Bool(false) => break,
                other => fail!("the condition is {other:?}, no truth value"),
            }
        }
        for (collected, (parts, result)) in
            own.collected.iter().zip(parts.into_iter().zip(&own.results[own.variables.len()..]))
        {
            values.push(joined(collected, parts, result, device)?);
        }
        for (result, value) in own.results.iter().zip(values) {
            self.put(result.id, value);
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

//! Tensors, shapes and numbers of a run, and the execution of one statement.

use crate::budget::{Budget, bytes_of};
use crate::builder::Statement;
use crate::calls::{Operand, Range};
use crate::error::{Outcome, fail};
use crate::run::{execute, read, upload};
use crate::value::{Expr, Host, Spec, Tensor, TensorId};
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_ir::HasSpec;
use std::collections::{HashMap, HashSet};

/// Tensors, shapes and numbers that the statements so far have made.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    /// Tensors by number.
    tensors: Vec<Option<DynamicTensor>>,
    /// Tensors whose sizes expressions use; their shapes stay when the tensors go.
    sized: &'a HashSet<TensorId>,
    shapes: HashMap<TensorId, Vec<usize>>,
    read: HashMap<TensorId, Host>,
    pub(super) budget: &'a mut Budget,
    /// Bytes of the constants so far, where what is computed from them stays.
    constants: Option<u64>,
}

impl<'a> Frame<'a> {
    /// A frame for tensors below a number.
    pub(super) fn new(tensors: u32, sized: &'a HashSet<TensorId>, budget: &'a mut Budget) -> Self {
        let tensors = vec![None; tensors as usize];
        Frame { tensors, sized, shapes: HashMap::new(), read: HashMap::new(), budget, constants: None }
    }

    /// A frame of statements that depend on constants alone, all of whose results stay.
    pub(super) fn of_constants(tensors: u32, sized: &'a HashSet<TensorId>, budget: &'a mut Budget) -> Self {
        Frame { constants: Some(0), ..Self::new(tensors, sized, budget) }
    }

    pub(super) fn put(&mut self, id: TensorId, handle: DynamicTensor) {
        if self.sized.contains(&id) {
            self.shapes.insert(id, handle.shape().to_vec());
        }
        self.tensors[id.0 as usize] = Some(handle);
    }

    /// Sets the sizes of what is no tensor: the number of an iteration.
    pub(super) fn put_shape(&mut self, id: TensorId, shape: Vec<usize>) {
        self.shapes.insert(id, shape);
    }

    pub(super) fn get(&self, id: TensorId) -> Option<&DynamicTensor> {
        self.tensors[id.0 as usize].as_ref()
    }

    /// Executes a statement. Tensors in `last` are needed by no later one: the call gets them as their only holder, so that it may write
    /// over them.
    pub(super) fn step(
        &mut self,
        statement: &Statement,
        last: &[TensorId],
        device: &DynamicDevice,
    ) -> Outcome<()> {
        self.budget.go_on()?;
        match statement {
            Statement::Call { definition, operands, results } => {
                let operands: Vec<Operand> =
                    operands.iter().map(|operand| self.operand(operand)).collect::<Outcome<_>>()?;
                let specs = (definition.rule)(&operands)?;
                self.budget.tensors(definition.name, &specs)?;
                self.fold(definition.name, &operands, &specs)?;
                self.release(last);
                let handles = execute(definition, operands, device)?;
                for (result, handle) in results.iter().zip(handles) {
                    self.put(result.id, handle);
                }
            }
            Statement::Constant { constant, result } => {
                self.constants =
                    self.constants.map(|sum| sum.saturating_add(constant.data.as_bytes().len() as u64));
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
                    self.step(statement, &[], device)?;
                }
                for (result, inner) in results.iter().zip(&blocks[place].results) {
                    let handle = self.handle(inner)?;
                    self.put(result.id, handle);
                }
                for statement in &blocks[place].statements {
                    self.release(&statement.results());
                }
            }
            Statement::Loop(own) => self.repeat(own, device)?,
        }
        self.release(last);
        Ok(())
    }

    /// Counts how much larger a result of constants is than they are.
    fn fold(&mut self, call: &str, operands: &[Operand], specs: &[Spec]) -> Outcome<()> {
        let Some(constants) = self.constants else { return Ok(()) };
        let whole = |specs: &mut dyn Iterator<Item = &Spec>| -> u64 {
            specs.filter_map(bytes_of).fold(0, u64::saturating_add)
        };
        let tensors = operands.iter().filter_map(|operand| operand.tensors().ok()).flatten();
        let (given, made) = (whole(&mut tensors.map(|tensor| &tensor.spec)), whole(&mut specs.iter()));
        if self.budget.fold(made.saturating_sub(given), constants) {
            return Ok(());
        }
        self.budget.too_much_folded(call)
    }

    pub(super) fn release(&mut self, ids: &[TensorId]) {
        for id in ids {
            self.tensors[id.0 as usize] = None;
        }
    }

    pub(super) fn handle(&self, tensor: &Tensor) -> Outcome<DynamicTensor> {
        match self.get(tensor.id) {
            Some(handle) => Ok(handle.clone()),
            None => fail!("{tensor:?} was not computed"),
        }
    }

    /// The tensor with its elements, whose sizes take the place of its expressions.
    pub(super) fn tensor(&self, tensor: &Tensor) -> Outcome<Tensor> {
        let Spec { dtype, is_scalar, .. } = tensor.spec;
        let handle = self.handle(tensor)?;
        let dims = handle.shape().iter().map(|&size| size.into()).collect();
        let spec = Spec { dtype, dims, is_scalar };
        Ok(Tensor { id: tensor.id, spec, handle: Some(handle) })
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
    pub(super) fn number(&self, expr: &Expr) -> Outcome<Expr> {
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

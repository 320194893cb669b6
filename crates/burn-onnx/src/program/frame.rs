//! Tensors, shapes and numbers of a run, and the execution of one statement.

use crate::budget::Budget;
use crate::builder::Statement;
use crate::calls::{Operand, Range};
use crate::charge::Charge;
use crate::error::{Outcome, fail};
use crate::run::{execute, read, upload};
use crate::value::{Expr, Host, Spec, Tensor, TensorId};
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_ir::HasSpec;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A tensor, whose bytes count while it lives where a statement made it.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) tensor: DynamicTensor,
    pub(super) charge: Option<Arc<Charge>>,
}

impl Held {
    /// A tensor that is there before the run.
    pub(super) fn given(tensor: DynamicTensor) -> Self {
        Held { tensor, charge: None }
    }
}

/// Tensors, shapes and numbers that the statements so far have made.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    /// Tensors by number.
    tensors: Vec<Option<Held>>,
    /// Tensors whose sizes expressions use; their shapes stay when the tensors go.
    sized: &'a HashSet<TensorId>,
    shapes: HashMap<TensorId, Vec<usize>>,
    read: HashMap<TensorId, Host>,
    pub(super) budget: &'a mut Budget,
}

impl<'a> Frame<'a> {
    /// A frame for tensors below a number.
    pub(super) fn new(tensors: u32, sized: &'a HashSet<TensorId>, budget: &'a mut Budget) -> Self {
        let tensors = vec![None; tensors as usize];
        Frame { tensors, sized, shapes: HashMap::new(), read: HashMap::new(), budget }
    }

    pub(super) fn put(&mut self, id: TensorId, held: Held) {
        if self.sized.contains(&id) {
            self.shapes.insert(id, held.tensor.shape().to_vec());
        }
        self.tensors[id.0 as usize] = Some(held);
    }

    /// A tensor that a statement made.
    pub(super) fn made(&mut self, call: &str, tensor: DynamicTensor) -> Outcome<Held> {
        let spec = tensor.spec();
        let bytes = (spec.shape.num_elements() as u64).saturating_mul(spec.dtype.size() as u64);
        Ok(Held { charge: self.budget.charge(call, bytes)?, tensor })
    }

    /// Sets the sizes of what is no tensor: the number of an iteration.
    pub(super) fn put_shape(&mut self, id: TensorId, shape: Vec<usize>) {
        self.shapes.insert(id, shape);
    }

    pub(super) fn get(&self, id: TensorId) -> Option<&Held> {
        self.tensors[id.0 as usize].as_ref()
    }

    /// Executes a statement. Tensors in `last` are needed by no later one: the call gets them as their only
    /// holder, so that it may write over them.
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
                self.release(last);
                let handles = execute(definition, operands, device)?;
                for (result, handle) in results.iter().zip(handles) {
                    let held = self.made(definition.name, handle)?;
                    self.put(result.id, held);
                }
            }
            Statement::Constant { constant, result } => {
                let handle = upload(&constant.data, device)?;
                self.put(result.id, Held::given(handle));
            }
            Statement::Read { tensor } => {
                let handle = self.held(tensor)?;
                self.read.insert(tensor.id, Host::from_data(&read(&handle.tensor)?));
            }
            Statement::Branch { condition, blocks, results } => {
                let place = match self.number(condition)? {
                    Expr::Bool(condition) => usize::from(!condition),
                    other => fail!("the condition is {other:?}, not a boolean"),
                };
                for statement in &blocks[place].statements {
                    self.step(statement, &[], device)?;
                }
                for (result, inner) in results.iter().zip(&blocks[place].results) {
                    let held = self.held(inner)?;
                    self.put(result.id, held);
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

    pub(super) fn release(&mut self, ids: &[TensorId]) {
        for id in ids {
            self.tensors[id.0 as usize] = None;
        }
    }

    pub(super) fn held(&self, tensor: &Tensor) -> Outcome<Held> {
        match self.get(tensor.id) {
            Some(held) => Ok(held.clone()),
            None => fail!("{tensor:?} was not computed"),
        }
    }

    /// The tensor with its elements, whose sizes take the place of its expressions.
    pub(super) fn tensor(&self, tensor: &Tensor) -> Outcome<Tensor> {
        let Spec { dtype, is_scalar, .. } = tensor.spec;
        let Held { tensor: handle, charge } = self.held(tensor)?;
        let dims = handle.shape().iter().map(|&size| size.into()).collect();
        let spec = Spec { dtype, dims, is_scalar };
        Ok(Tensor { id: tensor.id, spec, handle: Some(handle), charge })
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

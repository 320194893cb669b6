//! The calls of a program by what they make, and the replacement of calls.

use crate::builder::{Builder, Statement};
use crate::calls::Operand;
use crate::error::Outcome;
use crate::graph::Constant;
use crate::program::Program;
use crate::value::{Expr, Tensor, TensorId};
use std::collections::HashMap;

/// Calls and constants by the tensors that they make.
pub(super) struct Calls<'a> {
    made: HashMap<TensorId, (&'static str, &'a [Operand])>,
    constants: HashMap<TensorId, &'a Constant>,
    uses: HashMap<TensorId, usize>,
}

/// The longest chain of calls that is followed to its start.
pub(super) const LONGEST: usize = 16;

/// Makes calls in the place of others, and gives their result.
pub(super) type Replacement = Box<dyn FnOnce(&mut Builder) -> Outcome<Tensor>>;

impl<'a> Calls<'a> {
    pub(super) fn of_program(program: &'a Program) -> Self {
        let mut calls = Calls { made: HashMap::new(), constants: HashMap::new(), uses: program.use_counts() };
        for statement in &program.statements {
            match statement {
                Statement::Call { definition, operands, results } => {
                    if let [result] = &results[..] {
                        calls.made.insert(result.id, (definition.name, operands));
                    }
                }
                Statement::Constant { constant, result } => {
                    calls.constants.insert(result.id, constant);
                }
                Statement::Read { .. } | Statement::Branch { .. } | Statement::Loop(_) => {}
            }
        }
        calls
    }

    /// Arguments of the call that made a tensor, if it is this one.
    pub(super) fn of(&self, tensor: &Tensor, name: &str) -> Option<&'a [Operand]> {
        self.made.get(&tensor.id).filter(|(found, _)| *found == name).map(|(_, operands)| *operands)
    }

    /// The tensor that a call with one tensor was applied to.
    pub(super) fn argument(&self, tensor: &Tensor, name: &str) -> Option<&'a Tensor> {
        self.of(tensor, name)?.first()?.tensor().ok()
    }

    /// Both tensors that a call was applied to, in both orders.
    pub(super) fn either_order(&self, tensor: &Tensor, name: &str) -> Option<[(&'a Tensor, &'a Tensor); 2]> {
        either_order(self.of(tensor, name)?)
    }

    /// A tensor and the number that was applied to it.
    pub(super) fn with_number(&self, tensor: &Tensor, name: &str) -> Option<(&'a Tensor, f64)> {
        let operands = self.of(tensor, name)?;
        Some((operands[0].tensor().ok()?, operands[1].number().ok()?.to_f64()?))
    }

    /// The tensor that about this number was applied to.
    pub(super) fn scalar(&self, tensor: &Tensor, name: &str, value: f64) -> Option<&'a Tensor> {
        self.with_number(tensor, name).filter(|(_, found)| (found - value).abs() < 1e-4).map(|(x, _)| x)
    }

    /// The number that a constant of one element has, in any rank, or one element of a list.
    pub(super) fn constant_number(&self, tensor: &Tensor) -> Option<f64> {
        let same = |x: &Tensor| {
            ["unsqueeze_dims", "reshape", "expand"].into_iter().find_map(|name| self.argument(x, name))
        };
        let mut tensor = tensor;
        for _ in 0..LONGEST {
            let Some(inner) = same(tensor) else { break };
            tensor = inner;
        }
        let numbers = |tensor: &Tensor| Some(self.constant(tensor)?.data.iter::<f64>());
        if let Some(operands) = self.of(tensor, "slice") {
            let [Operand::Tensor(list), Operand::Ranges(ranges)] = operands else { return None };
            let [range] = &ranges[..] else { return None };
            let is_one = tensor.held_dims() == [Expr::Int(1)] && range.step == 1;
            return if is_one { numbers(list)?.nth(range.start.size()?) } else { None };
        }
        let mut numbers = numbers(tensor)?;
        numbers.next().filter(|_| numbers.next().is_none())
    }

    /// The constant that a tensor holds.
    pub(super) fn constant(&self, tensor: &Tensor) -> Option<&'a Constant> {
        self.constants.get(&tensor.id).copied()
    }

    /// Whether nothing but one call takes the tensor.
    pub(super) fn is_used_once(&self, tensor: &Tensor) -> bool {
        self.uses.get(&tensor.id) == Some(&1)
    }
}

/// The first two arguments of a call as tensors, in both orders.
pub(super) fn either_order(operands: &[Operand]) -> Option<[(&Tensor, &Tensor); 2]> {
    let [Operand::Tensor(a), Operand::Tensor(b), ..] = operands else { return None };
    Some([(a, b), (b, a)])
}

impl Program {
    /// Replaces each call for which `find` gives a replacement, by the name of the call and its arguments.
    pub(super) fn replace(
        &mut self,
        find: impl for<'a> Fn(&Calls<'a>, &str, &'a [Operand]) -> Option<Replacement>,
    ) {
        let mut found: HashMap<usize, Replacement> = HashMap::new();
        let calls = Calls::of_program(self);
        for (place, statement) in self.statements.iter().enumerate() {
            let Statement::Call { definition, operands, results } = statement else { continue };
            if results.len() == 1
                && let Some(replacement) = find(&calls, definition.name, operands)
            {
                found.insert(place, replacement);
            }
        }
        if found.is_empty() {
            return;
        }
        let mut statements = Vec::with_capacity(self.statements.len());
        for (place, statement) in std::mem::take(&mut self.statements).into_iter().enumerate() {
            let Some(replacement) = found.remove(&place) else {
                statements.push(statement);
                continue;
            };
            let mut builder = Builder::recorder_after(self.next_id);
            // A replacement that does not fit leaves the call as it was.
            let is_made = replacement(&mut builder).is_ok();
            self.next_id = builder.next_id().0;
            let (mut made, _) = builder.finish();
            match (made.last_mut(), statement) {
                (Some(Statement::Call { results, .. }), Statement::Call { results: old, .. }) if is_made => {
                    *results = old;
                    statements.extend(made);
                }
                (_, statement) => statements.push(statement),
            }
        }
        self.statements = statements;
        self.remove_unused();
    }

    /// How many calls and outputs take each tensor.
    pub(super) fn use_counts(&self) -> HashMap<TensorId, usize> {
        let mut uses: HashMap<TensorId, usize> = HashMap::new();
        let outputs = self.outputs.iter().map(|output| output.tensor.id);
        for id in self.statements.iter().flat_map(Statement::operands).chain(outputs) {
            *uses.entry(id).or_default() += 1;
        }
        uses
    }
}

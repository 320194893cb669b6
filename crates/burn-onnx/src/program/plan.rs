//! A recorded model made ready to run again and again: what depends on constants alone is computed once for
//! each device, and runs with inputs of the same shapes repeat the operations of one.

use super::Program;
use super::frame::{Frame, Held};
use crate::budget::Budget;
use crate::builder::Statement;
use crate::error::{OnnxError, Reason};
use crate::tape::{Pass, Tapes};
use crate::value::{Expr, TensorId};
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_backend::module_scope;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Steps of a recorded model, and on each device what they take from constants.
#[derive(Debug)]
pub(crate) struct Plan {
    program: Program,
    /// Statements that depend on constants alone.
    once: Vec<PlannedStep>,
    /// The other statements.
    steps: Vec<PlannedStep>,
    /// Tensors that steps, or the outputs, take from `once`.
    kept: Vec<TensorId>,
    /// Tensors whose sizes are used by expressions.
    sized: HashSet<TensorId>,
    prepared: Mutex<Vec<(DynamicDevice, Arc<Prepared>)>>,
    tapes: Tapes,
}

/// A statement, and the tensors that no later one needs.
#[derive(Debug)]
struct PlannedStep {
    statement: Statement,
    last: Vec<TensorId>,
}

/// Constants and their sizes, prepared once for all runs on a device.
#[derive(Debug)]
struct Prepared {
    tensors: Vec<(TensorId, DynamicTensor)>,
    /// Bytes of what is computed from constants, beyond the size of the constants.
    bytes: u64,
}

impl Plan {
    pub(crate) fn new(mut program: Program) -> Self {
        let outputs: HashSet<TensorId> = program.outputs.iter().map(|output| output.tensor.id).collect();
        let (once, rest) = split(std::mem::take(&mut program.statements));
        let mut sized = HashSet::new();
        for statement in &rest {
            statement.visit(&mut |expr| {
                if let Expr::Dim(id, _) = expr {
                    sized.insert(*id);
                }
            });
        }
        let constant: HashSet<TensorId> = once.iter().flat_map(Statement::results).collect();
        let last = last_uses(&rest);
        let needed = last.keys().chain(&outputs).chain(&sized);
        let kept: HashSet<TensorId> = needed.filter(|id| constant.contains(id)).copied().collect();
        let steps = with_last_uses(rest, last, &outputs);
        let last = last_uses(&once);
        let once = with_last_uses(once, last, &kept);
        let kept = kept.into_iter().collect();
        Plan { program, once, steps, kept, sized, prepared: Mutex::default(), tapes: Tapes::default() }
    }

    /// A recording for inputs of shapes that have come before.
    pub(crate) fn for_known_shapes(program: Program) -> Self {
        Plan { tapes: Tapes::eager(), ..Self::new(program) }
    }

    /// Whether there are branches or loops.
    pub(crate) fn has_blocks(&self) -> bool {
        self.steps.iter().any(|step| !step.statement.blocks().is_empty())
    }

    /// Computes the outputs from inputs in the order of the program.
    ///
    /// # Errors
    /// When there are not as many inputs, or a call fails.
    pub(crate) fn run(
        &self,
        inputs: &[DynamicTensor],
        device: &DynamicDevice,
        budget: &mut Budget,
    ) -> Result<Vec<DynamicTensor>, OnnxError> {
        let prepared = self.prepared(device, budget)?;
        budget.keep(prepared.bytes);
        let prepared = &prepared.tensors;
        let mut statements =
            |inputs: &[DynamicTensor], device: &DynamicDevice, pass: &Pass, budget: &mut Budget| {
                self.statements(prepared, inputs, device, pass, budget)
            };
        // Watchers of modules need the names of the calls.
        if module_scope::is_watched() {
            return statements(inputs, device, &Pass::default(), budget);
        }
        self.tapes.run(inputs, device, budget, &mut statements)
    }

    /// Runs the statements.
    fn statements(
        &self,
        prepared: &[(TensorId, DynamicTensor)],
        inputs: &[DynamicTensor],
        device: &DynamicDevice,
        pass: &Pass,
        budget: &mut Budget,
    ) -> Result<Vec<DynamicTensor>, OnnxError> {
        let mut frame = Frame::new(self.program.next_id, &self.sized, budget);
        for (id, handle) in prepared {
            frame.put(*id, Held::given(pass.constant(handle)));
        }
        for ((_, tensor), handle) in self.program.inputs.iter().zip(inputs) {
            frame.put(tensor.id, Held::given(handle.clone()));
        }
        for PlannedStep { statement, last } in &self.steps {
            frame.step(statement, last, device).map_err(|reason| self.failed(statement, reason))?;
        }
        let outputs = self.program.outputs.iter().map(|output| match frame.get(output.tensor.id) {
            Some(held) => Ok(held.tensor.clone()),
            None => Err(OnnxError::Input { name: output.name.clone(), reason: "it was not computed".into() }),
        });
        outputs.collect()
    }

    /// Number of tapes.
    #[cfg(test)]
    pub(crate) fn tapes(&self) -> usize {
        self.tapes.len()
    }

    /// Returns the values on this device that are computed once from constants.
    fn prepared(&self, device: &DynamicDevice, budget: &mut Budget) -> Result<Arc<Prepared>, OnnxError> {
        let mut all = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, prepared)) = all.iter().find(|(other, _)| other == device) {
            return Ok(prepared.clone());
        }
        let constants = self.constant_bytes();
        budget.allow(constants);
        let mut frame = Frame::new(self.program.next_id, &self.sized, budget);
        for PlannedStep { statement, last } in &self.once {
            frame.step(statement, last, device).map_err(|reason| self.failed(statement, reason))?;
        }
        let kept = self.kept.iter().filter_map(|id| Some((*id, frame.get(*id)?.clone())));
        let kept: Vec<(TensorId, Held)> = kept.collect();
        let made = kept.iter().filter_map(|(_, held)| held.charge.as_ref()).map(|charge| charge.bytes());
        let bytes = made.fold(0, u64::saturating_add).saturating_sub(constants);
        let tensors = kept.into_iter().map(|(id, held)| (id, held.tensor)).collect();
        drop(frame);
        budget.allow(0);
        let prepared = Arc::new(Prepared { tensors, bytes });
        all.push((device.clone(), prepared.clone()));
        Ok(prepared)
    }

    /// Bytes of the constants of the program.
    fn constant_bytes(&self) -> u64 {
        let bytes = |step: &PlannedStep| match &step.statement {
            Statement::Constant { constant, .. } => constant.data.as_bytes().len() as u64,
            Statement::Call { .. }
            | Statement::Read { .. }
            | Statement::Branch { .. }
            | Statement::Loop(_) => 0,
        };
        self.once.iter().map(bytes).fold(0, u64::saturating_add)
    }

    /// The name of what a statement computes, or else of the next result that has one: an operator of several
    /// calls names the last of them.
    fn name_from(&self, statement: &Statement) -> Option<String> {
        let after = |steps: &[PlannedStep]| {
            let place = steps.iter().position(|step| std::ptr::eq(&step.statement, statement))?;
            let results = steps[place..].iter().flat_map(|step| step.statement.results());
            results.into_iter().find_map(|id| self.program.names.get(&id).cloned())
        };
        after(&self.steps).or_else(|| after(&self.once))
    }

    fn failed(&self, statement: &Statement, reason: Reason) -> OnnxError {
        let named = self.name_from(statement);
        let operator = match statement {
            Statement::Call { definition, .. } => definition.name,
            Statement::Constant { .. } => "constant",
            Statement::Read { .. } => "read",
            Statement::Branch { .. } => "branch",
            Statement::Loop(_) => "loop",
        };
        OnnxError::Node { node: named.unwrap_or_default(), operator: operator.into(), reason: reason.0 }
    }
}

/// For each tensor, the place of the last statement that makes or takes it: a result that nothing takes goes
/// at once.
fn last_uses(statements: &[Statement]) -> HashMap<TensorId, usize> {
    let mut last = HashMap::new();
    for (place, statement) in statements.iter().enumerate() {
        last.extend(statement.results().into_iter().chain(statement.operands()).map(|id| (id, place)));
    }
    last
}

/// Statements with the tensors that go after them. Those in `kept` stay.
fn with_last_uses(
    statements: Vec<Statement>,
    last: HashMap<TensorId, usize>,
    kept: &HashSet<TensorId>,
) -> Vec<PlannedStep> {
    let mut steps: Vec<PlannedStep> =
        statements.into_iter().map(|statement| PlannedStep { statement, last: Vec::new() }).collect();
    for (id, place) in last {
        if !kept.contains(&id) {
            steps[place].last.push(id);
        }
    }
    steps
}

/// Statements that depend on constants alone, and the others, both in their order.
fn split(statements: Vec<Statement>) -> (Vec<Statement>, Vec<Statement>) {
    let mut constant: HashSet<TensorId> = HashSet::new();
    let (mut once, mut rest) = (Vec::new(), Vec::new());
    for statement in statements {
        let is_constant = match &statement {
            Statement::Constant { .. } => true,
            Statement::Call { .. } => {
                let mut is_known = true;
                statement.visit(&mut |_| is_known = false);
                is_known && statement.operands().iter().all(|id| constant.contains(id))
            }
            Statement::Read { .. } | Statement::Branch { .. } | Statement::Loop(_) => false,
        };
        if is_constant {
            constant.extend(statement.results());
            once.push(statement);
        } else {
            rest.push(statement);
        }
    }
    (once, rest)
}

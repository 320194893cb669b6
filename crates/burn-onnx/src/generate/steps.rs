//! The steps of `forward`: calls, and layers in the place of some.

use super::layer::{self, Constants, Layer};
use crate::builder::{Block, Loop, Statement};
use crate::calls::Operand;
use crate::program::Program;
use crate::value::{Expr, Tensor, TensorId};
use std::collections::{HashMap, HashSet};

/// A step of `forward`.
pub(super) enum ForwardStep {
    /// A call, a constant, or a read.
    Call(Statement),
    Layer {
        layer: Layer,
        result: Tensor,
    },
    Branch {
        condition: Expr,
        blocks: [BlockSteps; 2],
        results: Vec<Tensor>,
    },
    /// The steps in the place of the body's statements.
    Loop {
        own: Box<Loop>,
        body: BlockSteps,
    },
}

/// Steps of a block, and the tensors that it gives.
pub(super) struct BlockSteps {
    pub steps: Vec<ForwardStep>,
    pub results: Vec<Tensor>,
}

/// The steps: calls with constant weights become layers.
pub(super) fn steps(program: &Program) -> Vec<ForwardStep> {
    let mut uses: HashMap<TensorId, usize> = HashMap::new();
    for statement in &program.statements {
        statement.walk(&mut |statement| count(statement, &mut uses));
    }
    for output in &program.outputs {
        *uses.entry(output.tensor.id).or_default() += 1;
    }
    let mut constants = Constants::new();
    let mut steps = of_statements(&program.statements, &uses, &mut constants);
    // Constants that only layers use are in the layers.
    let mut needed: HashSet<TensorId> = program.outputs.iter().map(|output| output.tensor.id).collect();
    for step in &steps {
        step.operands(&mut |id| {
            needed.insert(id);
        });
    }
    retain_constants(&mut steps, &needed);
    steps
}

/// Counts the tensors that a statement takes, without those of its blocks' statements.
fn count(statement: &Statement, uses: &mut HashMap<TensorId, usize>) {
    let mut add = |id: TensorId| *uses.entry(id).or_default() += 1;
    if let Statement::Loop(own) = statement {
        own.initial.iter().for_each(|tensor| add(tensor.id));
    }
    if statement.blocks().is_empty() {
        statement.operands().into_iter().for_each(&mut add);
    }
    statement.blocks().iter().flat_map(|block| &block.results).for_each(|tensor| add(tensor.id));
}

fn of_statements(
    statements: &[Statement],
    uses: &HashMap<TensorId, usize>,
    constants: &mut Constants,
) -> Vec<ForwardStep> {
    let mut layers: HashMap<TensorId, usize> = HashMap::new();
    let mut steps: Vec<ForwardStep> = Vec::new();
    for statement in statements {
        if let Statement::Constant { constant, result } = statement {
            constants.insert(result.id, constant.clone());
        }
        if let Some((place, layer, result)) = biased(statement, constants, &layers, uses, &steps) {
            layers.insert(result.id, place);
            steps[place] = ForwardStep::Layer { layer, result };
            continue;
        }
        let mut block = |block: &Block| BlockSteps {
            steps: of_statements(&block.statements, uses, constants),
            results: block.results.clone(),
        };
        match statement {
            Statement::Branch { condition, blocks: [then, otherwise], results } => {
                let blocks = [block(then), block(otherwise)];
                let (condition, results) = (condition.clone(), results.clone());
                steps.push(ForwardStep::Branch { condition, blocks, results });
            }
            Statement::Loop(own) => {
                steps.push(ForwardStep::Loop { own: own.clone(), body: block(&own.body) })
            }
            Statement::Call { results, .. } => match layer::of_call(statement, constants) {
                Some(layer) => {
                    layers.insert(results[0].id, steps.len());
                    steps.push(ForwardStep::Layer { layer, result: results[0].clone() });
                }
                None => steps.push(ForwardStep::Call(statement.clone())),
            },
            Statement::Constant { .. } | Statement::Read { .. } => {
                steps.push(ForwardStep::Call(statement.clone()))
            }
        }
    }
    steps
}

impl ForwardStep {
    /// Calls `visit` with the tensors that the step moves or clones, once for each time that they stand in
    /// it.
    pub fn moves(&self, visit: &mut dyn FnMut(TensorId)) {
        match self {
            // Reads borrow.
            ForwardStep::Call(Statement::Read { .. }) => {}
            ForwardStep::Call(statement) => statement.operands().into_iter().for_each(visit),
            ForwardStep::Layer { layer, .. } => visit(layer.input.id),
            ForwardStep::Branch { blocks, .. } => blocks.iter().for_each(|block| block.moves(visit)),
            ForwardStep::Loop { own, body } => {
                own.initial.iter().for_each(|tensor| visit(tensor.id));
                body.moves(visit);
            }
        }
    }

    /// Calls `visit` with the tensors that the step takes.
    pub fn operands(&self, visit: &mut dyn FnMut(TensorId)) {
        match self {
            ForwardStep::Call(Statement::Read { tensor }) => visit(tensor.id),
            ForwardStep::Call(_) | ForwardStep::Layer { .. } => self.moves(visit),
            ForwardStep::Branch { blocks, .. } => blocks.iter().for_each(|block| block.operands(visit)),
            ForwardStep::Loop { own, body } => {
                own.initial.iter().for_each(|tensor| visit(tensor.id));
                body.operands(visit);
            }
        }
    }

    /// Calls `visit` with every size and element that the step uses.
    pub fn visit(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            ForwardStep::Call(statement) => statement.visit(visit),
            ForwardStep::Layer { .. } => {}
            ForwardStep::Branch { condition, blocks, .. } => {
                condition.visit(visit);
                blocks.iter().flat_map(|block| &block.steps).for_each(|step| step.visit(visit));
            }
            ForwardStep::Loop { own, body } => {
                own.limit.iter().for_each(|limit| limit.visit(visit));
                own.condition.visit(visit);
                body.steps.iter().for_each(|step| step.visit(visit));
            }
        }
    }
}

impl BlockSteps {
    fn moves(&self, visit: &mut dyn FnMut(TensorId)) {
        self.steps.iter().for_each(|step| step.moves(visit));
        self.results.iter().for_each(|tensor| visit(tensor.id));
    }

    fn operands(&self, visit: &mut dyn FnMut(TensorId)) {
        self.steps.iter().for_each(|step| step.operands(visit));
        self.results.iter().for_each(|tensor| visit(tensor.id));
    }
}

fn retain_constants(steps: &mut Vec<ForwardStep>, needed: &HashSet<TensorId>) {
    steps.retain(|step| match step {
        ForwardStep::Call(Statement::Constant { result, .. }) => needed.contains(&result.id),
        _ => true,
    });
    for step in steps {
        match step {
            ForwardStep::Branch { blocks, .. } => {
                blocks.iter_mut().for_each(|block| retain_constants(&mut block.steps, needed));
            }
            ForwardStep::Loop { body, .. } => retain_constants(&mut body.steps, needed),
            ForwardStep::Call(_) | ForwardStep::Layer { .. } => {}
        }
    }
}

/// A linear layer without a bias, and the constant that is added to its output: the layer with the bias.
fn biased(
    statement: &Statement,
    constants: &Constants,
    layers: &HashMap<TensorId, usize>,
    uses: &HashMap<TensorId, usize>,
    steps: &[ForwardStep],
) -> Option<(usize, Layer, Tensor)> {
    let Statement::Call { definition, operands, results } = statement else { return None };
    if definition.name != "add" {
        return None;
    }
    let [Operand::Tensor(a), Operand::Tensor(b)] = &operands[..] else { return None };
    for (product, bias) in [(a, b), (b, a)] {
        let (Some(&place), Some(bias)) = (layers.get(&product.id), constants.get(&bias.id)) else { continue };
        let ForwardStep::Layer { layer, .. } = &steps[place] else { continue };
        if uses.get(&product.id) == Some(&1)
            && let Some(layer) = layer::with_bias(layer, bias)
        {
            return Some((place, layer, results[0].clone()));
        }
    }
    None
}

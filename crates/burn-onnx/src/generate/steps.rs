//! The steps of `forward`: calls, and layers in the place of some.

use super::layer::{self, Constants, Layer};
use crate::builder::Statement;
use crate::calls::Operand;
use crate::program::Program;
use crate::value::{Tensor, TensorId};
use std::collections::{HashMap, HashSet};

/// A step of `forward`.
pub(super) enum Step {
    Call(Statement),
    Layer { layer: Layer, result: Tensor },
}

/// The steps: calls with constant weights become layers.
pub(super) fn steps(program: &Program) -> Vec<Step> {
    let mut constants = Constants::new();
    let mut layers: HashMap<TensorId, usize> = HashMap::new();
    let mut uses: HashMap<TensorId, usize> = HashMap::new();
    let statements = &program.statements;
    for id in statements.iter().flat_map(Statement::operands) {
        *uses.entry(id).or_default() += 1;
    }
    for output in &program.outputs {
        *uses.entry(output.tensor.id).or_default() += 1;
    }
    let mut steps: Vec<Step> = Vec::new();
    for statement in statements {
        if let Statement::Constant { constant, result } = statement {
            constants.insert(result.id, constant.clone());
        }
        if let Some((place, layer, result)) = biased(statement, &constants, &layers, &uses, &steps) {
            layers.insert(result.id, place);
            steps[place] = Step::Layer { layer, result };
            continue;
        }
        match (layer::of_call(statement, &constants), statement) {
            (Some(layer), Statement::Call { results, .. }) => {
                layers.insert(results[0].id, steps.len());
                steps.push(Step::Layer { layer, result: results[0].clone() });
            }
            _ => steps.push(Step::Call(statement.clone())),
        }
    }
    // Constants that only layers use are in the layers.
    let mut needed: HashSet<TensorId> = program.outputs.iter().map(|output| output.tensor.id).collect();
    for step in &steps {
        match step {
            Step::Call(statement) => needed.extend(statement.operands()),
            Step::Layer { layer, .. } => drop(needed.insert(layer.input.id)),
        }
    }
    let is_needed = |step: &Step| match step {
        Step::Call(Statement::Constant { result, .. }) => needed.contains(&result.id),
        _ => true,
    };
    steps.retain(is_needed);
    steps
}

/// A linear layer without a bias, and the constant that is added to its output: the layer with the bias.
fn biased(
    statement: &Statement,
    constants: &Constants,
    layers: &HashMap<TensorId, usize>,
    uses: &HashMap<TensorId, usize>,
    steps: &[Step],
) -> Option<(usize, Layer, Tensor)> {
    let Statement::Call { definition, operands, results } = statement else { return None };
    if definition.name != "add" {
        return None;
    }
    let [Operand::Tensor(a), Operand::Tensor(b)] = &operands[..] else { return None };
    for (product, bias) in [(a, b), (b, a)] {
        let (Some(&place), Some(bias)) = (layers.get(&product.id), constants.get(&bias.id)) else { continue };
        let Step::Layer { layer, .. } = &steps[place] else { continue };
        if uses.get(&product.id) == Some(&1)
            && let Some(layer) = layer::with_bias(layer, bias)
        {
            return Some((place, layer, results[0].clone()));
        }
    }
    None
}

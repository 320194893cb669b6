//! Calls that are made twice with the same arguments.

use crate::builder::Statement;
use crate::calls::Operand;
use crate::program::Program;
use crate::value::{Tensor, TensorId};
use std::collections::{HashMap, HashSet};

impl Program {
    /// Makes calls with equal arguments once: exporters write masks and transposed keys anew for each layer.
    pub(super) fn share_equal_calls(&mut self) {
        let mut earlier: HashMap<String, Vec<Tensor>> = HashMap::new();
        let mut same: HashMap<TensorId, Tensor> = HashMap::new();
        let outputs: HashSet<TensorId> = self.outputs.iter().map(|output| output.tensor.id).collect();
        for statement in &mut self.statements {
            let Statement::Call { definition, operands, results } = statement else { continue };
            operands.iter_mut().for_each(|operand| rename(operand, &same));
            let is_output = results.iter().any(|result| outputs.contains(&result.id));
            let key = format!("{} {operands:?}", definition.name);
            match earlier.get(&key) {
                Some(first) if !is_output => {
                    let pairs = results.iter().zip(first);
                    same.extend(pairs.map(|(result, first)| (result.id, first.clone())));
                }
                Some(_) => {}
                None => drop(earlier.insert(key, results.clone())),
            }
        }
        self.remove_unused();
    }
}

/// The operand with tensors that were made earlier in the place of equal ones. Their specs stay: those name
/// sizes that are known too.
fn rename(operand: &mut Operand, same: &HashMap<TensorId, Tensor>) {
    let one = |tensor: &mut Tensor| {
        if let Some(first) = same.get(&tensor.id) {
            tensor.id = first.id;
        }
    };
    match operand {
        Operand::Tensor(tensor) => one(tensor),
        Operand::Tensors(tensors) => tensors.iter_mut().for_each(one),
        Operand::Absent
        | Operand::Number(_)
        | Operand::Numbers(_)
        | Operand::Ranges(_)
        | Operand::Pairs(_)
        | Operand::Flag(_)
        | Operand::Type(_) => {}
    }
}

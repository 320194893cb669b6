//! A permutation of a permutation as one.

use crate::builder::Statement;
use crate::calls::Operand;
use crate::program::Program;
use crate::value::{Tensor, TensorId};
use std::collections::HashMap;

impl Program {
    /// Replaces a permutation of a permutation by one.
    pub(in crate::generate) fn join_permutations(&mut self) {
        let mut made: HashMap<TensorId, (Tensor, Vec<usize>)> = HashMap::new();
        for statement in &mut self.statements {
            let Statement::Call { definition, operands, results } = statement else { continue };
            if definition.name != "permute" {
                continue;
            }
            let (Ok(x), Ok(axes)) = (operands[0].tensor(), operands[1].axes()) else { continue };
            let (x, axes) = match made.get(&x.id) {
                Some((first, inner)) => (first.clone(), axes.iter().map(|&axis| inner[axis]).collect()),
                None => (x.clone(), axes),
            };
            *operands = vec![
                Operand::Tensor(x.clone()),
                Operand::Numbers(axes.iter().map(|&axis| axis.into()).collect()),
            ];
            made.insert(results[0].id, (x, axes));
        }
        self.remove_unused();
    }
}

//! The pass over the statements of a model.

use super::{arithmetic, layout};
use crate::builder::Statement;
use crate::calls::{Definition, Operand};
use crate::graph::Constant;
use crate::program::Program;
use crate::value::{Expr, Tensor, TensorId};
use burn_ir::TensorData;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes that are folded beside the size of the constants.
const SPARE: usize = 64 << 20;

/// Calls that make or repeat elements. They are computed for the calls after them, and are left where
/// another call needs them: what they give takes no memory of its own, or is no part of the file.
const LEFT: [&str; 7] =
    ["arange", "expand", "floats", "full_bool_list", "full_int_list", "full_list", "ints"];

impl Program {
    /// Replaces calls that depend on constants of the model alone by constants: parameters that are arranged,
    /// scaled or joined before they are used are saved as they are used.
    pub(in crate::generate) fn fold_constants(&mut self) {
        // Weights change their shape or type a few times; a chain of such calls is not made of copies without
        // an end.
        let left = SPARE.saturating_add(4 * constant_bytes(&self.statements));
        Fold { values: HashMap::new(), left }.statements(&mut self.statements);
        self.remove_unused();
    }
}

fn constant_bytes(statements: &[Statement]) -> usize {
    let bytes = |statement: &Statement| match statement {
        Statement::Constant { constant, .. } => constant.data.as_bytes().len(),
        _ => statement.blocks().iter().map(|block| constant_bytes(&block.statements)).sum(),
    };
    statements.iter().map(bytes).sum()
}

/// Elements that are known, and the constant of the model that they come from.
struct KnownTensor {
    data: Arc<TensorData>,
    /// Name of the constant; none if no constant of the model is among what it was computed from.
    origin: Option<String>,
}

struct Fold {
    values: HashMap<TensorId, KnownTensor>,
    /// Bytes that may still be computed.
    left: usize,
}

impl Fold {
    fn statements(&mut self, statements: &mut [Statement]) {
        for statement in statements {
            match statement {
                Statement::Constant { constant, result } => {
                    let value =
                        KnownTensor { data: constant.data.clone(), origin: Some(constant.name.clone()) };
                    self.values.insert(result.id, value);
                }
                Statement::Call { definition, operands, results } => {
                    let [result] = &results[..] else { continue };
                    let Some(value) = self.computed(definition, operands, result) else { continue };
                    let constant = value.origin.clone().filter(|_| !LEFT.contains(&definition.name));
                    let (data, result) = (value.data.clone(), result.clone());
                    self.values.insert(result.id, value);
                    if let Some(name) = constant {
                        *statement = Statement::Constant { constant: Constant { name, data }, result };
                    }
                }
                Statement::Read { .. } => {}
                Statement::Branch { .. } | Statement::Loop(_) => {
                    statement
                        .blocks_mut()
                        .iter_mut()
                        .for_each(|block| self.statements(&mut block.statements));
                }
            }
        }
    }

    /// The result of a call whose operands are known.
    fn computed(
        &mut self,
        definition: &Definition,
        operands: &[Operand],
        result: &Tensor,
    ) -> Option<KnownTensor> {
        let shape: Vec<usize> = result.held_dims().iter().map(Expr::size).collect::<Option<_>>()?;
        let bytes = shape.iter().try_fold(result.dtype().size(), |bytes, &size| bytes.checked_mul(size))?;
        let left = self.left.checked_sub(bytes)?;
        let values: Vec<&KnownTensor> = operands
            .iter()
            .flat_map(Operand::tensor_ids)
            .map(|id| self.values.get(&id))
            .collect::<Option<_>>()?;
        let tensors: Vec<&TensorData> = values.iter().map(|value| &*value.data).collect();
        let data = layout::computed(definition.name, &tensors, operands, &shape)
            .or_else(|| arithmetic::computed(definition.name, &tensors, operands, &shape, result.dtype()))?;
        if *data.shape != *shape || data.dtype != result.dtype() {
            return None;
        }
        self.left = left;
        let mut origins = values.iter().filter_map(|value| value.origin.as_ref());
        // The result has the first name among its operands.
        let origin = origins.clone().find(|name| !name.is_empty()).or_else(|| origins.next());
        Some(KnownTensor { data: Arc::new(data), origin: origin.cloned() })
    }
}

//! Calls on constants that the generator makes itself: other arrangements of the same elements.

use crate::builder::Statement;
use crate::calls::Operand;
use crate::graph::Constant;
use crate::program::Program;
use crate::value::{Expr, Tensor, TensorId};
use burn_ir::TensorData;
use std::collections::HashMap;
use std::sync::Arc;

impl Program {
    /// Replaces calls that arrange the elements of a constant by a constant.
    pub(super) fn fold_constants(&mut self) {
        // Weights change their shape or type a few times; a chain of such calls is not made of copies without
        // an end.
        let mut left = SPARE.saturating_add(4 * constant_bytes(&self.statements));
        fold(&mut self.statements, &mut HashMap::new(), &mut left);
        self.remove_unused();
    }

    /// Replaces a permutation of a permutation by one.
    pub(super) fn join_permutations(&mut self) {
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

/// Bytes that are folded beside the size of the constants.
const SPARE: usize = 64 << 20;

fn constant_bytes(statements: &[Statement]) -> usize {
    let bytes = |statement: &Statement| match statement {
        Statement::Constant { constant, .. } => constant.data.as_bytes().len(),
        _ => statement.blocks().iter().map(|block| constant_bytes(&block.statements)).sum(),
    };
    statements.iter().map(bytes).sum()
}

fn fold(statements: &mut [Statement], constants: &mut HashMap<TensorId, Constant>, left: &mut usize) {
    for statement in statements {
        match statement {
            Statement::Constant { constant, result } => {
                constants.insert(result.id, constant.clone());
            }
            Statement::Call { definition, operands, results } => {
                let Some(Operand::Tensor(x)) = operands.first() else { continue };
                let Some(constant) = constants.get(&x.id) else { continue };
                let Some(data) = folded(definition.name, &constant.data, &operands[1..]) else {
                    continue;
                };
                let Some(rest) = left.checked_sub(data.as_bytes().len()) else { continue };
                *left = rest;
                let constant = Constant { name: constant.name.clone(), data: Arc::new(data) };
                let result = results[0].clone();
                constants.insert(result.id, constant.clone());
                *statement = Statement::Constant { constant, result };
            }
            Statement::Read { .. } => {}
            Statement::Branch { .. } | Statement::Loop(_) => {
                statement
                    .blocks_mut()
                    .iter_mut()
                    .for_each(|block| fold(&mut block.statements, constants, left));
            }
        }
    }
}

fn folded(call: &str, data: &TensorData, arguments: &[Operand]) -> Option<TensorData> {
    let reshaped = |shape: Vec<usize>| TensorData::from_bytes(data.as_bytes(), shape, data.dtype).ok();
    // Rank 0 is held as rank 1.
    let shape: Vec<usize> = if data.shape.is_empty() { vec![1] } else { data.shape.to_vec() };
    match (call, arguments) {
        ("reshape", [sizes]) => {
            let sizes: Option<Vec<usize>> = sizes.numbers().ok()?.iter().map(Expr::size).collect();
            reshaped(sizes?)
        }
        ("squeeze_dims", [axes]) => {
            let axes = axes.axes().ok()?;
            reshaped((0..shape.len()).filter(|d| !axes.contains(d)).map(|d| shape[d]).collect())
        }
        ("unsqueeze_dims", [axes]) => {
            let mut shape = shape;
            for axis in axes.axes().ok()? {
                shape.insert(axis, 1);
            }
            reshaped(shape)
        }
        ("permute", [axes]) => permuted(data, &shape, &axes.axes().ok()?),
        ("cast", [dtype]) => Some(data.clone().convert_dtype(dtype.dtype().ok()?)),
        _ => None,
    }
}

/// Dimensions in another order.
pub(super) fn permuted(data: &TensorData, shape: &[usize], axes: &[usize]) -> Option<TensorData> {
    let size = data.dtype.size();
    let mut strides = vec![size; shape.len()];
    for d in (0..shape.len().saturating_sub(1)).rev() {
        strides[d] = strides[d + 1] * shape[d + 1];
    }
    let dims: Vec<usize> = axes.iter().map(|&axis| shape[axis]).collect();
    let steps: Vec<usize> = axes.iter().map(|&axis| strides[axis]).collect();
    let from = data.as_bytes();
    let mut bytes = Vec::with_capacity(from.len());
    let mut index = vec![0; dims.len()];
    let mut offset = 0;
    while bytes.len() < from.len() {
        bytes.extend_from_slice(&from[offset..offset + size]);
        for d in (0..dims.len()).rev() {
            index[d] += 1;
            offset += steps[d];
            if index[d] < dims[d] {
                break;
            }
            offset -= steps[d] * dims[d];
            index[d] = 0;
        }
    }
    TensorData::from_bytes(&bytes, dims, data.dtype).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_permuted_as_tensors_are() {
        let data = TensorData::new([1_i64, 2, 3, 4, 5, 6], [1, 2, 3]);
        let turned = permuted(&data, &[1, 2, 3], &[2, 0, 1]).unwrap();
        assert_eq!(turned, TensorData::new([1_i64, 4, 2, 5, 3, 6], [3, 1, 2]));
    }
}

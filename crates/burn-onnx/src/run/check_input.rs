//! Inputs of a run beside what the model declares.

use crate::graph::{Dimension, ValueType};
use crate::value::OnnxValue;
use burn_ir::DType;
use std::collections::HashMap;

/// Whether a value is what the model declares. Equal names of dimensions are equal sizes.
pub(super) fn check(
    value: &OnnxValue,
    declared: &ValueType,
    sizes: &mut HashMap<String, usize>,
) -> Result<(), String> {
    match (value, declared) {
        (_, ValueType::Unsupported(reason)) => Err(reason.clone()),
        (OnnxValue::Tensor(tensor), ValueType::Tensor { dtype, dims }) => {
            let found = tensor.held_dims();
            let expected = || format!("expected {}, found {tensor:?}", described(*dtype, dims.as_deref()));
            if tensor.dtype() != *dtype {
                return Err(expected());
            }
            let Some(dims) = dims else { return Ok(()) };
            if dims.is_empty() && found.len() == 1 && found[0].is(1) {
                return Ok(());
            }
            if dims.len() != found.len() {
                return Err(expected());
            }
            for (dim, found) in dims.iter().zip(found) {
                let found = found.size().unwrap_or(0);
                let fits = match dim {
                    Dimension::Known(size) => found == *size,
                    Dimension::Named(name) => *sizes.entry(name.clone()).or_insert(found) == found,
                    Dimension::Unknown => true,
                };
                if !fits {
                    return Err(expected());
                }
            }
            Ok(())
        }
        (OnnxValue::Sequence(values), ValueType::Sequence(inner)) => {
            // Tensors of a sequence may differ in size.
            values.iter().try_for_each(|value| check(value, inner, &mut sizes.clone()))
        }
        (OnnxValue::Optional(Some(value)), ValueType::Optional(inner)) => check(value, inner, sizes),
        (_, ValueType::Undeclared) | (OnnxValue::Optional(None), ValueType::Optional(_)) => Ok(()),
        (value, ValueType::Optional(inner)) => check(value, inner, sizes),
        (value, declared) => Err(format!("expected {declared:?}, found {}", value.kind())),
    }
}

fn described(dtype: DType, dims: Option<&[Dimension]>) -> String {
    let Some(dims) = dims else { return format!("a tensor of {dtype}") };
    let dims: Vec<String> = dims.iter().map(Dimension::to_string).collect();
    format!("a tensor of {dtype} with dimensions [{}]", dims.join(", "))
}

/// A tensor of one element that the model declares without dimensions.
pub(super) fn scalar(value: OnnxValue, declared: &ValueType) -> OnnxValue {
    match (value, declared) {
        (OnnxValue::Tensor(tensor), ValueType::Tensor { dims: Some(dims), .. }) if dims.is_empty() => {
            OnnxValue::Tensor(tensor.as_scalar(true))
        }
        (value, _) => value,
    }
}

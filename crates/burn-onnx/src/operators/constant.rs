//! Values of the model.

use crate::builder::Builder;
use crate::error::{Outcome, fail};
use crate::graph::Constant;
use crate::translate::Node;
use crate::value::{Expr, Host, OnnxValue};
use burn_ir::{DType, TensorData};
use std::sync::Arc;

pub(super) fn constant(node: &Node<'_>, _: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let name = node.definition.outputs.first().cloned().unwrap_or_default();
    let named = |data: TensorData| Ok(vec![OnnxValue::Constant(Constant { name: name.clone(), data: Arc::new(data) })]);
    if let Some(constant) = node.tensor_attribute("value")? {
        return Ok(vec![OnnxValue::Constant(Constant { name, data: constant.data })]);
    }
    if let Some(value) = node.optional_float("value_float")? {
        return named(TensorData::new([value as f32], [0_usize; 0]));
    }
    if let Some(value) = node.optional_int("value_int")? {
        return named(TensorData::new([value], [0_usize; 0]));
    }
    if let Some(values) = node.floats_attribute("value_floats")? {
        let values: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        return named(values.into());
    }
    if let Some(values) = node.ints_attribute("value_ints")? {
        return named(values.into());
    }
    fail!("only values of numbers and tensors are supported")
}

/// The most elements that a new list of one value has on the host.
const MOST_ON_HOST: usize = 64;

pub(super) fn constant_of_shape(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let dims = node.ints(b, 0)?;
    let (dtype, value) = match node.tensor_attribute("value")? {
        Some(constant) if constant.data.num_elements() == 1 => {
            (constant.data.dtype, Host::from_data(&constant.data).elements.remove(0))
        }
        Some(constant) => fail!("attribute `value` must have one element, found {:?}", constant.data.shape),
        None => (DType::F32, Expr::Float(0.0)),
    };
    let sizes: Option<Vec<usize>> = dims.iter().map(Expr::size).collect();
    let count = sizes.as_ref().and_then(|sizes| sizes.iter().try_fold(1_usize, |count, &size| count.checked_mul(size)));
    if let Some(sizes) = sizes
        && count.is_some_and(|count| count <= MOST_ON_HOST)
        && !dtype.is_float()
    {
        let elements = vec![value; count.unwrap_or(0)];
        return Ok(vec![Host { dtype, dims: sizes, elements }.into()]);
    }
    Ok(vec![b.full(&dims, value, dtype)?.into()])
}

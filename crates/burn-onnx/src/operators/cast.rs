//! Element types.

use crate::builder::Builder;
use crate::error::{Outcome, fail};
use crate::translate::Node;
use crate::value::OnnxValue;
use burn_ir::DType;

pub(super) fn cast(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let Some(dtype) = node.dtype("to")? else { fail!("attribute `to` is missing") };
    converted(node, b, dtype)
}

pub(super) fn cast_like(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let dtype = node.input(1)?.dtype()?;
    converted(node, b, dtype)
}

fn converted(node: &Node<'_>, b: &mut Builder, dtype: DType) -> Outcome<Vec<OnnxValue>> {
    if let Some(host) = node.as_host(0) {
        return Ok(vec![host.cast(dtype).into()]);
    }
    if let OnnxValue::Constant(constant) = node.input(0)?
        && b.has_room(constant.data.num_elements(), dtype)
    {
        let data = (*constant.data).clone().convert_dtype(dtype);
        return Ok(vec![OnnxValue::Constant(b.folded(constant.name.clone(), data))]);
    }
    let x = node.tensor(b, 0)?;
    Ok(vec![b.convert(&x, dtype)?.into()])
}

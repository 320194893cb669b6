//! Operators that reshape: the same elements in other dimensions.

use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Host, OnnxValue};
use burn_ir::TensorData;

/// The value in dimensions that are all given; what lies on the host stays there.
fn in_dims(node: &Node<'_>, b: &mut Builder, dims: &[Expr]) -> Outcome<Vec<OnnxValue>> {
    let sizes: Option<Vec<usize>> = dims.iter().map(Expr::size).collect();
    let count = sizes.as_ref().and_then(|sizes| sizes.iter().try_fold(1_usize, |count, &size| count.checked_mul(size)));
    match (node.input(0)?, sizes) {
        (OnnxValue::Host(host), Some(sizes)) => {
            require!(count == Some(host.elements.len()), "{} numbers do not fill {dims:?}", host.elements.len());
            let host = Host { dtype: host.dtype, dims: sizes, elements: host.elements.clone() };
            Ok(vec![host.into()])
        }
        (OnnxValue::Constant(constant), Some(sizes)) if b.has_room(constant.data.num_elements(), constant.data.dtype) => {
            let data = TensorData::from_bytes(constant.data.as_bytes(), sizes, constant.data.dtype);
            let data = data.map_err(|error| error.to_string())?;
            Ok(vec![OnnxValue::Constant(b.folded(constant.name.clone(), data))])
        }
        (value, _) => {
            let x = b.tensor(value)?;
            Ok(vec![b.reshaped(&x, dims)?.into()])
        }
    }
}

/// Sizes of 0 are those of the input, unless `allowzero` is set, and -1 is whatever is left.
pub(super) fn reshape(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let wanted = match node.ints_attribute("shape")? {
        Some(shape) => shape.into_iter().map(Expr::from).collect(),
        None => node.ints(b, 1)?,
    };
    let dims = node.input(0)?.dims()?;
    let zero_is_zero = node.flag("allowzero", false)?;
    let mut sizes = Vec::with_capacity(wanted.len());
    let mut open = None;
    for (d, size) in wanted.iter().enumerate() {
        sizes.push(match size.known() {
            Some(0) if !zero_is_zero => match dims.get(d) {
                Some(dim) => dim.clone(),
                None => fail!("size 0 of {wanted:?} has no counterpart in {dims:?}"),
            },
            Some(-1) => {
                require!(open.is_none(), "{wanted:?} leaves more than one size open");
                open = Some(d);
                Expr::Int(1)
            }
            Some(size) if size < 0 => fail!("size {size} is negative"),
            _ => size.clone(),
        });
    }
    if let Some(open) = open {
        require!(!Expr::product(&sizes).is(0), "{wanted:?} leaves a size open beside one of 0");
        let mut given = sizes.clone();
        given.remove(open);
        let rest = Expr::quotient(&dims, &given);
        // An expression is left to the tensor.
        sizes[open] = if rest.is_known() { rest } else { Expr::Int(-1) };
    }
    in_dims(node, b, &sizes)
}

pub(super) fn flatten(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let dims = node.input(0)?.dims()?;
    let axis = node.int("axis", 1)?;
    // One past the last dimension is an axis here.
    let axis = if axis == dims.len() as i64 { dims.len() } else { node.axis(axis, dims.len())? };
    in_dims(node, b, &[Expr::product(&dims[..axis]), Expr::product(&dims[axis..])])
}

pub(super) fn squeeze(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let dims = node.input(0)?.dims()?;
    let axes = match node.ints_of(b, "axes", 1)? {
        Some(axes) => node.axes(&axes, dims.len())?,
        None => dims.iter().enumerate().filter(|(_, dim)| dim.is(1)).map(|(d, _)| d).collect(),
    };
    for &axis in &axes {
        require!(dims[axis].known().is_none_or(|size| size == 1), "dimension {axis} of {dims:?} is not of size 1");
    }
    if let OnnxValue::Tensor(x) = node.input(0)? {
        return Ok(vec![b.squeezed(x, &axes)?.into()]);
    }
    let kept: Vec<Expr> = dims.iter().enumerate().filter(|(d, _)| !axes.contains(d)).map(|(_, dim)| dim.clone()).collect();
    in_dims(node, b, &kept)
}

pub(super) fn unsqueeze(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let mut dims = node.input(0)?.dims()?;
    let Some(axes) = node.ints_of(b, "axes", 1)? else { fail!("axes are missing") };
    let axes = node.axes(&axes, dims.len() + axes.len())?;
    if let OnnxValue::Tensor(x) = node.input(0)?
        && !x.is_scalar()
    {
        return Ok(vec![if axes.is_empty() { x.clone() } else { b.unsqueeze_dims(x, &axes)? }.into()]);
    }
    for axis in axes {
        dims.insert(axis, Expr::Int(1));
    }
    in_dims(node, b, &dims)
}

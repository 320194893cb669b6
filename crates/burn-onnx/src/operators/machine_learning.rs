//! Operators of the domain `ai.onnx.ml` on tensors of numbers. Those of texts and of maps have no
//! counterpart.

use super::iota::{along, part};
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// Columns of a table at indices.
pub(super) fn array_feature_extractor(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, indices) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    let indices = b.convert(&indices, DType::I64)?;
    let list = b.reshape(&indices, &[Expr::product(indices.dims())])?;
    let x = if x.rank() == 1 { b.unsqueeze_dims(&x, &[0])? } else { x };
    let Some(last) = x.rank().checked_sub(1) else { fail!("expected a table, got {x:?}") };
    Ok(vec![b.select(&x, last, &list)?.into()])
}

/// 1 above a threshold, 0 elsewhere.
pub(super) fn binarizer(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let above = b.greater_elem(&x, node.float("threshold", 0.0)?.into())?;
    Ok(vec![b.convert(&above, x.dtype())?.into()])
}

/// One number for all columns, or one for each, as a row.
fn row(b: &mut Builder, numbers: &[f64], x: &Tensor) -> Outcome<Tensor> {
    let numbers: Vec<Expr> = numbers.iter().map(|&number| number.into()).collect();
    let list = b.floats(&numbers, x.dtype())?;
    along(b, &list, x.rank().saturating_sub(1), x.rank())
}

fn as_float(b: &mut Builder, x: Tensor) -> Outcome<Tensor> {
    if x.dtype().is_float() { Ok(x) } else { b.convert(&x, DType::F32) }
}

/// `(x - offset) scale`.
pub(super) fn scaler(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let mut y = as_float(b, x)?;
    if let Some(offset) = node.floats_attribute("offset")? {
        let offset = row(b, &offset, &y)?;
        y = b.sub(&y, &offset)?;
    }
    if let Some(scale) = node.floats_attribute("scale")? {
        let scale = row(b, &scale, &y)?;
        y = b.mul(&y, &scale)?;
    }
    Ok(vec![b.convert(&y, DType::F32)?.into()])
}

/// Rows over their largest element, their sum of absolute values, or their Euclidean norm.
pub(super) fn normalizer(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let x = as_float(b, x)?;
    let Some(last) = x.rank().checked_sub(1) else { fail!("expected rows, got {x:?}") };
    let last = [last];
    let norm = match &node.text("norm", "MAX")?[..] {
        "MAX" => b.max_dims(&x, &last)?,
        "L1" => {
            let sizes = b.abs(&x)?;
            b.sum_dims(&sizes, &last)?
        }
        "L2" => {
            let squares = b.mul(&x, &x)?;
            let sum = b.sum_dims(&squares, &last)?;
            b.sqrt(&sum)?
        }
        other => fail!("attribute `norm` must be MAX, L1 or L2, found `{other}`"),
    };
    let is_zero = b.equal_elem(&norm, 0.into())?;
    let norm = b.mask_fill(&norm, &is_zero, 1.into())?;
    Ok(vec![b.div(&x, &norm)?.into()])
}

/// A value of its column in the place of each element that is the one to replace, which may be NaN.
pub(super) fn imputer(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let (values, missing) = if x.dtype().is_float() {
        let Some(values) = node.floats_attribute("imputed_value_floats")? else {
            fail!("attribute `imputed_value_floats` is missing")
        };
        let replaced = node.float("replaced_value_float", 0.0)?;
        let missing = if replaced.is_nan() { b.is_nan(&x)? } else { b.equal_elem(&x, replaced.into())? };
        (row(b, &values, &x)?, missing)
    } else {
        let Some(values) = node.ints_attribute("imputed_value_int64s")? else {
            fail!("attribute `imputed_value_int64s` is missing")
        };
        let values: Vec<Expr> = values.into_iter().map(Expr::from).collect();
        let list = b.ints(&values, x.dtype())?;
        let missing = b.equal_elem(&x, node.int("replaced_value_int64", 0)?.into())?;
        (along(b, &list, x.rank().saturating_sub(1), x.rank())?, missing)
    };
    Ok(vec![b.mask_where(&x, &missing, &values)?.into()])
}

/// `x W^T + intercepts` with coefficients of attributes.
pub(super) fn linear_regressor(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let x = as_float(b, x)?;
    require!(x.rank() == 2, "expected a table, got {x:?}");
    let targets = usize::try_from(node.int("targets", 1)?).unwrap_or(0);
    let Some(coefficients) = node.floats_attribute("coefficients")? else { fail!("attribute `coefficients` is missing") };
    require!(targets > 0 && coefficients.len() % targets == 0, "{} coefficients for {targets} targets", coefficients.len());
    let width = coefficients.len() / targets;
    let numbers: Vec<Expr> = coefficients.into_iter().map(Expr::Float).collect();
    let list = b.floats(&numbers, x.dtype())?;
    let weight = b.reshape(&list, &[targets.into(), width.into()])?;
    let weight = b.permute(&weight, &[1, 0])?;
    let mut y = b.matmul(&x, &weight)?;
    if let Some(intercepts) = node.floats_attribute("intercepts")? {
        let intercepts = row(b, &intercepts, &y)?;
        y = b.add(&y, &intercepts)?;
    }
    match &node.text("post_transform", "NONE")?[..] {
        "NONE" => {}
        "LOGISTIC" => y = b.sigmoid(&y)?,
        "SOFTMAX" => y = b.softmax(&y, 1)?,
        other => fail!("attribute `post_transform` is `{other}`, which is not supported"),
    }
    Ok(vec![y.into()])
}

/// Columns of several tables beside each other.
pub(super) fn feature_vectorizer(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let tables = b.all_tensors(&node.inputs)?;
    let widths = node.ints_attribute("inputdimensions")?;
    let mut columns = Vec::new();
    for (place, x) in tables.into_iter().enumerate() {
        let mut x = as_float(b, x)?;
        if x.rank() == 1 {
            x = b.unsqueeze_dims(&x, &[0])?;
        }
        if let Some(width) = widths.as_ref().and_then(|widths| widths.get(place)) {
            x = part(b, &x, 1, 0, *width)?;
        }
        columns.push(x);
    }
    Ok(vec![b.cat(&columns, 1)?.into()])
}

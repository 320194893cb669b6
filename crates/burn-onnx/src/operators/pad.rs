//! Padding, and crops to a centre.

use crate::builder::Builder;
use crate::calls::Range;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// Elements before and after dimensions: of one value, reflected at the edge, repeated from it, or (since
/// version 19) those of the other end. Negative numbers take elements away. Attributes before version 11,
/// inputs since; axes since 18.
pub(super) fn pad(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let listed = match node.ints_attribute("pads")? {
        Some(pads) => Some(pads),
        None => node.ints_attribute("paddings")?,
    };
    let pads: Vec<Expr> = match listed {
        Some(pads) => pads.into_iter().map(Expr::from).collect(),
        None => node.ints(b, 1)?,
    };
    let value = match node.optional_float("value")? {
        Some(value) => Expr::Float(value),
        None if node.has_input(2) => match &node.host(b, 2)?.elements[..] {
            [value] => value.clone(),
            other => fail!("the value must be one number, found {other:?}"),
        },
        None => Expr::Int(0),
    };
    let axes = match node.optional_known_ints(b, 3)? {
        Some(axes) => axes.iter().map(|&axis| node.axis(axis, x.rank())).collect::<Outcome<Vec<_>>>()?,
        None => (0..x.rank()).collect(),
    };
    require!(pads.len() == 2 * axes.len(), "expected {} numbers of elements, got {pads:?}", 2 * axes.len());
    let mut pairs = vec![(Expr::Int(0), Expr::Int(0)); x.rank()];
    for (place, &axis) in axes.iter().enumerate() {
        pairs[axis] = (pads[place].clone(), pads[place + axes.len()].clone());
    }
    let mode = node.text("mode", "constant")?;
    if x.dtype() == DType::Bool {
        let (numbers, value) = (b.convert(&x, DType::U8)?, Expr::Int(i64::from(value == Expr::Bool(true))));
        let y = padded(b, &numbers, &pairs, &mode, value)?;
        return Ok(vec![b.convert(&y, DType::Bool)?.into()]);
    }
    Ok(vec![padded(b, &x, &pairs, &mode, value)?.into()])
}

fn padded(b: &mut Builder, x: &Tensor, pairs: &[(Expr, Expr)], mode: &str, value: Expr) -> Outcome<Tensor> {
    let negative = |number: &Expr| number.known().is_some_and(|number| number < 0);
    let mut x = x.clone();
    if pairs.iter().any(|(before, after)| negative(before) || negative(after)) {
        let ranges = pairs.iter().zip(x.dims().to_vec()).map(|((before, after), size)| {
            let start = if negative(before) { Expr::Int(0) - before.clone() } else { Expr::Int(0) };
            let end = if negative(after) { size + after.clone() } else { size };
            Range::new(start, end)
        });
        let ranges: Vec<Range> = ranges.collect();
        x = b.slice(&x, &ranges)?;
    }
    let positive = |number: &Expr| if negative(number) { Expr::Int(0) } else { number.clone() };
    let pairs: Vec<(Expr, Expr)> = pairs.iter().map(|(before, after)| (positive(before), positive(after))).collect();
    if pairs.iter().all(|(before, after)| before.is(0) && after.is(0)) {
        return Ok(x);
    }
    match mode {
        "constant" => b.pad_constant(&x, &pairs, value),
        "reflect" => b.pad_reflect(&x, &pairs),
        "edge" => b.pad_edge(&x, &pairs),
        "wrap" => b.pad_circular(&x, &pairs),
        other => fail!("attribute `mode` must be constant, reflect, edge or wrap, found `{other}`"),
    }
}

/// Dimensions cut or filled up with zeros at both ends to given sizes. Since version 18.
pub(super) fn center_crop_pad(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, shape) = (node.tensor(b, 0)?, node.ints(b, 1)?);
    let axes = match node.ints_attribute("axes")? {
        Some(axes) => axes.iter().map(|&axis| node.axis(axis, x.rank())).collect::<Outcome<Vec<_>>>()?,
        None => (0..x.rank()).collect(),
    };
    require!(shape.len() == axes.len(), "expected {} sizes, got {shape:?}", axes.len());
    let mut ranges = vec![Range::full(); x.rank()];
    let mut pairs = vec![(Expr::Int(0), Expr::Int(0)); x.rank()];
    for (&axis, target) in axes.iter().zip(&shape) {
        let size = x.dim(axis)?;
        let kept = size.clone().min(target.clone());
        let start = (size - kept.clone()) / 2;
        ranges[axis] = Range::new(start.clone(), start + kept.clone());
        let missing = target.clone() - kept;
        let before = missing.clone() / 2;
        pairs[axis] = (before.clone(), missing - before);
    }
    let y = b.slice(&x, &ranges)?;
    Ok(vec![padded(b, &y, &pairs, "constant", Expr::Int(0))?.into()])
}

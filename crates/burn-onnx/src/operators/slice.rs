//! Ranges of dimensions.

use crate::builder::Builder;
use crate::calls::Range;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Function, Host, OnnxValue};

/// The longest step: no dimension has as many elements.
const LONGEST: i64 = 1 << 56;

pub(super) fn slice(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let dims = node.input(0)?.dims()?;
    let listed = |values: Vec<i64>| values.into_iter().map(Expr::from).collect::<Vec<_>>();
    let (starts, ends) = match (node.ints_attribute("starts")?, node.ints_attribute("ends")?) {
        (Some(starts), Some(ends)) => (listed(starts), listed(ends)),
        _ => (node.ints(b, 1)?, node.ints(b, 2)?),
    };
    let axes = node.ints_of(b, "axes", 3)?.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = node.optional_known_ints(b, 4)?.unwrap_or_else(|| vec![1; starts.len()]);
    let count = starts.len();
    require!(
        ends.len() == count && axes.len() == count && steps.len() == count,
        "starts, ends, axes and steps differ in length"
    );
    let mut ranges = vec![Range::full(); dims.len()];
    for i in 0..count {
        let axis = node.axis(axes[i], dims.len())?;
        // A longer step takes the same single element, and its sums with sizes do not overflow.
        let step = steps[i].clamp(-LONGEST, LONGEST);
        ranges[axis] = range(&starts[i], &ends[i], step, &dims[axis])?;
    }
    // Weights of several dimensions stay constants, with their names.
    let host = match node.input(0)? {
        OnnxValue::Host(host) => Some(host.clone()),
        _ => node.as_host(0).filter(|host| host.dims.len() == 1),
    };
    if let Some(part) = host.and_then(|host| on_host(&host, &ranges)) {
        return Ok(vec![part.into()]);
    }
    let x = node.tensor(b, 0)?;
    if ranges.iter().all(|range| *range == Range::full()) {
        return Ok(vec![x.into()]);
    }
    Ok(vec![b.slice(&x, &ranges)?.into()])
}

/// A range as tensors take it: bounds from the front and within the dimension, for a negative step the same
/// elements.
fn range(start: &Expr, end: &Expr, step: i64, size: &Expr) -> Outcome<Range> {
    require!(step != 0, "the step is 0");
    let front = |bound: &Expr| match bound.known() {
        Some(value) if value < 0 => Some(size.clone() + value.max(-(i64::MAX >> 1))),
        Some(_) => Some(bound.clone()),
        None => {
            let negative = Expr::apply(Function::Less, vec![bound.clone(), Expr::Int(0)]);
            Some(Expr::apply(Function::Where, vec![negative, bound.clone() + size.clone(), bound.clone()]))
        }
    };
    let (Some(start), Some(end)) = (front(start), front(end)) else { fail!("the bounds are not known") };
    if step > 0 {
        let is_end = end.known().is_some_and(|end| end >= i64::from(i32::MAX)) || end == *size;
        let start = if start.is(0) { start } else { bounded(start, Expr::Int(0), size.clone()) };
        let end = (!is_end).then(|| bounded(end, Expr::Int(0), size.clone()));
        return Ok(Range { start, end, step });
    }
    // From `start` down to after `end`: from the front that is `end + 1..start + 1`.
    let last = size.clone() - 1;
    let start = bounded(start, Expr::Int(-1), last.clone());
    let end = bounded(end, Expr::Int(-1), last);
    Ok(Range { start: end + 1, end: Some(start + 1), step })
}

fn bounded(value: Expr, low: Expr, high: Expr) -> Expr {
    // A dimension that is not known is at least as large as a known bound in any model that runs.
    match (value.known(), high.known()) {
        (Some(value), None) if value >= 0 => Expr::Int(value).min(high),
        _ => value.max(low).min(high),
    }
}

/// Part of numbers of the host, if the ranges are known.
fn on_host(host: &Host, ranges: &[Range]) -> Option<Host> {
    let (mut dims, mut steps, mut offset, mut stride) = (host.dims.clone(), vec![0; ranges.len()], 0, 1);
    for (d, range) in ranges.iter().enumerate().rev() {
        let size = host.dims[d];
        let start = range.start.size()?.min(size);
        let end = match &range.end {
            Some(end) => end.size()?.min(size),
            None => size,
        };
        dims[d] = end.saturating_sub(start).div_ceil(usize::try_from(range.step.unsigned_abs()).ok()?);
        // A negative step begins with the last element of the range.
        let first = if range.step > 0 { start } else { end.max(1) - 1 };
        offset += first as isize * stride;
        // A step beyond the dimension is never made.
        steps[d] = range.step.clamp(-(size as i64), size as i64) as isize * stride;
        stride *= size as isize;
    }
    Some(host.gathered(dims, &steps, offset))
}

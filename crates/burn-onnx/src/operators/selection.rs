//! Elements chosen by a condition or by being different. NonZero and Compress since version 9, Unique since
//! 11.

use super::iota::{iota, item, part};
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

fn as_truth(b: &mut Builder, x: &Tensor) -> Outcome<Tensor> {
    b.convert(x, DType::Bool)
}

/// Indices of elements that are not zero, a column for each.
pub(super) fn non_zero(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let truth = as_truth(b, &x)?;
    let places = b.argwhere(&truth)?;
    let columns = b.permute(&places, &[1, 0])?;
    // A scalar has no index.
    let columns = if x.is_scalar() { part(b, &columns, 0, 0, 0)? } else { columns };
    Ok(vec![b.convert(&columns, DType::I64)?.into()])
}

/// Where a list is true.
fn places(b: &mut Builder, truth: &Tensor) -> Outcome<Tensor> {
    let places = b.argwhere(truth)?;
    let places = item(b, &places, 1, 0)?;
    b.convert(&places, DType::I64)
}

/// The slices of an axis, or of the flat tensor, for which the condition holds.
pub(super) fn compress(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, condition) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    require!(condition.held_dims().len() == 1, "the condition must have one dimension, found {condition:?}");
    let condition = as_truth(b, &condition)?;
    let indices = places(b, &condition)?;
    match node.optional_int("axis")? {
        Some(axis) => {
            let axis = node.axis(axis, x.rank())?;
            Ok(vec![b.select(&x, axis, &indices)?.into()])
        }
        None => {
            let flat = b.reshape(&x, &[Expr::product(x.dims())])?;
            Ok(vec![b.select(&flat, 0, &indices)?.into()])
        }
    }
}

/// The different elements, or slices of an axis; with the index of the first of each, which one each element
/// is, and how many are equal.
pub(super) fn unique(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let axis = node.optional_int("axis")?.map(|axis| node.axis(axis, x.rank())).transpose()?;
    let (rows, moved) = compared_rows(b, &x, axis)?;
    let count = rows.dim(0)?;
    let sorting = sorted_rows(b, &rows)?;
    let sorted = b.select(&rows, 0, &sorting)?;
    let is_first = starts_group(b, &sorted)?;
    let starts = places(b, &is_first)?;
    let ones = b.convert(&is_first, DType::I64)?;
    let group = b.cumsum(&ones, 0)?;
    let group = b.sub_scalar(&group, 1.into())?;
    let zeros = b.full(std::slice::from_ref(&count), 0.into(), DType::I64)?;
    let mut inverse = b.scatter_assign(&zeros, 0, &sorting, &group)?;
    // Sorting is stable: the first of a group is the one with the smallest index.
    let mut indices = b.select(&sorting, 0, &starts)?;
    let groups = indices.dim(0)?;
    let ends = part(b, &starts, 0, 1, groups.clone())?;
    let whole = b.full(&[1.into()], count, DType::I64)?;
    let ends = b.cat(&[ends, whole], 0)?;
    let mut counts = b.sub(&ends, &starts)?;
    if !node.flag("sorted", true)? {
        // By the first appearance.
        let order = second(b.sort_with_indices(&indices, 0)?)?;
        let order = b.convert(&order, DType::I64)?;
        indices = b.select(&indices, 0, &order)?;
        counts = b.select(&counts, 0, &order)?;
        let places = iota(b, &groups, 0, 1, DType::I64)?;
        let zeros = b.full(&[groups], 0.into(), DType::I64)?;
        let rank = b.scatter_assign(&zeros, 0, &order, &places)?;
        inverse = b.select(&rank, 0, &inverse)?;
    }
    let chosen = b.select(&rows, 0, &indices)?;
    let number = chosen.dim(0)?;
    let y = match moved {
        None => b.reshape(&chosen, &[number])?,
        Some(moved) => moved.restored(b, &chosen, number)?,
    };
    Ok(vec![y.into(), indices.into(), inverse.into(), counts.into()])
}

/// An axis that was moved to the front, and the dimensions that were after it there.
struct MovedAxis {
    axis: usize,
    rank: usize,
    inner: Vec<Expr>,
}

impl MovedAxis {
    /// Rows as a tensor with the axis where it was; it has `count` elements.
    fn restored(&self, b: &mut Builder, rows: &Tensor, count: Expr) -> Outcome<Tensor> {
        let mut dims = vec![count];
        dims.extend(self.inner.iter().cloned());
        let front = b.reshape(rows, &dims)?;
        let mut back: Vec<usize> = (1..self.rank).collect();
        back.insert(self.axis, 0);
        b.permuted(&front, &back)
    }
}

/// A row for each of the elements, or slices of an axis, that are compared.
fn compared_rows(b: &mut Builder, x: &Tensor, axis: Option<usize>) -> Outcome<(Tensor, Option<MovedAxis>)> {
    let Some(axis) = axis else {
        return Ok((b.reshape(x, &[Expr::product(x.dims()), 1.into()])?, None));
    };
    let mut order: Vec<usize> = (0..x.rank()).collect();
    order.remove(axis);
    order.insert(0, axis);
    let front = b.permuted(x, &order)?;
    let inner = front.dims()[1..].to_vec();
    let rows = b.reshape(&front, &[x.dim(axis)?, Expr::product(&inner)])?;
    Ok((rows, Some(MovedAxis { axis, rank: order.len(), inner })))
}

/// Which of sorted rows differ from the one before them.
fn starts_group(b: &mut Builder, sorted: &Tensor) -> Outcome<Tensor> {
    let count = sorted.dim(0)?;
    let (before, after) = (part(b, sorted, 0, 0, count.clone() - 1)?, part(b, sorted, 0, 1, count)?);
    let equal = b.equal(&before, &after)?;
    let equal = b.all_dims(&equal, &[1])?;
    let equal = b.squeezed(&equal, &[1])?;
    let differs = b.bool_not(&equal)?;
    let first = b.full(&[1.into()], true.into(), DType::Bool)?;
    b.cat(&[first, differs], 0)
}

fn second(mut pair: Vec<Tensor>) -> Outcome<Tensor> {
    match pair.pop() {
        Some(tensor) => Ok(tensor),
        None => fail!("sorting gives two tensors"),
    }
}

/// The widest rows that are sorted: each column is one pass.
const WIDEST: usize = 4096;

/// The order of rows by their first column, of equal ones by the second, and so on: stable passes from the
/// last column to the first.
fn sorted_rows(b: &mut Builder, rows: &Tensor) -> Outcome<Tensor> {
    let columns = rows.dim(1)?;
    let Some(width) = columns.size().filter(|&width| width <= WIDEST) else {
        fail!("slices of {columns:?} elements are compared, expected a known number of at most {WIDEST}")
    };
    let mut order: Option<Tensor> = None;
    for column in (0..width).rev() {
        let keys = item(b, rows, 1, column)?;
        let keys = match &order {
            Some(order) => b.select(&keys, 0, order)?,
            None => keys,
        };
        let pass = second(b.sort_with_indices(&keys, 0)?)?;
        let pass = b.convert(&pass, DType::I64)?;
        order = Some(match order {
            Some(order) => b.select(&order, 0, &pass)?,
            None => pass,
        });
    }
    match order {
        Some(order) => Ok(order),
        None => iota(b, &rows.dim(0)?, 0, 1, DType::I64),
    }
}

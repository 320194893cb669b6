//! Products of one-hot vectors with a constant matrix as rows of the matrix.

use super::calls::{Calls, LONGEST, either_order};
use crate::builder::Builder;
use crate::calls::Operand;
use crate::error::Outcome;
use crate::graph::Constant;
use crate::program::Program;
use crate::value::{Expr, Tensor};
use burn_ir::{DType, TensorData};
use std::sync::Arc;

/// A product of one-hot vectors with a matrix.
struct OneHotProduct<'a> {
    /// Classes, with a last dimension of size 1.
    classes: &'a Tensor,
    /// Dimensions of the one-hot vectors.
    dims: &'a [Expr],
    matrix: &'a Constant,
    /// Sizes of the matrix, which may have dimensions of size 1 in front.
    sizes: [usize; 2],
}

impl Program {
    /// Replaces `(classes = [0, 1, ..]) matrix` by rows of the matrix, and by zeros where a class has none.
    pub(super) fn find_one_hot_products(&mut self) {
        self.replace(|calls, name, operands| {
            let found = if name == "matmul" { one_hot_product(calls, operands)? } else { return None };
            let table = with_zeros(found.matrix, found.sizes)?;
            let (classes, dims) = (found.classes.clone(), found.dims.to_vec());
            Some(Box::new(move |b| rows(b, &classes, dims, &table)))
        });
    }
}

/// The rows of a table, whose first and last stand for classes below and above all others.
fn rows(b: &mut Builder, classes: &Tensor, mut dims: Vec<Expr>, table: &Constant) -> Outcome<Tensor> {
    let (matrix, last) = (b.constant(table)?, dims.len() - 1);
    dims[last] = Expr::Int(1);
    let classes = if classes.held_dims() == dims { classes.clone() } else { b.expand(classes, &dims)? };
    let classes = b.convert(&classes, DType::I64)?;
    let count = Expr::from(table.data.shape[0] - 2);
    let classes = b.clamp(&classes, Expr::Int(-1), count)?;
    let indices = b.add_scalar(&classes, Expr::Int(1))?;
    let indices = b.reshape(&indices, &[Expr::product(&dims)])?;
    let rows = b.select(&matrix, 0, &indices)?;
    dims[last] = table.data.shape[1].into();
    b.reshape(&rows, &dims)
}

/// A matrix of numbers that are all finite, with a row of zeros before and after it: products with zeros are
/// then zeros.
fn with_zeros(matrix: &Constant, [rows, columns]: [usize; 2]) -> Option<Constant> {
    let numbers: Vec<f32> = matrix.data.iter::<f32>().collect();
    let zeros = vec![0.0; columns];
    let is_finite = matrix.data.dtype == DType::F32 && numbers.iter().all(|number| number.is_finite());
    let numbers = [&zeros[..], &numbers, &zeros].concat();
    let data = Arc::new(TensorData::new(numbers, [rows + 2, columns]));
    is_finite.then(|| Constant { name: matrix.name.clone(), data })
}

fn one_hot_product<'a>(calls: &Calls<'a>, operands: &'a [Operand]) -> Option<OneHotProduct<'a>> {
    let [Operand::Tensor(vectors), Operand::Tensor(matrix)] = operands else { return None };
    let constant = calls.constant(calls.argument(matrix, "unsqueeze_dims").unwrap_or(matrix))?;
    let (dims, mask) = (vectors.held_dims(), is_class(calls, vectors)?);
    let [front @ .., rows, columns] = &constant.data.shape[..] else { return None };
    let (sizes @ [rows, _], is_matrix) = ([*rows, *columns], front.iter().all(|&size| size == 1));
    let pairs = either_order(calls.of(mask, "equal")?)?;
    let is_range = |range: &Tensor| is_range(calls, range, rows);
    let (classes, _) = pairs.into_iter().find(|(_, range)| is_range(range))?;
    let classes = one_of_many(calls, classes)?;
    let fits = matrix.held_dims().len() == dims.len() && classes.held_dims().len() == dims.len();
    let is_whole = dims.last()?.is(i64::try_from(rows).ok()?) && classes.dtype().is_int();
    (fits && is_matrix && is_whole).then_some(OneHotProduct { classes, dims, matrix: constant, sizes })
}

/// The booleans that became ones and zeros.
fn is_class<'a>(calls: &Calls<'a>, vectors: &Tensor) -> Option<&'a Tensor> {
    if let Some(operands) = calls.of(vectors, "mask_where") {
        let [off, mask, on] = [0, 1, 2].map(|place| operands[place].tensor());
        let (off, mask, on) = (off.ok()?, mask.ok()?, on.ok()?);
        let is_known = calls.constant_number(off)? == 0.0 && calls.constant_number(on)? == 1.0;
        return is_known.then_some(mask);
    }
    calls.argument(vectors, "bool_to_float").or_else(|| {
        let ints = calls.argument(vectors, "int_to_float")?;
        calls.argument(ints, "bool_to_int")
    })
}

/// A tensor whose last dimension has size 1, of which one may be repeated along this dimension.
fn one_of_many<'a>(calls: &Calls<'a>, tensor: &'a Tensor) -> Option<&'a Tensor> {
    let has_one = |tensor: &&Tensor| tensor.held_dims().last().is_some_and(|size| size.is(1));
    Some(tensor).filter(has_one).or_else(|| calls.argument(tensor, "expand").filter(has_one))
}

/// Whether a tensor is `0, 1, .. count - 1` along its last dimension, and the same along all others.
fn is_range(calls: &Calls<'_>, tensor: &Tensor, count: usize) -> bool {
    let is_along_last =
        |tensor: &Tensor| tensor.held_dims().last().is_some_and(|size| size.size() == Some(count));
    if !is_along_last(tensor) {
        return false;
    }
    let mut tensor = tensor;
    for _ in 0..LONGEST {
        let arranged = ["reshape", "unsqueeze_dims", "expand"];
        let Some(inner) = arranged.into_iter().find_map(|name| calls.argument(tensor, name)) else { break };
        // Neither a column nor another number of elements.
        let is_same = inner.held_dims().iter().filter(|size| !size.is(1)).count() <= 1;
        if !(is_same && is_along_last(inner)) {
            return false;
        }
        tensor = inner;
    }
    if let Some(operands) = calls.of(tensor, "arange") {
        let [start, end, step] = [0, 1, 2].map(|place| operands[place].number().ok());
        let is_whole = |number: Option<&Expr>, value: usize| number.and_then(Expr::size) == Some(value);
        return is_whole(start, 0) && is_whole(end, count) && is_whole(step, 1);
    }
    let Some(constant) = calls.constant(tensor) else { return false };
    constant.data.dtype.is_int()
        && constant.data.num_elements() == count
        && constant.data.iter::<i64>().eq(0..count as i64)
}

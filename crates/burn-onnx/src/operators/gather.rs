//! Elements at indices.

use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Function, Host, OnnxValue, Tensor};
use burn_ir::DType;

/// Slices of an axis at indices of any shape, which stands in the place of the axis.
pub(super) fn gather(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let axis = node.int("axis", 0)?;
    if let (Some(data), Some(indices)) = (node.as_host(0), node.as_host(1))
        && let Some(values) = on_host(node, &data, &indices, axis)?
    {
        return Ok(vec![values.into()]);
    }
    let x = node.tensor(b, 0)?;
    let axis = node.axis(axis, x.rank())?;
    let indices = non_negative(node, b, 1, &x.dim(axis)?)?;
    if let (OnnxValue::Constant(_), 2, 0, 2) = (node.input(0)?, x.rank(), axis, indices.rank())
        && x.dtype().is_float()
    {
        return Ok(vec![b.embedding(&x, &indices)?.into()]);
    }
    let shape = indices.dims().to_vec();
    let count = Expr::product(&shape);
    let list = b.reshaped(&indices, &[count])?;
    let selected = b.select(&x, axis, &list)?;
    let dims: Vec<Expr> =
        x.dims()[..axis].iter().chain(&shape).chain(&x.dims()[axis + 1..]).cloned().collect();
    Ok(vec![b.reshaped(&selected, &dims)?.into()])
}

fn on_host(node: &Node<'_>, data: &Host, indices: &Host, axis: i64) -> Outcome<Option<Host>> {
    if data.dims.len() != 1 {
        return Ok(None);
    }
    node.axis(axis, 1)?;
    let mut elements = Vec::with_capacity(indices.elements.len());
    for index in &indices.elements {
        let Some(index) = index.known() else { return Ok(None) };
        let size = data.elements.len();
        let front = if index < 0 { index + size as i64 } else { index };
        let Some(element) = usize::try_from(front).ok().and_then(|front| data.elements.get(front)) else {
            fail!("index {index} is beyond the {size} elements");
        };
        elements.push(element.clone());
    }
    Ok(Some(Host { dtype: data.dtype, dims: indices.dims.clone(), elements }))
}

/// Indices as `int64` from the front: negative ones count from the end.
pub(super) fn non_negative(node: &Node<'_>, b: &mut Builder, place: usize, size: &Expr) -> Outcome<Tensor> {
    if let Some(host) = node.as_host(place) {
        let front = host.elements.iter().map(|index| match index.known() {
            Some(known) if known < 0 => index.clone() + size.clone(),
            _ => index.clone(),
        });
        let host = Host { dtype: DType::I64, dims: host.dims.clone(), elements: front.collect() };
        return b.tensor(&host.into());
    }
    let indices = node.tensor(b, place)?;
    require!(indices.dtype().is_int(), "indices must be integers, found {}", indices.dtype());
    let indices = b.convert(&indices, DType::I64)?;
    from_front(b, &indices, size)
}

/// Indices of which negative ones count from the end, all from the front.
pub(super) fn from_front(b: &mut Builder, indices: &Tensor, size: &Expr) -> Outcome<Tensor> {
    let negative = b.lower_elem(indices, 0.into())?;
    let front = b.add_scalar(indices, size.clone())?;
    b.mask_where(indices, &negative, &front)
}

pub(super) fn gather_elements(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let axis = node.axis(node.int("axis", 0)?, x.rank())?;
    let indices = non_negative(node, b, 1, &x.dim(axis)?)?;
    // Indices may be smaller than the data along other axes.
    let mut ranges = Vec::new();
    for (d, (size, wanted)) in x.dims().iter().zip(indices.dims()).enumerate() {
        let whole = d == axis || size == wanted;
        ranges.push(if whole { crate::calls::Range::full() } else { crate::calls::Range::new(0, wanted.clone()) });
    }
    let x = if ranges.iter().all(|range| range.end.is_none()) { x } else { b.slice(&x, &ranges)? };
    Ok(vec![b.gather(&x, axis, &indices)?.into()])
}

/// Slices at tuples of indices: `data` of rank `r` and indices `[.., n]` give `[.., slice of rank r - n]`.
pub(super) fn gather_nd(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, batch) = (node.tensor(b, 0)?, node.int("batch_dims", 0)?);
    let indices = node.tensor(b, 1)?;
    let batch = usize::try_from(batch).ok().filter(|&batch| batch < indices.rank().min(x.rank()));
    let Some(batch) = batch else { fail!("attribute `batch_dims` must be below both ranks") };
    let Some(depth) = indices.dims().last().and_then(Expr::size) else { fail!("the last size of the indices must be known") };
    require!(depth > 0 && batch + depth <= x.rank(), "tuples of {depth} indices for {:?}", x.dims());
    let flat = flat_indices(b, &indices, x.dims(), batch, depth)?;
    // Data as rows, one for each index tuple.
    let rows = Expr::product(&x.dims()[..batch + depth]);
    let rest = x.dims()[batch + depth..].to_vec();
    let mut sizes = vec![rows];
    sizes.extend(rest.iter().cloned());
    let table = b.reshaped(&x, &sizes)?;
    let selected = b.select(&table, 0, &flat)?;
    let dims: Vec<Expr> = indices.dims()[..indices.rank() - 1].iter().chain(&rest).cloned().collect();
    Ok(vec![b.reshaped(&selected, &dims)?.into()])
}

/// The offsets that tuples of indices name, in row-major order of the dimensions `batch..batch + depth` and
/// those before.
pub(super) fn flat_indices(
    b: &mut Builder,
    indices: &Tensor,
    dims: &[Expr],
    batch: usize,
    depth: usize,
) -> Outcome<Tensor> {
    let indices = b.convert(indices, DType::I64)?;
    let last = indices.rank() - 1;
    let count = Expr::product(&indices.dims()[..last]);
    let table = b.reshaped(&indices, &[count.clone(), depth.into()])?;
    let mut flat: Option<Tensor> = None;
    for d in 0..depth {
        let ranges = [crate::calls::Range::full(), crate::calls::Range::new(d, d + 1)];
        let column = b.slice(&table, &ranges)?;
        let column = b.reshaped(&column, std::slice::from_ref(&count))?;
        let column = from_front(b, &column, &dims[batch + d])?;
        flat = Some(match flat {
            Some(flat) => {
                let scaled = b.mul_scalar(&flat, dims[batch + d].clone())?;
                b.add(&scaled, &column)?
            }
            None => column,
        });
    }
    let Some(flat) = flat else { fail!("tuples of no index") };
    if batch == 0 {
        return Ok(flat);
    }
    // Each batch begins after the rows of those before.
    let batches = Expr::product(&dims[..batch]);
    let rows = Expr::product(&dims[batch..batch + depth]);
    let starts = b.arange(Expr::Int(0), batches.clone(), 1, DType::I64)?;
    let starts = b.mul_scalar(&starts, rows)?;
    let starts = b.reshaped(&starts, &[batches.clone(), 1.into()])?;
    let each = Expr::apply(Function::Div, vec![count.clone(), batches.clone()]);
    let table = b.reshaped(&flat, &[batches, each])?;
    let table = b.add(&table, &starts)?;
    b.reshaped(&table, &[count])
}

//! Elements of tensors on the host, as slices, and elementwise kernels over them.

use crate::buffer::with_buffer;
use crate::element::Number;
use crate::memory::in_order;
use candle_core::cpu_backend::{binary_map, unary_map};
use candle_core::{Device, Result, Tensor};
use rayon::prelude::*;

/// From so many elements on, threads share an elementwise kernel.
const PARALLEL: usize = 1 << 15;

/// Calls `f` with the elements in row-major order, which are copied where they lie otherwise.
pub fn read<E: Number, R>(x: &Tensor, f: impl FnOnce(&[E::Stored]) -> R) -> Result<R> {
    // An empty view may start after the end of its buffer.
    if x.elem_count() == 0 {
        return Ok(f(&[]));
    }
    let x = in_order(x)?;
    with_buffer(&x, |all: &[E::Stored], layout| {
        let start = layout.start_offset();
        f(&all[start..start + layout.shape().elem_count()])
    })
}

/// A tensor of these elements.
pub fn make<E: Number>(values: Vec<E::Stored>, shape: &[usize]) -> Result<Tensor> {
    Tensor::from_vec(values, shape, &Device::Cpu)
}

/// `f` of every element.
pub fn map<E: Number, U: Number>(x: &Tensor, f: impl Fn(E) -> U + Sync) -> Result<Tensor> {
    let f = |x: E::Stored| f(E::load(x)).store();
    let values = with_buffer(x, |all: &[E::Stored], layout| match layout.contiguous_offsets() {
        _ if layout.shape().elem_count() == 0 => Vec::new(),
        Some((start, end)) if end - start >= PARALLEL => {
            all[start..end].par_iter().with_min_len(PARALLEL / 8).map(|&x| f(x)).collect()
        }
        Some((start, end)) => all[start..end].iter().map(|&x| f(x)).collect(),
        None => unary_map(all, layout, f),
    })?;
    make::<U>(values, x.dims())
}

/// `f` of every pair of elements of two tensors of one shape.
pub fn zip<E: Number, U: Number>(x: &Tensor, y: &Tensor, f: impl Fn(E, E) -> U + Sync) -> Result<Tensor> {
    let f = |x: E::Stored, y: E::Stored| f(E::load(x), E::load(y)).store();
    let values = with_buffer(x, |xs: &[E::Stored], left| {
        with_buffer(y, |ys: &[E::Stored], right| {
            match (left.contiguous_offsets(), right.contiguous_offsets()) {
                _ if left.shape().elem_count() == 0 => Vec::new(),
                (Some((a, b)), Some((c, d))) if b - a >= PARALLEL => {
                    let pairs = xs[a..b].par_iter().zip(&ys[c..d]).with_min_len(PARALLEL / 8);
                    pairs.map(|(&x, &y)| f(x, y)).collect()
                }
                (Some((a, b)), Some((c, d))) => {
                    xs[a..b].iter().zip(&ys[c..d]).map(|(&x, &y)| f(x, y)).collect()
                }
                _ => binary_map(left, right, xs, ys, f),
            }
        })
    })??;
    make::<U>(values, x.dims())
}

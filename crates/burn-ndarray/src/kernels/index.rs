use crate::elements::arithmetic::Arithmetic;
use crate::elements::collapsed::collapse;
use crate::elements::dtype::with_stored;
use crate::kernels::cast::cast;
use crate::kernels::copy::with_width;
use crate::kernels::layout::outer_size_inner;
use crate::kernels::slice_updates::{combine, update_slices};
use crate::simd::dispatch;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{
    DType, Dims, HasSpec, IndexUpdate, OpError, OpErrorKind, Shape, TensorSpec, kernel_error,
};
use core::sync::atomic::{AtomicBool, Ordering};

/// Share of the L2 cache for a band of columns, in bytes.
const COLUMN_BYTES: usize = 256 << 10;

/// Indices as `i64` in order, and what is said of those that lie outside.
#[derive(Debug)]
struct Indices {
    all: NdTensor,
    dtype: DType,
    op: &'static str,
}

impl Indices {
    fn new(indices: NdTensor, op: &'static str) -> Self {
        let dtype = indices.spec().dtype;
        Indices { all: cast(indices, DType::I64).into_contiguous(), dtype, op }
    }

    /// # Panics
    /// When one does not lie in dimension `dim` of `x`.
    #[track_caller]
    fn check(&self, x: &Shape, dim: usize) {
        let (all, size): (&[i64], usize) = (self.all.slice(), x[dim]);
        let valid = AtomicBool::new(true);
        parallel::for_ranges(all.len(), 1, &|range| {
            if !all_below(&all[range], size) {
                valid.store(false, Ordering::Relaxed);
            }
        });
        if !valid.into_inner() {
            let outside = all.iter().find(|&&index| index < 0 || index as u64 >= size as u64);
            out_of_range(self.op, *outside.expect("one was found"), self.dtype, x, dim);
        }
    }
}

/// Indices as `i64` in order, each checked to lie in dimension `dim` of `x`.
///
/// # Panics
/// When one does not.
#[track_caller]
fn checked(indices: NdTensor, x: &Shape, dim: usize, op: &'static str) -> NdTensor {
    let indices = Indices::new(indices, op);
    indices.check(x, dim);
    indices.all
}

#[inline(always)]
fn all_below_body<const FMA: bool>(indices: &[i64], size: usize) -> bool {
    let mut all = true;
    for &index in indices {
        all &= (index as u64) < size as u64;
    }
    all
}
dispatch! { fn all_below(indices: &[i64], size: usize) -> bool = all_below_body }

#[cold]
#[track_caller]
fn out_of_range(op: &'static str, index: i64, dtype: DType, x: &Shape, dim: usize) -> ! {
    // Beyond the largest `i64` they have wrapped around.
    let index = if dtype == DType::U64 { i128::from(index as u64) } else { i128::from(index) };
    let text = alloc::format!(
        "index {index} is out of range for dimension {dim} of {x:?}, which has size {}",
        x[dim]
    );
    kernel_error::raise(OpError { op, kind: OpErrorKind::Argument(text.into()).into() })
}

/// Strides of `x`, with that of `dim` apart.
fn strides_without(x: &NdTensor, dim: usize) -> (Dims, usize) {
    let mut strides = x.strides();
    let step = core::mem::replace(&mut strides[dim], 0);
    (strides, step)
}

#[track_caller]
pub fn gather(x: &NdTensor, dim: usize, indices: NdTensor) -> NdTensor {
    let checks = Indices::new(indices, "gather");
    let indices = &checks.all;
    let mut out = NdTensor::new(TensorSpec { shape: indices.shape().clone(), dtype: x.spec().dtype });
    if out.len() == 0 {
        return out;
    }
    if x.is_contiguous() && *indices.shape() == x.shape().with(dim, indices.shape()[dim]) {
        let walk = Along::new(x, dim, &checks);
        with_width!(x.spec().dtype.size(), E => {
            let (to, from) = (Shared(out.start_mut().cast::<E>()), Shared(x.start().cast::<E>().cast_mut()));
            walk.for_each(move |at, x_at| {
                // SAFETY: indices are below the size of their dimension, and each element of `out` is written
                // once.
                unsafe { to.get().add(at).write(from.get().add(x_at).read()) };
            });
        });
        return out;
    }
    checks.check(x.shape(), dim);
    let (strides, step) = strides_without(x, dim);
    let walk = collapse(indices.shape(), [&strides, &indices.strides()]);
    let (inner, along) = (walk.inner(), walk.step(0));
    with_width!(x.spec().dtype.size(), E => {
        let (to, from) = (Shared(out.start_mut().cast::<E>()), Shared(x.start().cast::<E>().cast_mut()));
        let indices: &[i64] = indices.slice();
        parallel::for_ranges(walk.rows(), inner * 4, &|rows| {
            walk.for_rows(rows, |[x_at, at]| {
                for (i, &index) in indices[at..at + inner].iter().enumerate() {
                    let x_at = x_at.wrapping_add(along.wrapping_mul(i)).wrapping_add(step.wrapping_mul(index as usize));
                    // SAFETY: indices are below the size of their dimension, other coordinates are those of
                    // an index tensor that is no larger than `x`; each element of `out` is written once.
                    unsafe { to.get().wrapping_add(at + i).write(from.get().wrapping_add(x_at).read()) };
                }
            });
        });
    });
    out
}

/// A walk over indices along `dim` that are as many as the elements of `x` along all other dimensions.
struct Along<'a> {
    outer: usize,
    size: usize,
    inner: usize,
    count: usize,
    /// Columns that are walked down together: what they pick from stays in the cache.
    width: usize,
    indices: &'a [i64],
    checks: &'a Indices,
    shape: Shape,
    dim: usize,
}

impl<'a> Along<'a> {
    /// The indices are checked here, unless they are checked row by row.
    #[track_caller]
    fn new(x: &NdTensor, dim: usize, checks: &'a Indices) -> Self {
        let [outer, size, inner] = outer_size_inner(x.shape(), dim);
        let (count, indices): (usize, &[i64]) = (checks.all.shape()[dim], checks.all.slice());
        if inner > 1 {
            checks.check(x.shape(), dim);
        }
        let width = (COLUMN_BYTES / (size * x.spec().dtype.size()).max(1)).clamp(16, 1024).min(inner);
        Along { outer, size, inner, count, width, indices, shape: x.shape().clone(), dim, checks }
    }

    /// Calls `f(at, x_at)` with the position of an index and that of the element it means, in the order of
    /// the indices for every element of `x`. Threads have elements of `x` of their own.
    #[inline(always)]
    #[track_caller]
    fn for_each(&self, f: impl Fn(usize, usize) + Copy + Sync) {
        let &Along { outer, size, inner, count, width, indices, .. } = self;
        if inner == 1 {
            let valid = AtomicBool::new(true);
            parallel::for_ranges(outer, count * 2, &|rows| {
                // A copy of the thread's own stays in registers, whatever is written.
                let own = f;
                for row in rows {
                    let (at, x_at) = (row * count, row * size);
                    for (k, &index) in indices[at..at + count].iter().enumerate() {
                        // Checked here, while it is in a register: to read indices twice takes longer.
                        if index as u64 >= size as u64 {
                            return valid.store(false, Ordering::Relaxed);
                        }
                        own(at + k, x_at + index as usize);
                    }
                }
            });
            if !valid.into_inner() {
                self.checks.check(&self.shape, self.dim);
            }
            return;
        }
        let bands = inner.div_ceil(width);
        parallel::for_ranges(outer * bands, count * width * 2, &|range| {
            let own = f;
            for part in range {
                let (o, column) = (part / bands, part % bands * width);
                let width = width.min(inner - column);
                for k in 0..count {
                    let (at, x_at) = ((o * count + k) * inner + column, o * size * inner + column);
                    for (i, &index) in indices[at..at + width].iter().enumerate() {
                        own(at + i, x_at + index as usize * inner + i);
                    }
                }
            }
        });
    }
}

#[track_caller]
fn scatter_along<E: Arithmetic>(walk: &Along<'_>, out: &mut [E], values: &[E], update: IndexUpdate) {
    match update {
        // The update of gradients: to choose among updates for each element takes longer than to add it.
        IndexUpdate::Add => update_along(walk, out, values, E::plus),
        IndexUpdate::Assign | IndexUpdate::Multiply | IndexUpdate::Min | IndexUpdate::Max => {
            update_along(walk, out, values, |old, new| combine(old, new, update));
        }
    }
}

#[inline(always)]
#[track_caller]
fn update_along<E: Arithmetic>(
    walk: &Along<'_>,
    out: &mut [E],
    values: &[E],
    combined: impl Fn(E, E) -> E + Copy + Sync,
) {
    assert_eq!(values.len(), walk.indices.len(), "each index has a value");
    let (out, values) = (Shared(out.as_mut_ptr()), Shared(values.as_ptr().cast_mut()));
    walk.for_each(move |at, x_at| {
        // SAFETY: `x_at` lies within the tensor that the walk is made for, whose elements these are, since
        // indices are below the size of their dimension; each thread has elements of its own. `at` is the
        // position of an index.
        unsafe {
            let out = out.get().add(x_at);
            out.write(combined(out.read(), values.get().add(at).read()));
        }
    });
}

#[track_caller]
pub fn scatter(
    mut x: NdTensor,
    dim: usize,
    indices: NdTensor,
    value: NdTensor,
    update: IndexUpdate,
) -> NdTensor {
    let checks = Indices::new(indices, "scatter");
    let indices = &checks.all;
    let value = value.into_contiguous();
    if indices.len() == 0 {
        return x;
    }
    if *indices.shape() == x.shape().with(dim, indices.shape()[dim]) {
        let walk = Along::new(&x, dim, &checks);
        with_stored!("scatter", x.spec().dtype, E => {
            scatter_along(&walk, x.make_mut::<E>(), value.slice::<E>(), update);
        });
        return x;
    }
    checks.check(x.shape(), dim);
    with_stored!("scatter", x.spec().dtype, E => {
        x.make_mut::<E>();
        let (strides, step) = strides_without(&x, dim);
        let walk = collapse(indices.shape(), [&strides, &indices.strides()]);
        let (inner, along) = (walk.inner(), walk.step(0));
        let (out, values, indices) = (x.make_mut::<E>(), value.slice::<E>(), indices.slice::<i64>());
        walk.for_rows(0..walk.rows(), |[x_at, at]| {
            for i in at..at + inner {
                let out = &mut out[x_at + along * (i - at) + step * indices[i] as usize];
                *out = combine(*out, values[i], update);
            }
        });
    });
    x
}

#[track_caller]
pub fn select(x: NdTensor, dim: usize, indices: NdTensor) -> NdTensor {
    let indices = checked(indices, x.shape(), dim, "select");
    let x = x.into_contiguous();
    let [outer, size, inner] = outer_size_inner(x.shape(), dim);
    let count = indices.len();
    let mut out = NdTensor::new(TensorSpec { shape: x.shape().with(dim, count), dtype: x.spec().dtype });
    if inner == 1 {
        let indices: &[i64] = indices.slice();
        with_width!(x.spec().dtype.size(), E => {
            let (to, from) = (Shared(out.start_mut().cast::<E>()), Shared(x.start().cast::<E>().cast_mut()));
            parallel::for_ranges(outer, count * 2, &|rows| {
                for row in rows {
                    for (k, &index) in indices.iter().enumerate() {
                        // SAFETY: indices are below the size of their dimension; each element is written
                        // once.
                        unsafe { to.get().add(row * count + k).write(from.get().add(row * size + index as usize).read()) };
                    }
                }
            });
        });
        return out;
    }
    let (indices, bytes) = (indices.slice::<i64>(), inner * x.spec().dtype.size());
    let from = x.bytes();
    parallel::for_chunks(out.bytes_mut(), bytes, bytes / 4 + 8, &|k, slice| {
        let at = (k / count * size + indices[k % count] as usize) * bytes;
        slice.copy_from_slice(&from[at..at + bytes]);
    });
    out
}

#[track_caller]
pub fn select_assign(
    mut x: NdTensor,
    dim: usize,
    indices: NdTensor,
    value: NdTensor,
    update: IndexUpdate,
) -> NdTensor {
    let indices = checked(indices, x.shape(), dim, "select_assign");
    let value = value.into_contiguous();
    let sizes = outer_size_inner(x.shape(), dim);
    with_stored!("select_assign", x.spec().dtype, E => {
        update_slices(sizes, indices.slice(), x.make_mut::<E>(), value.slice::<E>(), update);
    });
    x
}

/// Coordinates of the true elements, `[count, rank]`.
pub fn argwhere(mask: NdTensor, index: DType) -> NdTensor {
    let mask = mask.into_contiguous();
    let (shape, strides) = (mask.shape().clone(), mask.shape().strides());
    let hits = || mask.slice::<u8>().iter().enumerate().filter(|(_, hit)| **hit != 0).map(|(at, _)| at);
    let spec = TensorSpec::new([hits().count(), shape.rank()], DType::I64);
    let found = NdTensor::with::<i64>(spec, |out| {
        for (row, at) in out.chunks_exact_mut(shape.rank().max(1)).zip(hits()) {
            row.iter_mut().enumerate().for_each(|(d, out)| *out = (at / strides[d] % shape[d]) as i64);
        }
    });
    cast(found, index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miri::shrink;

    /// Small whole numbers, whose sums are exact.
    fn numbers(shape: [usize; 3], seed: usize) -> NdTensor {
        NdTensor::with(TensorSpec::new(shape, DType::F32), |xs: &mut [f32]| {
            xs.iter_mut().enumerate().for_each(|(i, x)| *x = ((i * 7 + seed) % 13) as f32 - 6.0);
        })
    }

    /// Indices below `size`, some of which recur more often than others.
    fn indices<const R: usize>(shape: [usize; R], size: usize) -> NdTensor {
        NdTensor::with(TensorSpec::new(shape, DType::I64), |xs: &mut [i64]| {
            xs.iter_mut().enumerate().for_each(|(i, x)| *x = (i * i % size) as i64);
        })
    }

    #[test]
    fn select_assign_with_recurring_indices_adds_all_values_in_every_band() {
        for [outer, size, inner, count] in shrink(
            [[1, 9, 300, 500], [3, 4, 70, 90], [2, 6, 5, 40], [1, 7, 1, 64]],
            [[1, 3, 70, 5], [2, 2, 17, 3], [2, 3, 5, 4], [1, 3, 1, 4]],
        ) {
            let (x, values) = (numbers([outer, size, inner], 1), numbers([outer, count, inner], 2));
            let indices = indices([count], size);
            let found = select_assign(x.clone(), 1, indices.clone(), values.clone(), IndexUpdate::Add);
            let mut wanted = x.slice::<f32>().to_vec();
            for (at, value) in values.slice::<f32>().iter().enumerate() {
                let (o, k, column) = (at / (count * inner), at / inner % count, at % inner);
                wanted[(o * size + indices.slice::<i64>()[k] as usize) * inner + column] += value;
            }
            assert_eq!(found.slice::<f32>(), wanted, "{outer} {size} {inner} {count}");
        }
    }

    #[test]
    fn scatter_with_recurring_indices_updates_by_all_values() {
        for [outer, size, inner, count] in
            shrink([[40, 9, 1, 700], [3, 5, 33, 60]], [[3, 3, 1, 9], [2, 3, 5, 4]])
        {
            let (x, values) = (numbers([outer, size, inner], 1), numbers([outer, count, inner], 2));
            let indices = indices([outer, count, inner], size);
            for update in [IndexUpdate::Add, IndexUpdate::Max] {
                let found = scatter(x.clone(), 1, indices.clone(), values.clone(), update);
                let mut wanted = x.slice::<f32>().to_vec();
                for (at, &value) in values.slice::<f32>().iter().enumerate() {
                    let (o, column) = (at / (count * inner), at % inner);
                    let to = (o * size + indices.slice::<i64>()[at] as usize) * inner + column;
                    wanted[to] =
                        if update == IndexUpdate::Add { wanted[to] + value } else { wanted[to].max(value) };
                }
                assert_eq!(found.slice::<f32>(), wanted, "{outer} {size} {inner} {count} {update:?}");
            }
        }
    }
}

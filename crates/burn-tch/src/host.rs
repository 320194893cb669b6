//! Elements of tensors on the host, as slices, and kernels over them.

use crate::element::Number;
use crate::memory::in_order;
use crate::parallel::for_ranges;
use crate::sizes::sizes;
use rayon::prelude::*;
use std::ops::Range;
use std::slice;
use tch::{Device, TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// From so many elements on, threads share an elementwise kernel.
const PARALLEL: usize = 1 << 15;

fn checked<E: Number>(x: &Tensor) -> Result<usize> {
    let kind = x.f_kind()?;
    if kind != E::kind() || x.device() != Device::Cpu {
        return Err(TchError::Kind(format!(
            "{:?} on the host wanted, {kind:?} on {:?} given",
            E::kind(),
            x.device()
        )));
    }
    Ok(x.numel())
}

/// Calls `f` with the elements in row-major order, which are copied where they lie otherwise.
pub fn read<E: Number, R>(x: &Tensor, f: impl FnOnce(&[E::Stored]) -> R) -> Result<R> {
    let count = checked::<E>(x)?;
    // An empty tensor may have no address.
    if count == 0 {
        return Ok(f(&[]));
    }
    let x = in_order(x)?;
    // SAFETY: `x` is on the host, has `count` elements of this type in order, and lives until `f` returns.
    // Who writes to a tensor holds it alone.
    Ok(f(unsafe { slice::from_raw_parts(x.data_ptr().cast_const().cast::<E::Stored>(), count) }))
}

/// Calls `f` with the elements of `x`, which no other tensor holds and which lie in order.
pub fn write<E: Number>(x: &mut Tensor, f: impl FnOnce(&mut [E::Stored])) -> Result<()> {
    let count = checked::<E>(x)?;
    if count == 0 {
        f(&mut []);
        return Ok(());
    }
    if !x.is_contiguous() {
        return Err(TchError::Shape("elements in order wanted".into()));
    }
    // SAFETY: as in `read`; the borrow of `x` is exclusive, and its caller says that no other handle is read.
    f(unsafe { slice::from_raw_parts_mut(x.data_ptr().cast::<E::Stored>(), count) });
    Ok(())
}

/// A new tensor on the host, all of whose elements `f` writes over zeros.
pub fn make<E: Number>(shape: &[usize], f: impl FnOnce(&mut [E::Stored])) -> Result<Tensor> {
    let mut x = Tensor::f_zeros(sizes(shape), (E::kind(), Device::Cpu))?;
    write::<E>(&mut x, f)?;
    Ok(x)
}

/// The number of elements along each dimension.
pub fn shape(x: &Tensor) -> Vec<usize> {
    x.size().into_iter().map(|size| size as usize).collect()
}

/// `f` of every element.
pub fn map<E: Number, U: Number>(x: &Tensor, f: impl Fn(E) -> U + Sync) -> Result<Tensor> {
    read::<E, _>(x, |xs| {
        make::<U>(&shape(x), |out| {
            let run = |(out, &x): (&mut U::Stored, &E::Stored)| *out = f(E::load(x)).store();
            if out.len() < PARALLEL {
                out.iter_mut().zip(xs).for_each(run);
            } else {
                out.par_iter_mut().zip(xs).with_min_len(PARALLEL / 8).for_each(run);
            }
        })
    })?
}

/// `f` of every element, written over it.
pub fn map_in_place<E: Number>(x: &mut Tensor, f: impl Fn(E) -> E + Sync) -> Result<()> {
    write::<E>(x, |xs| {
        let run = |x: &mut E::Stored| *x = f(E::load(*x)).store();
        if xs.len() < PARALLEL {
            xs.iter_mut().for_each(run);
        } else {
            xs.par_iter_mut().with_min_len(PARALLEL / 8).for_each(run);
        }
    })
}

/// Elements that several threads write, each in ranges of its own.
struct Out<S>(*mut S);

// SAFETY: as the type says.
unsafe impl<S: Send> Sync for Out<S> {}

impl<S> Out<S> {
    /// # Safety
    /// The range is within the elements, and no other that overlaps is in use.
    #[allow(clippy::mut_from_ref, reason = "ranges do not overlap")]
    unsafe fn range(&self, range: Range<usize>) -> &mut [S] {
        // SAFETY: as the caller says.
        unsafe { slice::from_raw_parts_mut(self.0.add(range.start), range.len()) }
    }
}

/// Writes `value` where the mask, in the order of `x`, is true.
pub fn fill<E: Number>(x: &mut Tensor, mask: &Tensor, value: E) -> Result<()> {
    read::<bool, _>(mask, |mask| {
        write::<E>(x, |xs| {
            let (count, out, value) = (xs.len().min(mask.len()), Out(xs.as_mut_ptr()), value.store());
            for_ranges(count, PARALLEL, &|range| {
                // SAFETY: ranges of a call do not overlap, and end at `count`.
                let xs = unsafe { out.range(range.clone()) };
                xs.iter_mut()
                    .zip(&mask[range])
                    .for_each(|(x, &is_filled)| *x = if is_filled { value } else { *x });
            });
        })
    })?
}

/// `f` of every pair of elements of two tensors that broadcast.
pub fn zip<E: Number, U: Number>(
    x: &Tensor,
    y: &Tensor,
    shape: &[usize],
    f: impl Fn(E, E) -> U + Sync,
) -> Result<Tensor> {
    let wide =
        |x: &Tensor| if x.numel() == 1 { Ok(x.shallow_clone()) } else { x.f_expand(sizes(shape), false) };
    let (x, y) = (wide(x)?, wide(y)?);
    read::<E, _>(&x, |xs| {
        read::<E, _>(&y, |ys| {
            make::<U>(shape, |out| {
                let lone = |list: &[E::Stored]| (list.len() == 1 && out.len() != 1).then(|| list[0]);
                let (left, right) = (lone(xs), lone(ys));
                let run = |(at, out): (usize, &mut U::Stored)| {
                    let x = left.unwrap_or_else(|| xs[at]);
                    let y = right.unwrap_or_else(|| ys[at]);
                    *out = f(E::load(x), E::load(y)).store();
                };
                if out.len() < PARALLEL {
                    out.iter_mut().enumerate().for_each(run);
                } else {
                    out.par_iter_mut().enumerate().with_min_len(PARALLEL / 8).for_each(run);
                }
            })
        })?
    })?
}

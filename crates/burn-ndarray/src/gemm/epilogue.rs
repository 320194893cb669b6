//! Epilogue of `f32` products and convolutions: operations on the result that their kernels apply as they
//! store it.

use crate::kernels::bounds::Bounds;
use crate::simd::{Lanes, prefetch};
use crate::threads::parallel;

/// Elements of a part that one thread goes through.
const CHUNK: usize = 1 << 14;

/// Elements that memory hands over at once.
const LINE: usize = 16;

/// Bias, residual and bounds of a result. Each sum is rounded before the next operation, as in separate
/// calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epilogue<'a> {
    /// One number per channel, with which sums begin.
    pub bias: Option<&'a [f32]>,
    /// Tensor of the shape of the result that is added to it.
    pub residual: Option<&'a [f32]>,
    /// Bounds of all results, applied last.
    pub bounds: Option<Bounds>,
}

impl Epilogue<'_> {
    /// Returns the epilogue of rows of results: the first belongs to `channel` and begins at element `start`
    /// of the result.
    pub fn rows(&self, channel: usize, start: usize) -> RowsEpilogue {
        RowsEpilogue {
            bias: self.bias.map(|bias| bias[channel..].as_ptr()),
            residual: self.residual.map(|residual| residual[start..].as_ptr()),
            bounds: self.bounds,
        }
    }

    /// Returns the epilogue of one channel, whose first plane begins at element `start` of the result.
    pub fn channel(&self, channel: usize, start: usize) -> ChannelEpilogue {
        ChannelEpilogue {
            bias: self.bias.map_or(0.0, |bias| bias[channel]),
            residual: self.residual.map(|residual| residual[start..].as_ptr()),
            bounds: self.bounds.unwrap_or(Bounds::NONE),
        }
    }

    /// Applies residual and bounds to sums that include the bias, in a pass of its own.
    pub fn finish_all(&self, out: &mut [f32]) {
        let Epilogue { bias: _, residual, bounds } = *self;
        if residual.is_none() && bounds.is_none() {
            return;
        }
        let bounds = bounds.unwrap_or(Bounds::NONE);
        parallel::for_chunks(out, CHUNK, CHUNK, &|index, part| match residual {
            Some(residual) => {
                let residual = &residual[index * CHUNK..];
                part.iter_mut().zip(residual).for_each(|(x, y)| *x = bounds.apply_one(*x + *y));
            }
            None => part.iter_mut().for_each(|x| *x = bounds.apply_one(*x)),
        });
    }
}

/// [`Epilogue`] of rows of results, each of which belongs to one channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowsEpilogue {
    /// One number per row.
    pub bias: Option<*const f32>,
    /// Elements to add, in the layout of the results: that of `out + n` is at `residual + n`.
    pub residual: Option<*const f32>,
    pub bounds: Option<Bounds>,
}

impl RowsEpilogue {
    /// Returns the sums that a tile of rows from `row` on begins with.
    ///
    /// # Safety
    /// There is a bias for each row, and the machine has the instructions of `V`.
    #[inline(always)]
    pub unsafe fn bias_tile<V: Lanes, const M: usize, const N: usize>(&self, row: usize) -> [[V; N]; M] {
        // SAFETY: by the contract.
        unsafe {
            let mut sums = [[V::splat(0.0); N]; M];
            if let Some(bias) = self.bias {
                for m in 0..M {
                    sums[m] = [V::splat(*bias.wrapping_add(row + m)); N];
                }
            }
            sums
        }
    }

    /// Returns the result of a sum of products: that of `row`, `at` elements after the first one.
    ///
    /// # Safety
    /// The row has a bias, and the element a residual.
    #[inline(always)]
    pub unsafe fn apply_one(&self, sum: f32, row: usize, at: usize) -> f32 {
        // SAFETY: by the contract.
        unsafe {
            let sum = sum + self.bias.map_or(0.0, |bias| *bias.wrapping_add(row));
            let sum = self.residual.map_or(sum, |residual| sum + *residual.wrapping_add(at));
            self.bounds.map_or(sum, |bounds| bounds.apply_one(sum))
        }
    }

    /// Asks for the residual of a tile whose rows are `step` elements apart, before its sums are computed:
    /// each row is another plane, which no processor foresees.
    #[inline(always)]
    pub fn prefetch_residual<V: Lanes, const M: usize, const N: usize>(&self, at: usize, step: usize) {
        if let Some(residual) = self.residual {
            for m in 0..M {
                prefetch_elements(residual.wrapping_add(at.wrapping_add(m * step)), N * V::LANES);
            }
        }
    }

    /// Adds the residual to a tile of whole vectors, whose rows are `step` elements apart and begin with
    /// element `at`.
    ///
    /// # Safety
    /// These elements have a residual, and the machine has the instructions of `V`.
    #[inline(always)]
    pub unsafe fn add_residual<V: Lanes, const M: usize, const N: usize>(
        &self,
        mut tile: [[V; N]; M],
        at: usize,
        step: usize,
    ) -> [[V; N]; M] {
        if let Some(residual) = self.residual {
            for m in 0..M {
                for n in 0..N {
                    let from = residual.wrapping_add(at + m * step + n * V::LANES);
                    // SAFETY: by the contract.
                    tile[m][n] = unsafe { tile[m][n].plus(V::load(from)) };
                }
            }
        }
        tile
    }

    /// Bounds a tile.
    ///
    /// # Safety
    /// The machine has the instructions of `V`.
    #[inline(always)]
    pub unsafe fn bound<V: Lanes, const M: usize, const N: usize>(&self, tile: [[V; N]; M]) -> [[V; N]; M] {
        match self.bounds {
            // SAFETY: by the contract.
            Some(bounds) => unsafe { bounds.apply_tile(tile) },
            None => tile,
        }
    }
}

/// [`Epilogue`] of one channel.
#[derive(Clone, Copy, Debug)]
pub struct ChannelEpilogue {
    /// Number with which sums begin.
    pub bias: f32,
    /// Elements to add, in the layout of the results: that of `out + n` is at `residual + n`.
    pub residual: Option<*const f32>,
    pub bounds: Bounds,
}

/// Asks for elements that lie side by side. They need not exist.
#[inline(always)]
pub fn prefetch_elements(from: *const f32, count: usize) {
    for at in (0..count).step_by(LINE) {
        prefetch(from.wrapping_add(at).cast());
    }
}

//! Columns of a product behind the last whole vector, multiplied one by one along the dimension between the factors.

use crate::simd::Lanes;

/// Most columns that are multiplied one by one.
pub const SINGLES: usize = 8;

/// Products of `M` rows, `step` apart, with a column, all of `depth` contiguous elements.
///
/// # Safety
/// They may be read, and the machine has the instructions of `V`.
#[inline(always)]
pub unsafe fn rows_by_column<V: Lanes, const M: usize>(
    rows: *const f32,
    step: usize,
    depth: usize,
    column: *const f32,
) -> [f32; M] {
    // SAFETY: by the contract.
    unsafe {
        let mut sums = [V::splat(0.0); M];
        let mut k = 0;
        while k + V::LANES <= depth {
            let x = V::load(column.add(k));
            for m in 0..M {
                sums[m] = V::load(rows.add(m * step + k)).times_plus(x, sums[m]);
            }
            k += V::LANES;
        }
        if k < depth {
            let x = V::load_first(column.add(k), depth - k);
            for m in 0..M {
                sums[m] = V::load_first(rows.add(m * step + k), depth - k).times_plus(x, sums[m]);
            }
        }
        V::sums(sums)
    }
}

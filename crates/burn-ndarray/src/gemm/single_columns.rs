//! Columns of a product after the last whole vector, multiplied one by one along the dimension between the
//! factors.

use crate::simd::Lanes;

/// Most columns that are multiplied one by one.
pub const SINGLES: usize = 8;

/// Products of `M` rows, `step` apart, with each of `C` columns, one after the other. All have `depth`
/// contiguous elements.
///
/// # Safety
/// They may be read, and the machine has the instructions of `V`.
#[inline(always)]
pub unsafe fn rows_by_columns<V: Lanes, const M: usize, const C: usize>(
    rows: *const f32,
    step: usize,
    depth: usize,
    columns: *const f32,
) -> [[f32; M]; C] {
    // SAFETY: by the contract.
    unsafe {
        let mut sums = [[V::splat(0.0); M]; C];
        let mut k = 0;
        while k + V::LANES <= depth {
            let mut x = [V::splat(0.0); C];
            for c in 0..C {
                x[c] = V::load(columns.add(c * depth + k));
            }
            for m in 0..M {
                let row = V::load(rows.add(m * step + k));
                for c in 0..C {
                    sums[c][m] = row.times_plus(x[c], sums[c][m]);
                }
            }
            k += V::LANES;
        }
        if k < depth {
            let mut x = [V::splat(0.0); C];
            for c in 0..C {
                x[c] = V::load_first(columns.add(c * depth + k), depth - k);
            }
            for m in 0..M {
                let row = V::load_first(rows.add(m * step + k), depth - k);
                for c in 0..C {
                    sums[c][m] = row.times_plus(x[c], sums[c][m]);
                }
            }
        }
        let mut all = [[0.0; M]; C];
        for c in 0..C {
            all[c] = V::sums(sums[c]);
        }
        all
    }
}

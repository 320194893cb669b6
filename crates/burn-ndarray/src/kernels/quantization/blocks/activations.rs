use crate::memory::list;
use crate::simd::dispatch;
use alloc::vec::Vec;

/// Elements whose codes are added up for the minima of sub-blocks.
pub const SUM: usize = 16;

/// Rows of floats as 8-bit integers: blocks of `d q`, with `q` from -127 to 127.
///
/// The rounding of an element is at most `d / 2`, `d` being the largest magnitude of the block over 127.
#[derive(Debug)]
pub struct Activations {
    depth: usize,
    block: usize,
    codes: Vec<i8>,
    scales: Vec<f32>,
    sums: Vec<i16>,
    minima: Vec<f32>,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct ActivationRow<'a> {
    pub codes: &'a [i8],
    /// `d`, by block.
    pub scales: &'a [f32],
    /// Sums of [`SUM`] codes.
    pub sums: &'a [i16],
    /// Sum of a block, `d` times that of its codes.
    pub minima: &'a [f32],
}

impl Activations {
    /// Quantizes rows of `depth` elements, a whole number of blocks.
    pub fn new(x: &[f32], depth: usize, block: usize) -> Self {
        let mut all = Activations {
            depth,
            block,
            codes: list(0, x.len()),
            scales: list(0.0, x.len() / block),
            sums: list(0, x.len() / SUM),
            minima: list(0.0, x.len() / block),
        };
        quantize(&mut all, x);
        all
    }

    pub fn row(&self, row: usize) -> ActivationRow<'_> {
        let part = |size: usize| row * (self.depth / size)..(row + 1) * (self.depth / size);
        ActivationRow {
            codes: &self.codes[part(1)],
            scales: &self.scales[part(self.block)],
            sums: &self.sums[part(SUM)],
            minima: &self.minima[part(self.block)],
        }
    }
}

/// The largest magnitude, without NaN, and whether there is a NaN. Blocks are whole rounds of lanes, which do
/// not wait for each other.
#[inline(always)]
fn magnitude(x: &[f32]) -> (f32, bool) {
    const LANES: usize = 16;
    let (mut largest, mut are_nan) = ([0.0_f32; LANES], [false; LANES]);
    for x in x.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            let size = x[lane].abs();
            largest[lane] = if size > largest[lane] { size } else { largest[lane] };
            are_nan[lane] |= x[lane].is_nan();
        }
    }
    let most = largest.into_iter().fold(0.0, |most, size| if size > most { size } else { most });
    (most, are_nan.contains(&true))
}

#[inline(always)]
fn quantize_body<const FMA: bool>(out: &mut Activations, x: &[f32]) {
    // Numbers of its size have no fraction: what is added to it is rounded to an integer, halves to the even
    // one.
    const WHOLE: f32 = 12_582_912.0;
    for (index, x) in x.chunks_exact(out.block).enumerate() {
        let (largest, is_nan) = magnitude(x);
        // Scales below the smallest normal number would have too few digits.
        let is_zero = largest < 127.0 * f32::MIN_POSITIVE;
        let inverse = if is_zero { 0.0 } else { 127.0 / largest };
        let scale = if is_zero { 0.0 } else { largest / 127.0 };
        let scale = if is_nan || largest == f32::INFINITY { f32::NAN } else { scale };
        let codes = &mut out.codes[index * x.len()..][..x.len()];
        for (code, x) in codes.iter_mut().zip(x) {
            *code = (x * inverse + WHOLE).to_bits().wrapping_sub(WHOLE.to_bits()) as i8;
        }
        let mut total = 0;
        for (part, codes) in codes.chunks_exact(SUM).enumerate() {
            let mut sum = 0_i16;
            for code in codes {
                sum += i16::from(*code);
            }
            out.sums[index * (x.len() / SUM) + part] = sum;
            total += i32::from(sum);
        }
        out.scales[index] = scale;
        out.minima[index] = scale * total as f32;
    }
}
dispatch! { narrow fn quantize(out: &mut Activations, x: &[f32]) = quantize_body }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_rounded_by_at_most_half_a_scale() {
        let x: Vec<f32> = (0..512).map(|i| ((i * 37 % 101) as f32 - 50.0) * 0.013).collect();
        for block in [32, 256] {
            let rows = Activations::new(&x, 256, block);
            for row in 0..2 {
                let ActivationRow { codes, scales, sums, minima } = rows.row(row);
                for (i, &code) in codes.iter().enumerate() {
                    let scale = scales[i / block];
                    let error = (scale * f32::from(code) - x[row * 256 + i]).abs();
                    assert!(error <= scale * 0.500_01, "{row} {i}: {error}");
                }
                for (i, codes) in codes.chunks(SUM).enumerate() {
                    assert_eq!(sums[i], codes.iter().map(|&code| i16::from(code)).sum::<i16>());
                }
                for (i, codes) in codes.chunks(block).enumerate() {
                    let sum: i32 = codes.iter().map(|&code| i32::from(code)).sum();
                    assert_eq!(minima[i], scales[i] * sum as f32);
                }
            }
        }
    }

    #[test]
    fn rows_of_zeros_and_nan_stay_what_they_are() {
        let mut x = [0.0_f32; 96];
        x[40] = f32::NAN;
        x[70] = f32::NEG_INFINITY;
        x[64] = 1.0;
        let rows = Activations::new(&x, 96, 32);
        let row = rows.row(0);
        assert_eq!((row.scales[0], row.codes[0]), (0.0, 0));
        assert!(row.scales[1].is_nan() && row.scales[2].is_nan());
        let tiny = Activations::new(&[1e-40; 32], 32, 32);
        assert_eq!(tiny.row(0).scales, [0.0]);
    }
}

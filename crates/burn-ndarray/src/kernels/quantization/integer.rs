use super::TILE;
use super::decode::Decoded;
use super::words::Numbers;
use crate::elements::dtype::wide;
use crate::kernels::cast::cast;
use crate::memory::{Room, list};
use crate::simd::dispatch;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use alloc::vec::Vec;
use burn_backend::{DType, HasSpec, IntegerMatmulArgs, Packed, TensorSpec};

/// Rows of the right side, turned over, that are multiplied together.
const TOGETHER: usize = 4;
/// Rows and columns of a part that is turned over in the first cache.
const SQUARE: usize = 64;

/// A matrix of numbers less their zero points, which fit 16 bits: processors multiply and add pairs of these.
fn differences(numbers: &Numbers, start: usize, out: &mut [i16]) {
    let (mut zeros, mut room) = ([0; TILE], [0; TILE + 32]);
    for (index, out) in out.chunks_mut(TILE).enumerate() {
        let start = start + index * TILE;
        let codes = numbers.codes(start, out.len(), &mut room);
        numbers.zeros(start, &mut zeros[..out.len()]);
        less_zeros(out, codes, &zeros);
    }
}

#[inline(always)]
fn less_zeros_body<const FMA: bool>(out: &mut [i16], codes: &[u8], zeros: &[i32]) {
    let (codes, zeros) = (&codes[..out.len()], &zeros[..out.len()]);
    for i in 0..out.len() {
        out[i] = i16::from(codes[i] as i8).wrapping_sub(zeros[i] as i16);
    }
}
dispatch! { narrow fn less_zeros(out: &mut [i16], codes: &[u8], zeros: &[i32]) = less_zeros_body }

/// The sums of products of a row with some rows.
#[inline(always)]
fn dots_body<const FMA: bool>(row: &[i16], others: [&[i16]; TOGETHER]) -> [i32; TOGETHER] {
    let [a, b, c, d] = others.map(|other| &other[..row.len()]);
    let mut sums = [0_i32; TOGETHER];
    for i in 0..row.len() {
        let x = i32::from(row[i]);
        sums[0] = sums[0].wrapping_add(x * i32::from(a[i]));
        sums[1] = sums[1].wrapping_add(x * i32::from(b[i]));
        sums[2] = sums[2].wrapping_add(x * i32::from(c[i]));
        sums[3] = sums[3].wrapping_add(x * i32::from(d[i]));
    }
    sums
}
dispatch! { fn dots(row: &[i16], others: [&[i16]; TOGETHER]) -> [i32; TOGETHER] = dots_body }

/// The right side with columns as rows.
fn turned(numbers: &Numbers, depth: usize, cols: usize) -> Vec<i16> {
    let mut turned = list(0, depth * cols);
    let start = Shared(turned.as_mut_ptr());
    parallel::for_ranges(cols.div_ceil(SQUARE), depth * SQUARE, &|parts| {
        let mut place = [[0; SQUARE]; SQUARE];
        for part in parts {
            let (first, width) = (part * SQUARE, SQUARE.min(cols - part * SQUARE));
            for from in (0..depth).step_by(SQUARE) {
                let high = SQUARE.min(depth - from);
                for (k, row) in place[..high].iter_mut().enumerate() {
                    differences(numbers, (from + k) * cols + first, &mut row[..width]);
                }
                for col in 0..width {
                    // SAFETY: each column is written by one thread, within the matrix.
                    let out = unsafe {
                        core::slice::from_raw_parts_mut(start.get().add((first + col) * depth + from), high)
                    };
                    out.iter_mut().zip(&place).for_each(|(out, row)| *out = row[col]);
                }
            }
        }
    });
    turned
}

pub fn integer_matmul(args: IntegerMatmulArgs<NdTensor>) -> NdTensor {
    let IntegerMatmulArgs { lhs, rhs } = args;
    let dtype = lhs.scale.dtype();
    let product = if dtype == DType::F64 {
        typed::<f64>(lhs, rhs, dtype, |sum, scale| f64::from(sum) * scale)
    } else {
        typed::<f32>(lhs, rhs, wide(dtype), |sum, scale| sum as f32 * scale)
    };
    cast(product, dtype)
}

fn typed<E: Decoded>(
    lhs: Packed<NdTensor>,
    rhs: Packed<NdTensor>,
    dtype: DType,
    scaled: fn(i32, E) -> E,
) -> NdTensor {
    let (rows, depth, cols) = (lhs.shape[0], lhs.shape[1], rhs.shape[1]);
    let spec = TensorSpec::new([rows, cols], dtype);
    let ((lhs, row_scales), (rhs, col_scales)) = (Numbers::new(lhs), Numbers::new(rhs));
    let [row_scales, col_scales] = [row_scales, col_scales].map(|x| cast(x, dtype).into_contiguous());
    let of = |scales: &NdTensor, at: usize| scales.slice::<E>()[if scales.len() == 1 { 0 } else { at }];
    let _room = Room::new::<i16>((rows + cols) * depth);
    let mut left = list(0, rows * depth);
    parallel::for_chunks(&mut left, TILE, TILE, &|index, out| differences(&lhs, index * TILE, out));
    let right = turned(&rhs, depth, cols);
    NdTensor::with(spec, |out: &mut [E]| {
        let start = Shared(out.as_mut_ptr());
        // Some columns at a time, which stay in the cache while the rows go by.
        parallel::for_ranges(cols.div_ceil(TOGETHER), (rows * depth / 2).max(1), &|groups| {
            for row in 0..rows {
                let x = &left[row * depth..][..depth];
                for group in groups.clone() {
                    let first = group * TOGETHER;
                    let count = TOGETHER.min(cols - first);
                    let others =
                        core::array::from_fn(|k| &right[(first + k.min(count - 1)) * depth..][..depth]);
                    let sums = dots(x, others);
                    for (k, &sum) in sums[..count].iter().enumerate() {
                        let scale = of(&row_scales, row).times(of(&col_scales, first + k));
                        // SAFETY: each column is written by one thread, within the result.
                        unsafe { start.get().add(row * cols + first + k).write(scaled(sum, scale)) };
                    }
                }
            }
        });
    })
}

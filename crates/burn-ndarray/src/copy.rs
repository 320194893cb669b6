//! Moving elements without looking at them: by width, whatever the dtype.

use crate::parallel::{self, Shared};
use crate::square;
use crate::strided::{Collapsed, broadcast_strides, collapse};
use crate::tensor::NdTensor;
use burn_backend::{HasSpec, TensorSpec};
use bytemuck::Pod;

/// Runs an expression with `E` naming an unsigned integer of `width` bytes.
macro_rules! with_width {
    ($width:expr, $E:ident => $body:expr) => {
        match $width {
            1 => {
                type $E = u8;
                $body
            }
            2 => {
                type $E = u16;
                $body
            }
            4 => {
                type $E = u32;
                $body
            }
            _ => {
                type $E = u64;
                $body
            }
        }
    };
}
pub(crate) use with_width;

/// Side of the squares in which dimensions are exchanged.
const TILE: usize = square::SIDE;
/// Longest row whose copy is not worth a call.
const SHORT: usize = 64;

/// A copy in row-major order.
pub fn to_contiguous(x: &NdTensor) -> NdTensor {
    let mut out = NdTensor::new(x.spec().clone());
    fill(&mut out, x);
    out
}

/// Writes `x`, repeated to the shape of `out`, to `out`, which is writable.
pub fn fill(out: &mut NdTensor, x: &NdTensor) {
    let shape = out.shape().clone();
    assign(out, &shape, &shape.strides(), 0, x);
}

/// Writes `x`, repeated to `shape`, to the elements of the writable `out` with these strides and offset.
pub fn assign(out: &mut NdTensor, shape: &[usize], strides: &[usize], offset: usize, x: &NdTensor) {
    if shape.iter().product::<usize>() == 0 {
        return;
    }
    let spec: &TensorSpec = out.spec();
    assert!(x.spec().dtype == spec.dtype, "elements are copied to their own type");
    let width = spec.dtype.size();
    let walk = collapse(shape, [strides, &broadcast_strides(x, shape)]);
    let start = out.start_mut().wrapping_add(offset * width);
    with_width!(width, E => copy::<E>(&walk, start.cast(), x.start().cast()))
}

fn copy<E: Pod>(walk: &Collapsed<2>, out: *mut E, x: *const E) {
    let (out, x) = (Shared(out), Shared(x.cast_mut()));
    let (rows, inner, dims) = (walk.rows(), walk.inner(), walk.shape.len());
    let (to, from) = (walk.step(0), walk.step(1));
    // Copies cost about as much as additions, per eight bytes.
    let cost = if from == 1 { (size_of::<E>() / 4).max(1) } else { 4 };
    let crossed = (0..dims - 1).find(|&d| walk.strides[1][d] == 1 && walk.shape[d] >= TILE / 2);
    if let Some(d) = crossed
        && to == 1
        && from != 0
        && inner >= TILE / 2
    {
        return transpose(walk, d, out, x);
    }
    if rows == 1 {
        return parallel::for_ranges(inner, cost, &|range| {
            let (a, b) = (range.start.wrapping_mul(to), range.start.wrapping_mul(from));
            // SAFETY: both walks stay within their tensors, which do not overlap.
            unsafe { copy_row(out.get().wrapping_add(a), x.get().wrapping_add(b), range.len(), to, from) };
        });
    }
    parallel::for_ranges(rows, cost * inner, &|range| {
        walk.for_rows(range, |[a, b]| {
            // SAFETY: as above.
            unsafe { copy_row(out.get().wrapping_add(a), x.get().wrapping_add(b), inner, to, from) };
        });
    });
}

/// # Safety
/// `len` elements at these steps may be written and read, and do not overlap.
#[inline(always)]
unsafe fn copy_row<E: Pod>(out: *mut E, x: *const E, len: usize, to: usize, from: usize) {
    // SAFETY: by the contract.
    unsafe {
        match (to, from) {
            (1, 1) if len <= SHORT => copy_short(out, x, len),
            (1, 1) => core::ptr::copy_nonoverlapping(x, out, len),
            (1, 0) => core::slice::from_raw_parts_mut(out, len).fill(x.read()),
            _ => {
                let (mut out, mut x) = (out, x);
                for _ in 0..len {
                    out.write(x.read());
                    out = out.wrapping_add(to);
                    x = x.wrapping_add(from);
                }
            }
        }
    }
}

/// # Safety
/// `len` elements may be written and read, and do not overlap.
#[inline(always)]
unsafe fn copy_short<E: Pod>(out: *mut E, x: *const E, len: usize) {
    let mut at = 0;
    // SAFETY: by the contract.
    unsafe {
        while at + 8 <= len {
            out.add(at).cast::<[E; 8]>().write_unaligned(x.add(at).cast::<[E; 8]>().read_unaligned());
            at += 8;
        }
        while at < len {
            out.add(at).write(x.add(at).read());
            at += 1;
        }
    }
}

/// Copies where the neighbours of the source lie along dimension `d` and those of the output along the innermost:
/// in squares, each cache line of which is read and written once.
fn transpose<E: Pod>(walk: &Collapsed<2>, d: usize, out: Shared<E>, x: Shared<E>) {
    let last = walk.shape.len() - 1;
    let others = |list: &[usize]| (0..last).filter(|&k| k != d).map(|k| list[k]).chain([1]).collect();
    let (rows, cols) = (walk.shape[d], walk.shape[last]);
    let (row_step, col_step) = (walk.strides[0][d], walk.strides[1][last]);
    let planes = Collapsed::<2> {
        shape: others(&walk.shape),
        strides: [others(&walk.strides[0]), others(&walk.strides[1])],
    };
    let bands = rows.div_ceil(TILE);
    parallel::for_ranges(planes.rows() * bands, cols * TILE * 4, &|range| {
        for index in range {
            planes.for_rows(index / bands..index / bands + 1, |[a, b]| {
                let row = index % bands * TILE;
                let height = TILE.min(rows - row);
                for col in (0..cols).step_by(TILE) {
                    let width = TILE.min(cols - col);
                    let to = out.get().wrapping_add(a.wrapping_add(row.wrapping_mul(row_step)) + col);
                    let from =
                        x.get().wrapping_add(b.wrapping_add(col.wrapping_mul(col_step)).wrapping_add(row));
                    // SAFETY: the square lies within both tensors, which do not overlap.
                    unsafe { transpose_square(to, row_step, from, col_step, height, width) };
                }
            });
        }
    });
}

/// `out[r * row_step + c] = x[c * col_step + r]`.
///
/// # Safety
/// The square may be written and read; `height` and `width` are at most `TILE`.
#[inline(always)]
unsafe fn transpose_square<E: Pod>(
    out: *mut E,
    row_step: usize,
    x: *const E,
    col_step: usize,
    height: usize,
    width: usize,
) {
    // SAFETY: by the contract.
    unsafe {
        if height == TILE && width == TILE {
            return square::transpose(out, row_step, x, col_step);
        }
        for r in 0..height {
            for c in 0..width {
                let value = x.wrapping_add(c.wrapping_mul(col_step)).wrapping_add(r).read();
                out.wrapping_add(r.wrapping_mul(row_step)).wrapping_add(c).write(value);
            }
        }
    }
}

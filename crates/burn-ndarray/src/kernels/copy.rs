//! Moving elements without looking at them: by width, for every dtype.

use crate::elements::collapsed::{Collapsed, broadcast_strides, collapse};
use crate::kernels::interleave::{self, deinterleave, interleave};
use crate::kernels::transpose16;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{HasSpec, TensorSpec};
use bytemuck::Pod;
use core::ops::Range;

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
const TILE: usize = transpose16::SIDE;
/// Side of the smaller squares at their edges.
const HALF: usize = transpose16::HALF;
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
    let (rows, inner) = (walk.rows(), walk.inner());
    let (to, from) = (walk.step(0), walk.step(1));
    // Copies cost about as much as additions, per eight bytes.
    let cost = if from == 1 { (size_of::<E>() / 4).max(1) } else { 4 };
    if let Some(d) = crossed(walk) {
        let squares = Squares::new(walk, d);
        // SAFETY: both walks stay within their tensors, which do not overlap.
        return parallel::for_ranges(squares.bands(), inner * TILE * 4, &|bands| unsafe {
            squares.transpose(out.get(), x.get(), bands);
        });
    }
    if rows == 1 {
        return parallel::for_ranges(inner, cost, &|range| {
            let (a, b) = (range.start.wrapping_mul(to), range.start.wrapping_mul(from));
            // SAFETY: as above.
            unsafe { copy_row(out.get().wrapping_add(a), x.get().wrapping_add(b), range.len(), to, from) };
        });
    }
    // SAFETY: as above.
    parallel::for_ranges(rows, cost * inner, &|range| unsafe { copy_rows(walk, out.get(), x.get(), range) });
}

/// Copies elements of so many bytes on this thread.
///
/// # Safety
/// The walks may be written and read, and do not overlap.
pub unsafe fn gather(walk: &Collapsed<2>, width: usize, out: *mut u8, x: *const u8) {
    with_width!(width, E => {
        let (out, x) = (out.cast::<E>(), x.cast::<E>());
        // SAFETY: by the contract.
        unsafe {
            match crossed(walk) {
                Some(d) => {
                    let squares = Squares::new(walk, d);
                    squares.transpose(out, x, 0..squares.bands());
                }
                None => match interleaved(walk).map(|d| Squares::new(walk, d)) {
                    Some(squares) if squares.interleave(out, x) => {}
                    _ => copy_rows(walk, out, x, 0..walk.rows()),
                },
            }
        }
    });
}

/// The dimension along which the neighbours of the source lie, where those of the output lie along the
/// innermost.
fn crossed(walk: &Collapsed<2>) -> Option<usize> {
    let last = walk.shape.len() - 1;
    let far = walk.step(0) == 1 && walk.step(1) != 0 && walk.step(1) != 1 && walk.inner() >= TILE / 2;
    (0..last).find(|&d| far && walk.strides[1][d] == 1 && walk.shape[d] >= TILE / 2)
}

/// The dimension along which the neighbours of the source lie, where the innermost one has few elements,
/// which are the neighbours of the output.
fn interleaved(walk: &Collapsed<2>) -> Option<usize> {
    let (last, few) = (walk.shape.len() - 1, walk.inner());
    let is_few = walk.step(0) == 1 && interleave::STEPS.contains(&few);
    (0..last).find(|&d| is_few && walk.strides[1][d] == 1 && walk.strides[0][d] == few)
}

/// # Safety
/// The rows may be written and read, and do not overlap.
unsafe fn copy_rows<E: Pod>(walk: &Collapsed<2>, out: *mut E, x: *const E, rows: Range<usize>) {
    let (inner, to, from) = (walk.inner(), walk.step(0), walk.step(1));
    walk.for_rows(rows, |[a, b]| {
        // SAFETY: by the contract.
        unsafe { copy_row(out.wrapping_add(a), x.wrapping_add(b), inner, to, from) };
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
            (1, _) if deinterleave(x, from, core::slice::from_raw_parts_mut(out, len)) => {}
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

/// A walk where the neighbours of the source lie along one dimension and those of the output along the
/// innermost: copied in squares, each cache line of which is read and written once.
struct Squares {
    planes: Collapsed<2>,
    rows: usize,
    cols: usize,
    row_step: usize,
    col_step: usize,
}

impl Squares {
    fn new(walk: &Collapsed<2>, d: usize) -> Self {
        let last = walk.shape.len() - 1;
        let others = |list: &[usize]| (0..last).filter(|&k| k != d).map(|k| list[k]).chain([1]).collect();
        let planes = Collapsed::<2> {
            shape: others(&walk.shape),
            strides: [others(&walk.strides[0]), others(&walk.strides[1])],
        };
        let (row_step, col_step) = (walk.strides[0][d], walk.strides[1][last]);
        Squares { planes, rows: walk.shape[d], cols: walk.shape[last], row_step, col_step }
    }

    /// Interleaves the columns of each plane, if they are as few as there are loops for; says whether.
    ///
    /// # Safety
    /// The planes may be written and read, and do not overlap.
    unsafe fn interleave<E: Pod>(&self, out: *mut E, x: *const E) -> bool {
        (0..self.planes.rows()).all(|plane| {
            let [a, b] = self.planes.row(plane);
            let (out, x) = (out.wrapping_add(a), x.wrapping_add(b));
            // SAFETY: by the contract.
            unsafe { interleave(x, self.col_step, self.cols, self.rows, out) }
        })
    }

    /// Number of bands of rows.
    fn bands(&self) -> usize {
        self.planes.rows() * self.rows.div_ceil(TILE)
    }

    /// # Safety
    /// The bands may be written and read, and do not overlap.
    unsafe fn transpose<E: Pod>(&self, out: *mut E, x: *const E, bands: Range<usize>) {
        let Squares { planes, rows, cols, row_step, col_step } = self;
        let bands_of_plane = rows.div_ceil(TILE);
        for index in bands {
            let [a, b] = planes.row(index / bands_of_plane);
            let row = index % bands_of_plane * TILE;
            let height = TILE.min(rows - row);
            for col in (0..*cols).step_by(TILE) {
                let width = TILE.min(cols - col);
                let to = out.wrapping_add(a.wrapping_add(row.wrapping_mul(*row_step)) + col);
                let from = x.wrapping_add(b.wrapping_add(col.wrapping_mul(*col_step)).wrapping_add(row));
                // SAFETY: the square lies within both, by the contract.
                unsafe { transpose_square(to, *row_step, from, *col_step, height, width) };
            }
        }
    }
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
            return transpose16::transpose(out, row_step, x, col_step);
        }
        let (high, wide) = (height / HALF * HALF, width / HALF * HALF);
        for r in (0..high).step_by(HALF) {
            for c in (0..wide).step_by(HALF) {
                let to = out.wrapping_add(r.wrapping_mul(row_step)).wrapping_add(c);
                transpose16::transpose_half(
                    to,
                    row_step,
                    x.wrapping_add(c.wrapping_mul(col_step)).wrapping_add(r),
                    col_step,
                );
            }
        }
        for r in 0..height {
            for c in if r < high { wide } else { 0 }..width {
                let value = x.wrapping_add(c.wrapping_mul(col_step)).wrapping_add(r).read();
                out.wrapping_add(r.wrapping_mul(row_step)).wrapping_add(c).write(value);
            }
        }
    }
}

//! Depthwise convolution by kernels of any size that move by one or by two: a plane is copied between zeros
//! into the first cache, where all taps read without edges.

use super::geometry::Geometry;
use super::workspace;
use crate::gemm::epilogue::{ChannelEpilogue, Epilogue};
use crate::memory::Buffer;
use crate::simd::{Lanes, with_lanes};
use crate::threads::parallel::{self, Shared};

/// Most elements of a copied plane: a part of the second cache, or of a small memory.
const MOST: usize = if workspace::IS_SCARCE { 2 << 10 } else { 1 << 15 };
/// Lanes of the widest vectors, which may be read after the last row.
const SLACK: usize = 16;
/// Vectors of sums of a tile.
const TILE: usize = 8;

/// A convolution of planes by a kernel for each channel, and the layout of a copied plane.
#[derive(Clone, Copy)]
struct Planes<'a> {
    x: &'a [f32],
    weight: &'a [f32],
    epilogue: Epilogue<'a>,
    /// Planes of an image.
    channels: usize,
    /// Rows, and elements of each.
    input: [usize; 2],
    output: [usize; 2],
    kernel: [usize; 2],
    padding: [usize; 2],
    stride: usize,
    /// Rows of a copied plane.
    rows: usize,
    /// Elements of a row: every `stride`-th of the padded plane.
    pitch: usize,
    out: Shared<f32>,
}

/// Rows and pitch of a copied plane, if the convolution is one by planes that are small enough.
fn layout(g: &Geometry) -> Option<[usize; 2]> {
    let w = &g.window;
    let [depth, stride, across] = w.stride;
    let is_plane = g.input[0] == 1 && w.kernel[0] == 1 && w.padding[0] == 0 && w.dilation == [1; 3];
    let is_single = g.group_in == 1 && g.group_out == 1 && g.groups > 1;
    let is_empty = [g.batch, g.area_in(), g.area_out(), g.taps()].contains(&0);
    if !is_plane || !is_single || is_empty || depth != 1 || stride != across || !(1..=2).contains(&stride) {
        return None;
    }
    let rows = (g.output[1] - 1).checked_mul(stride)?.checked_add(w.kernel[1])?;
    let pitch = g.output[2].checked_add((w.kernel[2] - 1) / stride)?;
    let elements = rows.checked_mul(pitch)?.checked_mul(stride)?;
    (elements <= MOST && w.padding[1] <= MOST && w.padding[2] <= MOST).then_some([rows, pitch])
}

/// Whether [`forward`] computes the convolution.
pub fn suits(g: &Geometry) -> bool {
    layout(g).is_some()
}

/// `out = weight * x` with its epilogue, for groups of one channel: whether it was computed.
pub fn forward(g: &Geometry, x: &[f32], weight: &[f32], epilogue: Epilogue<'_>, out: &mut [f32]) -> bool {
    let Some([rows, pitch]) = layout(g) else { return false };
    let ([_, input @ ..], [_, output @ ..]) = (g.input, g.output);
    let ([_, kernel @ ..], [_, padding @ ..]) = (g.window.kernel, g.window.padding);
    let (channels, stride) = (g.groups, g.window.stride[1]);
    let start = Shared(out.as_mut_ptr());
    let planes = Planes {
        x,
        weight,
        epilogue,
        channels,
        input,
        output,
        kernel,
        padding,
        stride,
        rows,
        pitch,
        out: start,
    };
    let width = output[1].next_multiple_of(SLACK);
    let cost = (g.taps() * output[0] * width / 8).max(rows * pitch);
    parallel::for_pieces(g.batch * g.groups, cost, &|pieces| {
        let len = stride * rows * pitch + SLACK;
        let mut copied = Buffer::new(len * size_of::<f32>());
        let copied = copied.as_mut_slice::<f32>().expect("a new buffer is unique");
        // Each plane is copied to the same elements, so that zeros stay.
        copied.fill(0.0);
        for plane in pieces.flatten() {
            // SAFETY: the plane is one of the convolution, and this thread alone has its results.
            unsafe { one_plane(&planes, plane, copied.as_mut_ptr()) };
        }
    });
    true
}

with_lanes! {
    /// Copies a plane and writes its results.
    ///
    /// # Safety
    /// The plane is there, and the operands of its epilogue; a copy may be written, and results.
    fn one_plane(planes: &Planes<'_>, plane: usize, copied: *mut f32) = body
}

#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(
    planes: &Planes<'_>,
    plane: usize,
    copied: *mut f32,
) {
    let Planes { weight, epilogue, channels, output, kernel, out, .. } = *planes;
    let (area, channel) = (output[0] * output[1], plane % channels);
    // SAFETY: by the contract.
    unsafe {
        copy::<V>(planes, plane, copied);
        let results = Results {
            planes,
            copied: copied.cast_const(),
            weight: weight[channel * kernel[0] * kernel[1]..].as_ptr(),
            epilogue: epilogue.channel(channel, plane * area),
            columns: output[1].div_ceil(V::LANES),
            out: out.get().wrapping_add(plane * area),
        };
        let (mut first, vectors) = (0, output[0] * results.columns);
        while first < vectors {
            first += match vectors - first {
                left if left > 4 => results.tile::<V, TILE>(first, left.min(TILE)),
                left if left > 2 => results.tile::<V, 4>(first, left),
                left => results.tile::<V, 2>(first, left),
            };
        }
    }
}

/// Copies the rows of a plane to their elements of the padded plane.
///
/// # Safety
/// As for [`one_plane`], and the machine has the instructions of `V`; so in all functions below.
#[inline(always)]
unsafe fn copy<V: Lanes>(planes: &Planes<'_>, plane: usize, copied: *mut f32) {
    let Planes { x, input: [height, width], padding: [above, before], stride, rows, pitch, .. } = *planes;
    let x = x[plane * height * width..][..height * width].as_ptr();
    for row in above..rows.min(above.saturating_add(height)) {
        let from = x.wrapping_add((row - above) * width);
        let to = copied.wrapping_add(row * pitch);
        // SAFETY: by the contract.
        unsafe {
            if stride == 1 {
                copy_row::<V>(from, to.wrapping_add(before), width.min(pitch.saturating_sub(before)));
            } else {
                let phase = |at: usize| to.wrapping_add(at % 2 * rows * pitch + at / 2);
                let room = |at: usize| pitch.saturating_sub(at / 2);
                let counts = [width.div_ceil(2).min(room(before)), (width / 2).min(room(before + 1))];
                copy_by_two::<V>(from, width, [phase(before), phase(before + 1)], counts);
            }
        }
    }
}

#[inline(always)]
unsafe fn copy_row<V: Lanes>(from: *const f32, to: *mut f32, count: usize) {
    for at in (0..count).step_by(V::LANES) {
        let left = (count - at).min(V::LANES);
        // SAFETY: as above.
        unsafe { V::load_first(from.wrapping_add(at), left).store_first(to.wrapping_add(at), left) };
    }
}

/// Copies the elements at even and at odd positions of a row.
#[inline(always)]
unsafe fn copy_by_two<V: Lanes>(from: *const f32, width: usize, to: [*mut f32; 2], counts: [usize; 2]) {
    for at in (0..width.div_ceil(2)).step_by(V::LANES) {
        let left = |count: usize| count.min(V::LANES);
        let next = 2 * at + V::LANES;
        // SAFETY: as above.
        unsafe {
            let low = V::load_first(from.wrapping_add(2 * at), left(width - 2 * at));
            let high = V::load_first(from.wrapping_add(next), left(width.saturating_sub(next)));
            let (even, odd) = low.deinterleave(high);
            even.store_first(to[0].wrapping_add(at), left(counts[0].saturating_sub(at)));
            odd.store_first(to[1].wrapping_add(at), left(counts[1].saturating_sub(at)));
        }
    }
}

/// The results of a plane.
struct Results<'a> {
    planes: &'a Planes<'a>,
    copied: *const f32,
    weight: *const f32,
    epilogue: ChannelEpilogue,
    /// Vectors of a row.
    columns: usize,
    out: *mut f32,
}

impl Results<'_> {
    /// Row and column of a vector of results.
    #[inline(always)]
    fn place<V: Lanes>(&self, vector: usize) -> [usize; 2] {
        [vector / self.columns, vector % self.columns * V::LANES]
    }

    /// Writes `count` vectors of results from `first` on, at most `T`.
    #[inline(always)]
    unsafe fn tile<V: Lanes, const T: usize>(&self, first: usize, count: usize) -> usize {
        let Planes { output, kernel, stride, rows, pitch, .. } = *self.planes;
        // SAFETY: as above; a vector that is not there is the last one again.
        unsafe {
            let mut from = [self.copied; T];
            for t in 0..T {
                let [row, column] = self.place::<V>(first + t.min(count - 1));
                from[t] = self.copied.wrapping_add(row * stride * pitch + column);
            }
            let mut sums = [V::splat(self.epilogue.bias); T];
            for a in 0..kernel[0] {
                for b in 0..kernel[1] {
                    let (phase, column) = if stride == 1 { (0, b) } else { (b % 2, b / 2) };
                    let at = (phase * rows + a) * pitch + column;
                    let factor = V::splat(*self.weight.wrapping_add(a * kernel[1] + b));
                    for t in 0..T {
                        sums[t] = V::load(from[t].wrapping_add(at)).times_plus(factor, sums[t]);
                    }
                }
            }
            let bounds = self.epilogue.bounds.splat::<V>();
            for t in 0..count {
                let [row, column] = self.place::<V>(first + t);
                let (at, left) = (row * output[1] + column, (output[1] - column).min(V::LANES));
                let sum = match self.epilogue.residual {
                    Some(residual) => sums[t].plus(V::load_first(residual.wrapping_add(at), left)),
                    None => sums[t],
                };
                bounds.apply(sum).store_first(self.out.wrapping_add(at), left);
            }
        }
        count
    }
}

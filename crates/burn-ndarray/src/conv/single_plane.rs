//! Depthwise convolution by kernels of 3 x 3 that move by one or by two: each row of a plane is read once for all rows of
//! results that it is part of.

use super::geometry::Geometry;
use super::plane_rows::{Columns, Rows, copy_rows};
use crate::buffer::Buffer;
use crate::parallel::{self, Shared};
use crate::simd::{Lanes, with_lanes};

/// Vectors of a row that are summed together.
const VECTORS: usize = 2;

/// The step of the kernels, if they are 3 x 3 and each channel is a group.
fn stride(g: &Geometry) -> Option<usize> {
    let w = &g.window;
    let [depth, stride, across] = w.stride;
    let is_plane = w.kernel == [1, 3, 3] && w.dilation == [1; 3] && w.padding[0] == 0 && g.input[0] == 1;
    let is_single = g.group_in == 1 && g.group_out == 1 && g.groups > 1;
    (is_plane && is_single && depth == 1 && stride == across && stride <= 2).then_some(stride)
}

/// Whether [`forward`] computes the convolution: padding is smaller than kernels.
pub fn suits(g: &Geometry) -> bool {
    let is_empty = [g.batch, g.area_in(), g.area_out()].contains(&0);
    stride(g).is_some() && !is_empty && g.window.padding[1] <= 2 && g.window.padding[2] <= 2
}

/// `out = weight * x + bias`, for groups of one channel.
pub fn forward(g: &Geometry, x: &[f32], weight: &[f32], bias: Option<&[f32]>, out: &mut [f32]) -> bool {
    let Some(stride) = stride(g) else { return false };
    let origin = [-(g.window.padding[1] as isize), -(g.window.padding[2] as isize)];
    let planes = Planes { count: g.groups, input: g.input, output: g.output, origin, stride, turned: false };
    planes.run(x, weight, bias, out);
    true
}

/// The gradient of [`forward`] by its input, of kernels that move by one.
pub fn input_grad(g: &Geometry, grad: &[f32], weight: &[f32], out: &mut [f32]) -> bool {
    if stride(g) != Some(1) {
        return false;
    }
    let origin = [g.window.padding[1] as isize - 2, g.window.padding[2] as isize - 2];
    let planes =
        Planes { count: g.groups, input: g.output, output: g.input, origin, stride: 1, turned: true };
    planes.run(grad, weight, None, out);
    true
}

struct Planes {
    /// Planes of an image.
    count: usize,
    input: [usize; 3],
    output: [usize; 3],
    /// The first element that a kernel reads, along each dimension.
    origin: [isize; 2],
    stride: usize,
    /// Whether kernels are turned by half a circle.
    turned: bool,
}

impl Planes {
    fn run(&self, x: &[f32], weight: &[f32], bias: Option<&[f32]>, out: &mut [f32]) {
        let [_, height, width] = self.output;
        let (area_in, area_out) = (self.input[1] * self.input[2], height * width);
        let rows = self.stride * (height - 1) + 3;
        // Columns of even number have a plane of their own where kernels move by two, and those of odd number another one.
        let pitch = (width + 2).next_multiple_of(16);
        let (len, start) = (self.stride * rows * pitch, Shared(out.as_mut_ptr()));
        let inside = self.inside([rows, self.stride * (width - 1) + 3], pitch);
        parallel::for_ranges(out.len() / area_out, area_out, &|range| {
            // Vectors may reach beyond the last row. The padding stays zero.
            let mut staged = Buffer::new((len + (VECTORS + 1) * 16) * size_of::<f32>());
            let staged: &mut [f32] = staged.as_mut_slice().expect("a new buffer is unique");
            staged.fill(0.0);
            for plane in range {
                if let Some(Inside { skipped, count, len, columns }) = inside {
                    let from = x[plane * area_in + skipped..].as_ptr();
                    let (step, to) = (self.input[2], staged.as_mut_ptr());
                    // SAFETY: the rows lie within the plane, and their places within the staged planes.
                    unsafe { copy_rows(&Rows { from, step, to, pitch, count, len, columns }) };
                }
                let channel = plane % self.count;
                let mut kernel: [f32; 9] = core::array::from_fn(|tap| weight[channel * 9 + tap]);
                if self.turned {
                    kernel.reverse();
                }
                let args = Plane {
                    staged: staged.as_ptr(),
                    odd: rows * pitch,
                    pitch,
                    kernel,
                    bias: bias.map_or(0.0, |bias| bias[channel]),
                    stride: self.stride,
                    height,
                    width,
                    out: start.get().wrapping_add(plane * area_out),
                };
                // SAFETY: the staged planes have the rows and columns that the kernels read, and room for vectors; each plane of
                // results is written once.
                unsafe { sums(&args) };
            }
        });
    }

    /// The part of a plane that is read, if any is; `staged` is the number of rows and columns with the padding.
    fn inside(&self, staged: [usize; 2], pitch: usize) -> Option<Inside> {
        let (height, width) = (self.input[1], self.input[2]);
        let [(first_row, skipped_rows), (first, skipped)] =
            self.origin.map(|origin| ((-origin).max(0) as usize, origin.max(0) as usize));
        let count = height.saturating_sub(skipped_rows).min(staged[0].saturating_sub(first_row));
        let len = width.saturating_sub(skipped).min(staged[1].saturating_sub(first));
        if count == 0 || len == 0 {
            return None;
        }
        let odd = staged[0] * pitch;
        let columns = match (self.stride, first % 2) {
            (1, _) => Columns::All(first_row * pitch + first),
            (_, 0) => Columns::Apart(first_row * pitch + first / 2, odd + first_row * pitch + first / 2),
            (_, _) => Columns::Apart(odd + first_row * pitch + first / 2, first_row * pitch + first / 2 + 1),
        };
        Some(Inside { skipped: skipped_rows * width + skipped, count, len, columns })
    }
}

/// Part of a plane that is read.
#[derive(Clone, Copy)]
struct Inside {
    /// Elements before the first one.
    skipped: usize,
    /// Rows, and elements of each.
    count: usize,
    len: usize,
    columns: Columns,
}

struct Plane {
    staged: *const f32,
    /// Elements from columns of even number to those of odd number, where kernels move by two.
    odd: usize,
    pitch: usize,
    kernel: [f32; 9],
    bias: f32,
    stride: usize,
    height: usize,
    width: usize,
    out: *mut f32,
}

with_lanes! {
    /// # Safety
    /// The elements under the kernels may be read, and vectors beyond; results may be written.
    fn sums(args: &Plane) = body
}

#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(args: &Plane) {
    let mut column = 0;
    while column < args.width {
        // SAFETY: by the contract.
        column += unsafe {
            match (args.stride, args.width - column > V::LANES) {
                (1, true) => columns::<V, VECTORS>(args, column),
                (1, false) => columns::<V, 1>(args, column),
                (_, true) => columns_by_two::<V, VECTORS>(args, column),
                (_, false) => columns_by_two::<V, 1>(args, column),
            }
        };
    }
}

/// All results of `N` vectors of columns.
///
/// # Safety
/// As for [`sums`].
#[inline(always)]
unsafe fn columns<V: Lanes, const N: usize>(args: &Plane, column: usize) -> usize {
    // SAFETY: by the contract.
    unsafe {
        let bias = V::splat(args.bias);
        let kernel = kernel::<V>(args);
        // Sums of the row of results whose first row of input was the last one, and the one before.
        let (mut one, mut two) = ([bias; N], [bias; N]);
        let mut from = args.staged.add(column);
        for row in 0..args.height + 2 {
            for v in 0..N {
                let mut x = [bias; 3];
                for c in 0..3 {
                    x[c] = V::load(from.add(v * V::LANES + c));
                }
                let (mut three, mut next, mut first) = (two[v], one[v], bias);
                for c in 0..3 {
                    three = x[c].times_plus(kernel[6 + c], three);
                    next = x[c].times_plus(kernel[3 + c], next);
                    first = x[c].times_plus(kernel[c], first);
                }
                (one[v], two[v]) = (first, next);
                if row >= 2 {
                    write(args, row - 2, column + v * V::LANES, three);
                }
            }
            from = from.add(args.pitch);
        }
    }
    N * V::LANES
}

/// As [`columns`], of kernels that move by two.
///
/// # Safety
/// As for [`sums`].
#[inline(always)]
unsafe fn columns_by_two<V: Lanes, const N: usize>(args: &Plane, column: usize) -> usize {
    // SAFETY: by the contract.
    unsafe {
        let bias = V::splat(args.bias);
        let kernel = kernel::<V>(args);
        let mut sums = [bias; N];
        let mut from = args.staged.add(column);
        for row in 0..2 * args.height + 1 {
            for v in 0..N {
                let at = from.add(v * V::LANES);
                let x = [V::load(at), V::load(at.add(args.odd)), V::load(at.add(1))];
                let add = |taps: usize, mut sum: V| {
                    for c in 0..3 {
                        sum = x[c].times_plus(kernel[taps + c], sum);
                    }
                    sum
                };
                if row % 2 == 1 {
                    sums[v] = add(3, sums[v]);
                    continue;
                }
                if row > 0 {
                    write(args, row / 2 - 1, column + v * V::LANES, add(6, sums[v]));
                }
                sums[v] = add(0, bias);
            }
            from = from.add(args.pitch);
        }
    }
    N * V::LANES
}

/// # Safety
/// As for [`sums`].
#[inline(always)]
unsafe fn kernel<V: Lanes>(args: &Plane) -> [V; 9] {
    // SAFETY: by the contract.
    unsafe {
        let mut kernel = [V::splat(0.0); 9];
        for tap in 0..9 {
            kernel[tap] = V::splat(args.kernel[tap]);
        }
        kernel
    }
}

/// Writes results from a column on, as many as the row has.
///
/// # Safety
/// As for [`sums`].
#[inline(always)]
unsafe fn write<V: Lanes>(args: &Plane, row: usize, column: usize, sums: V) {
    // SAFETY: by the contract; a column of results is there.
    unsafe {
        let out = args.out.add(row * args.width + column);
        if column + V::LANES <= args.width {
            sums.store(out);
        } else if column < args.width {
            sums.store_first(out, args.width - column);
        }
    }
}

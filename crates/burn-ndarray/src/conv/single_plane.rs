//! Depthwise convolution by kernels of 3 x 3 that move by one or by two: each row of a plane is read once, where it lies, for all rows
//! of results that it is part of.

use super::geometry::Geometry;
use crate::bounds::Vectors;
use crate::epilogue::{ChannelEpilogue, Epilogue};
use crate::parallel::{self, Shared};
use crate::simd::{Lanes, with_lanes};
use core::ops::Range;

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

/// `out = weight * x` with its epilogue, for groups of one channel.
pub fn forward(g: &Geometry, x: &[f32], weight: &[f32], epilogue: Epilogue<'_>, out: &mut [f32]) -> bool {
    let Some(stride) = stride(g) else { return false };
    let origin = [-(g.window.padding[1] as isize), -(g.window.padding[2] as isize)];
    let planes = Planes { count: g.groups, input: g.input, output: g.output, origin, stride, turned: false };
    planes.run(x, weight, epilogue, out);
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
    planes.run(grad, weight, Epilogue::default(), out);
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
    fn run(&self, x: &[f32], weight: &[f32], epilogue: Epilogue<'_>, out: &mut [f32]) {
        let [_, height, width] = self.output;
        let (area_in, area_out) = (self.input[1] * self.input[2], height * width);
        let start = Shared(out.as_mut_ptr());
        parallel::for_ranges(out.len() / area_out, area_out, &|range| {
            for plane in range {
                let channel = plane % self.count;
                let mut kernel: [f32; 9] = core::array::from_fn(|tap| weight[channel * 9 + tap]);
                if self.turned {
                    kernel.reverse();
                }
                let args = Plane {
                    x: x[plane * area_in..][..area_in].as_ptr(),
                    input: [self.input[1], self.input[2]],
                    origin: self.origin,
                    kernel,
                    epilogue: epilogue.channel(channel, plane * area_out),
                    stride: self.stride,
                    height,
                    width,
                    out: start.get().wrapping_add(plane * area_out),
                };
                // SAFETY: the plane has as many rows and columns as it says; each plane of results is written once.
                unsafe { sums(&args) };
            }
        });
    }
}

struct Plane {
    x: *const f32,
    /// Rows, and elements of each.
    input: [usize; 2],
    /// The first element that a kernel reads, along each dimension.
    origin: [isize; 2],
    kernel: [f32; 9],
    epilogue: ChannelEpilogue,
    stride: usize,
    height: usize,
    width: usize,
    out: *mut f32,
}

impl Plane {
    /// The row of the plane that padded row `row` is, from its padded column `column` on.
    #[inline(always)]
    fn row(&self, row: usize, column: usize) -> Option<*const f32> {
        let row = usize::try_from(row as isize + self.origin[0]).ok().filter(|&row| row < self.input[0])?;
        let first = (row * self.input[1] + column) as isize + self.origin[1];
        Some(self.x.wrapping_offset(first))
    }

    /// Elements of a vector from padded column `column` on that lie in the plane.
    #[inline(always)]
    fn inside<V: Lanes>(&self, column: usize) -> [usize; 2] {
        let first = column as isize + self.origin[1];
        let end = (self.input[1] as isize - first).clamp(0, V::LANES as isize) as usize;
        [((-first).max(0) as usize).min(end), end]
    }

    /// The elements that the taps of a row read, from a padded column on.
    ///
    /// # Safety
    /// As for [`sums`]; so in the next one.
    #[inline(always)]
    unsafe fn load<V: Lanes, const EDGE: bool>(
        &self,
        row: usize,
        column: usize,
        inside: [[usize; 2]; 3],
    ) -> [V; 3] {
        // SAFETY: by the contract.
        unsafe {
            let mut x = [V::splat(0.0); 3];
            if let Some(from) = self.row(row, column) {
                for c in 0..3 {
                    x[c] = load::<V, EDGE>(from.wrapping_add(c), inside[c]);
                }
            }
            x
        }
    }

    /// As [`Plane::load`], of a row that a vector holds, between zeros: it is read once, and shifted in its register.
    #[inline(always)]
    unsafe fn load_narrow<V: Lanes>(&self, row: usize) -> [V; 3] {
        // SAFETY: by the contract.
        unsafe {
            let Some(from) = self.row(row, 1) else { return [V::splat(0.0); 3] };
            let x = V::load_first(from, self.input[1]);
            [x.shifted_up(), x, x.shifted_down()]
        }
    }

    /// Whether a vector holds a row, with one zero before it and one behind.
    #[inline(always)]
    fn is_narrow<V: Lanes>(&self) -> bool {
        self.origin[1] == -1 && self.input[1] <= V::LANES && self.width <= self.input[1]
    }

    /// As [`Plane::load`], of every other padded column.
    #[inline(always)]
    unsafe fn load_by_two<V: Lanes, const EDGE: bool>(
        &self,
        row: usize,
        column: usize,
        inside: [[usize; 2]; 4],
    ) -> [V; 3] {
        // SAFETY: by the contract.
        unsafe {
            let Some(from) = self.row(row, column) else { return [V::splat(0.0); 3] };
            let low = load::<V, EDGE>(from, inside[0]);
            let high = load::<V, EDGE>(from.wrapping_add(V::LANES), inside[1]);
            let (first, second) = low.deinterleave(high);
            let low = load::<V, EDGE>(from.wrapping_add(2), inside[2]);
            let high = load::<V, EDGE>(from.wrapping_add(2 + V::LANES), inside[3]);
            [first, second, low.deinterleave(high).0]
        }
    }

    /// Whether padded columns `columns` lie in the plane.
    #[inline(always)]
    fn has(&self, columns: Range<usize>) -> bool {
        columns.start as isize + self.origin[1] >= 0
            && columns.end as isize + self.origin[1] <= self.input[1] as isize
    }
}

/// Elements in a range of positions, or all of a vector.
///
/// # Safety
/// They may be read, and the machine has the instructions of `V`.
#[inline(always)]
unsafe fn load<V: Lanes, const EDGE: bool>(from: *const f32, [begin, end]: [usize; 2]) -> V {
    // SAFETY: by the contract.
    unsafe { if EDGE { V::load_within(from, begin, end) } else { V::load(from) } }
}

with_lanes! {
    /// # Safety
    /// The plane and the operands of the epilogue may be read; results may be written.
    fn sums(args: &Plane) = body
}

#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(args: &Plane) {
    if args.is_narrow::<V>() {
        // SAFETY: by the contract.
        return unsafe {
            if args.stride == 1 { narrow_rows::<V>(args) } else { narrow_rows_by_two::<V>(args) }
        };
    }
    // From the last vector of columns to the first: whole vectors reach into what is written later.
    for column in (0..args.width).step_by(V::LANES).rev() {
        let read = args.stride * column..args.stride * (column + V::LANES) + 2;
        // SAFETY: by the contract.
        unsafe {
            match (args.stride, args.has(read)) {
                (1, true) => columns::<V, false>(args, column),
                (1, false) => columns::<V, true>(args, column),
                (_, true) => columns_by_two::<V, false>(args, column),
                (_, false) => columns_by_two::<V, true>(args, column),
            }
        };
    }
}

/// All results, if a vector holds a row.
///
/// # Safety
/// As for [`sums`].
#[inline(always)]
unsafe fn narrow_rows<V: Lanes>(args: &Plane) {
    // SAFETY: by the contract.
    unsafe {
        let results = Results::<V>::new(args, 0);
        let mut top = args.load_narrow(0);
        let mut middle = args.load_narrow(1);
        for row in 0..args.height {
            let bottom = args.load_narrow(row + 2);
            results.write::<false>(row, top, middle, bottom);
            (top, middle) = (middle, bottom);
        }
    }
}

/// As [`narrow_rows`], of kernels that move by two: sums of every other lane are results.
///
/// # Safety
/// As for [`sums`].
#[inline(always)]
unsafe fn narrow_rows_by_two<V: Lanes>(args: &Plane) {
    // SAFETY: by the contract.
    unsafe {
        let results = Results::<V>::new(args, 0);
        let mut top = args.load_narrow(0);
        for row in 0..args.height {
            let (middle, bottom) = (args.load_narrow(2 * row + 1), args.load_narrow(2 * row + 2));
            results.write::<true>(row, top, middle, bottom);
            top = bottom;
        }
    }
}

/// All results of a vector of columns. `EDGE`: whether some elements that they read lie beside the plane.
///
/// # Safety
/// As for [`sums`].
#[inline(always)]
unsafe fn columns<V: Lanes, const EDGE: bool>(args: &Plane, column: usize) {
    let mut inside = [[0; 2]; 3];
    for c in 0..3 {
        inside[c] = args.inside::<V>(column + c);
    }
    // SAFETY: by the contract.
    unsafe {
        let results = Results::<V>::new(args, column);
        // Three rows of input, of which each row of results replaces the first.
        let mut a = args.load::<V, EDGE>(0, column, inside);
        let mut b = args.load::<V, EDGE>(1, column, inside);
        let mut row = 0;
        loop {
            let c = args.load::<V, EDGE>(row + 2, column, inside);
            results.write::<false>(row, a, b, c);
            if row + 1 == args.height {
                break;
            }
            a = args.load::<V, EDGE>(row + 3, column, inside);
            results.write::<false>(row + 1, b, c, a);
            if row + 2 == args.height {
                break;
            }
            b = args.load::<V, EDGE>(row + 4, column, inside);
            results.write::<false>(row + 2, c, a, b);
            row += 3;
            if row == args.height {
                break;
            }
        }
    }
}

/// As [`columns`], of kernels that move by two.
///
/// # Safety
/// As for [`sums`].
#[inline(always)]
unsafe fn columns_by_two<V: Lanes, const EDGE: bool>(args: &Plane, column: usize) {
    // Vectors from the first column and from the third one on, two of each.
    let mut inside = [[0; 2]; 4];
    for n in 0..4 {
        inside[n] = args.inside::<V>(2 * column + n / 2 * 2 + n % 2 * V::LANES);
    }
    // SAFETY: by the contract.
    unsafe {
        let results = Results::<V>::new(args, column);
        let mut top = args.load_by_two::<V, EDGE>(0, 2 * column, inside);
        for row in 0..args.height {
            let middle = args.load_by_two::<V, EDGE>(2 * row + 1, 2 * column, inside);
            let bottom = args.load_by_two::<V, EDGE>(2 * row + 2, 2 * column, inside);
            results.write::<false>(row, top, middle, bottom);
            top = bottom;
        }
    }
}

/// A vector of columns of results.
struct Results<V> {
    kernel: [V; 9],
    bias: V,
    bounds: Vectors<V>,
    /// The first row of results and of their residual, and elements from one row to the next.
    out: *mut f32,
    residual: Option<*const f32>,
    step: usize,
    /// Elements that the columns have.
    count: usize,
    /// Rows whose vectors end within the plane.
    whole: usize,
}

impl<V: Lanes> Results<V> {
    /// # Safety
    /// As for [`sums`].
    #[inline(always)]
    unsafe fn new(args: &Plane, column: usize) -> Self {
        // SAFETY: by the contract.
        unsafe {
            let mut kernel = [V::splat(0.0); 9];
            for tap in 0..9 {
                kernel[tap] = V::splat(args.kernel[tap]);
            }
            Results {
                kernel,
                bias: V::splat(args.epilogue.bias),
                bounds: args.epilogue.bounds.splat(),
                out: args.out.add(column),
                residual: args.epilogue.residual.map(|residual| residual.wrapping_add(column)),
                step: args.width,
                count: (args.width - column).min(V::LANES),
                whole: ((args.height + 1) * args.width).saturating_sub(column + V::LANES) / args.width,
            }
        }
    }

    /// Writes a row, from the three rows that it reads. `APART`: whether every other sum is a result.
    ///
    /// # Safety
    /// As for [`sums`].
    #[inline(always)]
    unsafe fn write<const APART: bool>(&self, row: usize, top: [V; 3], middle: [V; 3], bottom: [V; 3]) {
        // SAFETY: by the contract.
        unsafe {
            let mut sum = self.bias;
            for c in 0..3 {
                sum = top[c].times_plus(self.kernel[c], sum);
            }
            for c in 0..3 {
                sum = middle[c].times_plus(self.kernel[3 + c], sum);
            }
            for c in 0..3 {
                sum = bottom[c].times_plus(self.kernel[6 + c], sum);
            }
            if APART {
                sum = sum.deinterleave(sum).0;
            }
            let (is_whole, at) = (row < self.whole, row * self.step);
            if let Some(residual) = self.residual {
                let from = residual.wrapping_add(at);
                sum = sum.plus(if is_whole { V::load(from) } else { V::load_first(from, self.count) });
            }
            let (sum, out) = (self.bounds.apply(sum), self.out.add(at));
            // Stores of some elements of a vector take several times as long as those of all.
            if is_whole { sum.store(out) } else { sum.store_first(out, self.count) }
        }
    }
}

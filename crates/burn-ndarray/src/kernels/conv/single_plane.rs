//! Depthwise convolution by kernels of 3 x 3 that move by one or by two: each row of a plane is read once,
//! where it lies, for all rows of results that it is part of.

use super::geometry::Geometry;
use super::plane_columns::{
    Columns, Edge, EdgeByTwo, Inner, InnerByTwo, Narrow, NarrowByTwo, Pair, PairByTwo,
};
use crate::gemm::epilogue::{ChannelEpilogue, Epilogue};
use crate::kernels::bounds::Vectors;
use crate::simd::{Lanes, with_lanes};
use crate::threads::parallel::{self, Shared};
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
    let is_small = |d: usize| g.window.padding[d].max(g.padding_after(d)) <= 2;
    stride(g).is_some() && !is_empty && is_small(1) && is_small(2)
}

/// `out = weight * x` with its epilogue, for groups of one channel.
pub fn forward(g: &Geometry, x: &[f32], weight: &[f32], epilogue: Epilogue<'_>, out: &mut [f32]) -> bool {
    let Some(stride) = stride(g) else { return false };
    let origin = [-(g.window.padding[1] as isize), -(g.window.padding[2] as isize)];
    let (channels, [_, input @ ..], [_, output @ ..]) = (g.groups, g.input, g.output);
    let planes = Planes { x, weight, epilogue, channels, input, output, origin, stride, turned: false };
    planes.run(out);
    true
}

/// The gradient of [`forward`] by its input, of kernels that move by one.
pub fn input_grad(g: &Geometry, grad: &[f32], weight: &[f32], out: &mut [f32]) -> bool {
    if stride(g) != Some(1) {
        return false;
    }
    let origin = [g.window.padding[1] as isize - 2, g.window.padding[2] as isize - 2];
    let (channels, [_, input @ ..], [_, output @ ..]) = (g.groups, g.output, g.input);
    let epilogue = Epilogue::default();
    let planes =
        Planes { x: grad, weight, epilogue, channels, input, output, origin, stride: 1, turned: true };
    planes.run(out);
    true
}

/// Planes of all images, and their kernels.
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
    /// The first element that a kernel reads, along each dimension.
    origin: [isize; 2],
    stride: usize,
    /// Whether kernels are turned by half a circle.
    turned: bool,
}

impl Planes<'_> {
    fn area_in(&self) -> usize {
        self.input[0] * self.input[1]
    }

    fn area_out(&self) -> usize {
        self.output[0] * self.output[1]
    }

    fn run(&self, out: &mut [f32]) {
        let (count, start) = (out.len() / self.area_out(), Shared(out.as_mut_ptr()));
        assert!(self.x.len() >= count * self.area_in() && self.weight.len() >= self.channels * 9);
        let cost = self.area_in().max(self.area_out()) * 2;
        // SAFETY: planes have as many rows and columns as they say; each plane of results is written once.
        parallel::for_ranges(count, cost, &|range| unsafe { sums(self, range, start.get()) });
    }

    /// The kernel and the epilogue of a plane.
    #[inline(always)]
    fn channel(&self, plane: usize) -> (*const f32, ChannelEpilogue) {
        let channel = plane % self.channels;
        (self.weight[channel * 9..].as_ptr(), self.epilogue.channel(channel, plane * self.area_out()))
    }

    /// Elements of a vector from padded column `column` on that lie in the plane.
    #[inline(always)]
    fn inside<V: Lanes>(&self, column: usize) -> [usize; 2] {
        let first = column as isize + self.origin[1];
        let end = (self.input[1] as isize - first).clamp(0, V::LANES as isize) as usize;
        [((-first).max(0) as usize).min(end), end]
    }

    /// Whether padded columns `columns` lie in the plane.
    #[inline(always)]
    fn has(&self, columns: Range<usize>) -> bool {
        columns.start as isize + self.origin[1] >= 0
            && columns.end as isize + self.origin[1] <= self.input[1] as isize
    }

    /// Whether a vector holds a row, with one zero before it and one after.
    #[inline(always)]
    fn is_narrow<V: Lanes>(&self) -> bool {
        self.origin[1] == -1 && self.input[1] <= V::LANES && self.output[1] <= self.input[1]
    }

    /// Whether a vector holds a row of two planes, with a zero after each, and one of their results.
    #[inline(always)]
    fn is_paired<V: Lanes>(&self) -> bool {
        let most = if self.stride == 1 { V::LANES / 2 } else { V::LANES };
        self.is_narrow::<V>() && self.input[1] < most && self.output[1] <= V::LANES / 2
    }

    /// Number of the weight of a tap of the first kernel.
    #[inline(always)]
    fn tap(&self, tap: usize) -> usize {
        if self.turned { 8 - tap } else { tap }
    }
}

with_lanes! {
    /// Computes planes of results, of which `out` is the first of all.
    ///
    /// # Safety
    /// The planes, their kernels and the operands of the epilogue may be read; results may be written.
    fn sums(planes: &Planes<'_>, range: Range<usize>, out: *mut f32) = body
}

#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(
    planes: &Planes<'_>,
    range: Range<usize>,
    out: *mut f32,
) {
    let mut plane = range.start;
    // SAFETY: by the contract.
    unsafe {
        if planes.is_paired::<V>() {
            let (width, input, output) = (planes.input[1], planes.area_in(), planes.area_out());
            let pair = Pair { width, input, output };
            while plane + 1 < range.end {
                let results = Results::<V>::new_pair(planes, plane, out);
                match planes.stride {
                    1 => rows_by_one(&results, 0, pair),
                    _ => rows_by_two(&results, 0, PairByTwo(pair)),
                }
                plane += 2;
            }
        }
        let is_narrow = planes.is_narrow::<V>();
        while plane < range.end {
            let results = Results::<V>::new(planes, plane, out);
            if is_narrow {
                let narrow = Narrow { width: planes.input[1] };
                match planes.stride {
                    1 => rows_by_one(&results, 0, narrow),
                    _ => rows_by_two(&results, 0, NarrowByTwo(narrow)),
                }
            } else {
                all_columns(&results);
            }
            plane += 1;
        }
    }
}

/// Computes a plane, from the last vector of columns to the first: whole vectors reach into what is written
/// later.
///
/// # Safety
/// As for [`sums`].
#[inline(always)]
unsafe fn all_columns<V: Lanes>(results: &Results<'_, V>) {
    let planes = results.planes;
    for column in (0..planes.output[1]).step_by(V::LANES).rev() {
        let first = planes.stride * column;
        let read = first..first + planes.stride * V::LANES + 2;
        let inside = |n: usize| planes.inside::<V>(first + n);
        // SAFETY: by the contract.
        unsafe {
            match (planes.stride, planes.has(read)) {
                (1, true) => rows_by_one(results, column, Inner),
                (1, false) => {
                    rows_by_one(results, column, Edge { inside: [inside(0), inside(1), inside(2)] })
                }
                (_, true) => rows_by_two(results, column, InnerByTwo),
                (_, false) => {
                    let next = first + 2 * V::LANES;
                    let inside = [inside(0), inside(V::LANES)];
                    rows_by_two(results, column, EdgeByTwo { inside, has_next: planes.has(next..next + 1) });
                }
            }
        };
    }
}

/// Writes all rows of a vector of columns.
///
/// # Safety
/// As for [`sums`]; so in the next one.
#[inline(always)]
unsafe fn rows_by_one<V: Lanes, C: Columns<V>>(results: &Results<'_, V>, column: usize, columns: C) {
    let Planes { input, output, .. } = *results.planes;
    // SAFETY: by the contract.
    unsafe {
        // Three rows of input, of which each row of results replaces the first.
        let mut a = results.read(0, column, columns);
        let mut b = results.read(1, column, columns);
        let steady = results.steady::<C>(column);
        let mut from = results.at(2, column);
        let mut out = results.out.wrapping_add(column);
        let mut row = 0;
        while row + 3 <= steady {
            let c = columns.read(from);
            results.store([a, b, c], columns, out);
            a = columns.read(from.wrapping_add(input[1]));
            results.store([b, c, a], columns, out.wrapping_add(output[1]));
            b = columns.read(from.wrapping_add(2 * input[1]));
            results.store([c, a, b], columns, out.wrapping_add(2 * output[1]));
            from = from.wrapping_add(3 * input[1]);
            out = out.wrapping_add(3 * output[1]);
            row += 3;
        }
        while row < output[0] {
            let c = results.read(row + 2, column, columns);
            results.write(row, column, [a, b, c], columns);
            (a, b) = (b, c);
            row += 1;
        }
    }
}

/// As [`rows_by_one`], of kernels that move by two.
#[inline(always)]
unsafe fn rows_by_two<V: Lanes, C: Columns<V>>(results: &Results<'_, V>, column: usize, columns: C) {
    let Planes { input, output, .. } = *results.planes;
    // SAFETY: by the contract.
    unsafe {
        let mut top = results.read(0, column, columns);
        let steady = results.steady::<C>(column);
        let mut from = results.at(1, column);
        let mut out = results.out.wrapping_add(column);
        let mut row = 0;
        while row < steady {
            let middle = columns.read(from);
            let bottom = columns.read(from.wrapping_add(input[1]));
            results.store([top, middle, bottom], columns, out);
            top = bottom;
            from = from.wrapping_add(2 * input[1]);
            out = out.wrapping_add(output[1]);
            row += 1;
        }
        while row < output[0] {
            let middle = results.read(2 * row + 1, column, columns);
            let bottom = results.read(2 * row + 2, column, columns);
            results.write(row, column, [top, middle, bottom], columns);
            top = bottom;
            row += 1;
        }
    }
}

/// The results of a plane, or of two of them, each of which has half of the lanes.
struct Results<'a, V> {
    planes: &'a Planes<'a>,
    plane: usize,
    kernel: [V; 9],
    bias: V,
    bounds: Vectors<V>,
    residual: Option<*const f32>,
    /// The first result.
    out: *mut f32,
}

impl<'a, V: Lanes> Results<'a, V> {
    /// # Safety
    /// As for [`sums`]; so in all functions below.
    #[inline(always)]
    unsafe fn new(planes: &'a Planes<'a>, plane: usize, out: *mut f32) -> Self {
        let (weight, ChannelEpilogue { bias, .. }) = planes.channel(plane);
        // SAFETY: by the contract; so in all functions below.
        unsafe {
            let mut kernel = [V::splat(0.0); 9];
            for tap in 0..9 {
                kernel[tap] = V::splat(*weight.wrapping_add(planes.tap(tap)));
            }
            Self::of(planes, plane, out, kernel, V::splat(bias))
        }
    }

    /// The results of a plane and the next one.
    #[inline(always)]
    unsafe fn new_pair(planes: &'a Planes<'a>, plane: usize, out: *mut f32) -> Self {
        let (lower, ChannelEpilogue { bias: first, .. }) = planes.channel(plane);
        let (upper, ChannelEpilogue { bias: second, .. }) = planes.channel(plane + 1);
        // SAFETY: as above.
        unsafe {
            let mut kernel = [V::splat(0.0); 9];
            for tap in 0..9 {
                let at = planes.tap(tap);
                kernel[tap] = V::splat_halves(*lower.wrapping_add(at), *upper.wrapping_add(at));
            }
            Self::of(planes, plane, out, kernel, V::splat_halves(first, second))
        }
    }

    #[inline(always)]
    unsafe fn of(planes: &'a Planes<'a>, plane: usize, out: *mut f32, kernel: [V; 9], bias: V) -> Self {
        let (_, ChannelEpilogue { residual, bounds, .. }) = planes.channel(plane);
        let out = out.wrapping_add(plane * planes.area_out());
        // SAFETY: as above.
        Results { planes, plane, kernel, bias, bounds: unsafe { bounds.splat() }, residual, out }
    }

    /// The first element, in padded row `row`, that results of column `column` are made of. It may lie
    /// outside of the plane.
    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> *const f32 {
        let Planes { x, input, origin, stride, .. } = *self.planes;
        let first = self.plane * self.planes.area_in() + row * input[1] + stride * column;
        let first = x.as_ptr().wrapping_add(first);
        first.wrapping_offset(origin[0] * input[1] as isize + origin[1])
    }

    /// Reads the input of the three taps of a kernel row, for results from column `column` on. Padding, where
    /// the row lies outside of the plane, is zeros.
    #[inline(always)]
    unsafe fn read<C: Columns<V>>(&self, row: usize, column: usize, columns: C) -> [V; 3] {
        let Planes { input, origin, .. } = *self.planes;
        let is_inside = (0..input[0] as isize).contains(&(row as isize + origin[0]));
        // SAFETY: as above.
        unsafe { if is_inside { columns.read(self.at(row, column)) } else { [V::splat(0.0); 3] } }
    }

    /// The number of rows, from the first on, whose last two rows of input are rows of the plane, and whose
    /// whole stores reach into rows that are written later only. None if there is a residual.
    #[inline(always)]
    fn steady<C: Columns<V>>(&self, column: usize) -> usize {
        let Planes { input, output: [height, width], origin, stride, .. } = *self.planes;
        let last = input[0] as isize - 3 - origin[0];
        // With more padding, the last two rows of the first kernels may lie before the plane.
        let has_first = origin[0] >= stride as isize - 3;
        if self.residual.is_some() || last < 0 || !has_first {
            return 0;
        }
        let whole = ((height + 1) * width).saturating_sub(column + C::REACH) / width;
        (last as usize / stride + 1).min(whole).min(height)
    }

    /// The sums of a row, from the three rows that it reads.
    #[inline(always)]
    unsafe fn sum(&self, rows: [[V; 3]; 3]) -> V {
        let mut sum = self.bias;
        for r in 0..3 {
            for c in 0..3 {
                // SAFETY: as above.
                sum = unsafe { rows[r][c].times_plus(self.kernel[3 * r + c], sum) };
            }
        }
        sum
    }

    /// Writes a row by whole stores, without a residual.
    #[inline(always)]
    unsafe fn store<C: Columns<V>>(&self, rows: [[V; 3]; 3], columns: C, out: *mut f32) {
        // SAFETY: as above.
        unsafe { columns.store(self.bounds.apply(self.sum(rows)), out) }
    }

    /// Writes the results of row `row` from `column` on, and nothing else.
    #[inline(always)]
    unsafe fn write<C: Columns<V>>(&self, row: usize, column: usize, rows: [[V; 3]; 3], columns: C) {
        let width = self.planes.output[1];
        let (at, count) = (row * width + column, (width - column).min(C::REACH));
        // SAFETY: as above.
        unsafe {
            let mut sums = self.sum(rows);
            if let Some(residual) = self.residual {
                sums = sums.plus(columns.residual(residual.wrapping_add(at), count));
            }
            columns.store_first(self.bounds.apply(sums), self.out.wrapping_add(at), count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::bounds::Bounds;
    use crate::miri::shrink;
    use alloc::vec::Vec;

    fn numbers(len: usize, seed: usize) -> Vec<f32> {
        (0..len).map(|i| ((i * 7919 + seed * 104_729) % 1013) as f32 / 506.0 - 1.0).collect()
    }

    /// The results of the planes by their definition, in f64.
    fn expected(planes: &Planes<'_>, count: usize) -> Vec<f64> {
        let ([height, width], [rows, columns]) = (planes.input, planes.output);
        let place = |plane: usize, row: usize, column: usize| {
            let channel = plane % planes.channels;
            let mut sum = f64::from(planes.epilogue.bias.map_or(0.0, |bias| bias[channel]));
            for tap in 0..9 {
                let y = (row * planes.stride + tap / 3) as isize + planes.origin[0];
                let x = (column * planes.stride + tap % 3) as isize + planes.origin[1];
                if (0..height as isize).contains(&y) && (0..width as isize).contains(&x) {
                    let x = planes.x[(plane * height + y as usize) * width + x as usize];
                    sum += f64::from(x) * f64::from(planes.weight[channel * 9 + planes.tap(tap)]);
                }
            }
            let at = (plane * rows + row) * columns + column;
            sum + planes.epilogue.residual.map_or(0.0, |residual| f64::from(residual[at]))
        };
        (0..count * rows * columns)
            .map(|at| place(at / (rows * columns), at / columns % rows, at % columns))
            .collect()
    }

    /// Vectors of every width write all results, and nothing before and after those of their range.
    fn check(run: impl Fn(&Planes<'_>, Range<usize>, *mut f32)) {
        let mut state = 5_u64;
        let mut draw = |least: usize, most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            least + (state >> 33) as usize % (most + 1 - least)
        };
        for n in 0..shrink(600, 10) {
            let (channels, stride) = (draw(1, 5), draw(1, 2));
            // Mostly rows of about as many elements as vectors, or half of them, have.
            let input = [draw(1, 12), if n % 3 == 0 { draw(1, 50) } else { draw(1, 17) }];
            let padding = [draw(0, 4), if n % 2 == 0 { 1 } else { draw(0, 4) }];
            let output: [usize; 2] = core::array::from_fn(|d| {
                (input[d] + 2 * padding[d]).checked_sub(3).map_or(0, |room| room / stride + 1)
            });
            if output.contains(&0) {
                continue;
            }
            let count = channels * draw(1, 2);
            let range = draw(0, count - 1)..count;
            let (x, weight) = (numbers(count * input[0] * input[1], 1), numbers(channels * 9, 2));
            let (bias, residual) = (numbers(channels, 3), numbers(count * output[0] * output[1], 4));
            let epilogue = Epilogue {
                bias: (n % 5 > 0).then_some(&bias[..]),
                residual: (n % 4 == 0).then_some(&residual[..]),
                bounds: Some(Bounds::NONE),
            };
            let planes = Planes {
                x: &x,
                weight: &weight,
                epilogue,
                channels,
                input,
                output,
                origin: padding.map(|padding| -(padding as isize)),
                stride,
                turned: n % 7 == 0,
            };
            let (area, margin) = (planes.area_out(), 3);
            let mut out = numbers(count * area + 2 * margin, 6);
            let before = out.clone();
            run(&planes, range.clone(), out[margin..].as_mut_ptr());
            let written = margin + range.start * area..margin + count * area;
            let all = expected(&planes, count);
            for (at, &found) in out.iter().enumerate() {
                if !written.contains(&at) {
                    assert!(found == before[at], "element {at} beside {written:?} was written");
                    continue;
                }
                let wanted = all[at - margin];
                let error = (f64::from(found) - wanted).abs();
                assert!(
                    error < 1e-5,
                    "{input:?} to {output:?} by {stride}, element {at}: {found}, not {wanted}"
                );
            }
        }
    }

    #[test]
    fn planes_by_vectors_of_four_are_those_of_f64() {
        // SAFETY: the planes are as they say, and every machine has arrays.
        check(|planes, range, out| unsafe { body::<[f32; 4], 1, 1>(planes, range, out) });
    }

    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    #[test]
    fn planes_by_wider_vectors_are_those_of_f64() {
        use crate::simd::{Level, level};
        use core::arch::x86_64::{__m256, __m512};

        if level() != Level::Baseline {
            // SAFETY: as above; the machine has the instructions.
            check(|planes, range, out| unsafe { body::<__m256, 1, 1>(planes, range, out) });
        }
        if level() == Level::V4 {
            // SAFETY: as above.
            check(|planes, range, out| unsafe { body::<__m512, 1, 1>(planes, range, out) });
        }
    }
}

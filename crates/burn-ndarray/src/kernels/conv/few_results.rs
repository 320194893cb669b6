//! Convolution of `f32` to planes of few results: products of kernels, each of which is read once, with the
//! patches of input that the results are made of.

use super::geometry::Geometry;
use crate::gemm::epilogue::{Epilogue, RowsEpilogue};
use crate::gemm::single_columns::rows_by_columns;
use crate::memory::Buffer;
use crate::simd::{Lanes, with_lanes};
use crate::threads::parallel::{self, Shared};
use core::ops::Range;

/// Most results of a plane.
const MOST: usize = 8;
/// Fewest elements of a kernel: a vector of the widest.
const LEAST: usize = 16;
/// Kernels that are multiplied together.
const ROWS: usize = 4;
/// Patches that a kernel is multiplied with in the time in which it is read.
const READ: usize = 4;

/// Whether [`forward`] computes the convolution.
pub fn suits(g: &Geometry) -> bool {
    let is_empty = [g.batch, g.groups, g.group_out, g.area_in()].contains(&0);
    !is_empty && !g.is_depthwise() && (1..=MOST).contains(&g.area_out()) && g.depth() >= LEAST
}

/// `out = weight * x` with its epilogue.
pub fn forward(g: &Geometry, x: &[f32], weight: &[f32], epilogue: Epilogue<'_>, out: &mut [f32]) {
    let (area, depth) = (g.area_out(), g.depth());
    let start = Shared(out.as_mut_ptr());
    let unit = |unit: usize, is_shared: bool| {
        let (first, channels) = (unit % g.groups * g.group_out, g.group_in * g.area_in());
        let mut patches = Buffer::new(area * depth * size_of::<f32>());
        let gathered = patches.as_mut_slice().expect("a new buffer is unique");
        gather(g, &x[unit * channels..][..channels], gathered);
        let at = unit * g.group_out * area;
        let products = Products {
            weight: &weight[first * depth..][..g.group_out * depth],
            depth,
            patches: patches.as_slice(),
            area,
            epilogue,
            channel: first,
            at,
            out: Shared(start.get().wrapping_add(at)),
        };
        // SAFETY: rows are those of the group, and each is written once.
        let some = |rows: Range<usize>| unsafe { multiply(&products, rows) };
        if is_shared {
            let blocks = g.group_out.div_ceil(ROWS);
            parallel::for_ranges(blocks, ROWS * depth * area.max(READ) / READ, &|range| {
                some(range.start * ROWS..g.group_out.min(range.end * ROWS));
            });
        } else {
            some(0..g.group_out);
        }
    };
    let units = g.batch * g.groups;
    if units < parallel::threads() {
        return (0..units).for_each(|index| unit(index, true));
    }
    parallel::for_ranges(units, g.products() / 8 + 1, &|range| range.for_each(|index| unit(index, false)));
}

/// Writes the elements that each result is made of, in the order of a kernel; zeros outside of the planes.
fn gather(g: &Geometry, x: &[f32], patches: &mut [f32]) {
    let (w, [depth, height, width], taps) = (&g.window, g.input, g.taps());
    let [_, rows, columns] = g.output;
    let [_, kernel_rows, kernel_columns] = w.kernel;
    for (place, patch) in patches.chunks_exact_mut(g.depth()).enumerate() {
        let (i, j, k) = (place / (rows * columns), place / columns % rows, place % columns);
        let (depths, heights) = (w.taps(0, i, depth), w.taps(1, j, height));
        let widths = w.taps(2, k, width);
        for line in 0..taps / kernel_columns {
            let (a, b) = (line / kernel_rows, line % kernel_rows);
            let is_inside = depths.contains(&a) && heights.contains(&b) && !widths.is_empty();
            let first = is_inside.then(|| {
                (w.element(0, i, a) * height + w.element(1, j, b)) * width + w.element(2, k, widths.start)
            });
            let lines = patch[line * kernel_columns..].chunks_mut(taps).zip(x.chunks_exact(g.area_in()));
            if g.group_in < kernel_columns {
                lines.for_each(|(line, plane)| {
                    copy_line(&mut line[..kernel_columns], plane, first, &widths, w.dilation[2]);
                });
                continue;
            }
            // Tap by tap, the loop over channels asks nothing.
            for tap in 0..kernel_columns {
                let at = first.filter(|_| widths.contains(&tap));
                let at = at.map(|first| first + (tap - widths.start) * w.dilation[2]);
                let elements = patch[line * kernel_columns + tap..].iter_mut().step_by(taps);
                match at {
                    Some(at) => {
                        let from = x[at..].iter().step_by(g.area_in());
                        elements.zip(from).for_each(|(to, from)| *to = *from);
                    }
                    None => elements.for_each(|to| *to = 0.0),
                }
            }
        }
    }
}

/// Writes a row of a patch, whose taps in `inside` read a plane from `first` on.
fn copy_line(line: &mut [f32], plane: &[f32], first: Option<usize>, inside: &Range<usize>, dilation: usize) {
    let Some(first) = first else { return line.fill(0.0) };
    line[..inside.start].fill(0.0);
    line[inside.end..].fill(0.0);
    let line = &mut line[inside.clone()];
    if dilation == 1 {
        line.copy_from_slice(&plane[first..][..line.len()]);
    } else {
        line.iter_mut().zip(plane[first..].iter().step_by(dilation)).for_each(|(to, from)| *to = *from);
    }
}

/// Kernels of a group, and the patches of an image.
#[derive(Clone, Copy)]
struct Products<'a> {
    weight: &'a [f32],
    /// Elements of a kernel and of a patch.
    depth: usize,
    patches: &'a [f32],
    /// Patches, and results of a kernel.
    area: usize,
    epilogue: Epilogue<'a>,
    /// Channel of the first kernel, and the place of its first result among all.
    channel: usize,
    at: usize,
    /// The results of the first kernel.
    out: Shared<f32>,
}

with_lanes! {
    /// Writes the results of some kernels.
    ///
    /// # Safety
    /// The kernels are there, and the operands of the epilogue may be read; results may be written.
    fn multiply(products: &Products<'_>, rows: Range<usize>) = body
}

#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(products: &Products<'_>, rows: Range<usize>) {
    let epilogue = products.epilogue.rows(products.channel, products.at);
    let mut row = rows.start;
    // SAFETY: by the contract.
    unsafe {
        while row + ROWS <= rows.end {
            kernels::<V, ROWS>(products, epilogue, row);
            row += ROWS;
        }
        while row < rows.end {
            kernels::<V, 1>(products, epilogue, row);
            row += 1;
        }
    }
}

/// Writes the results of `M` kernels from `row` on.
///
/// # Safety
/// As for [`multiply`], and the machine has the instructions of `V`; so in the next one.
#[inline(always)]
unsafe fn kernels<V: Lanes, const M: usize>(products: &Products<'_>, epilogue: RowsEpilogue, row: usize) {
    let mut patch = 0;
    while patch < products.area {
        // SAFETY: by the contract.
        patch += unsafe {
            match products.area - patch {
                // As many sums as there are registers for.
                left if left >= 4 && V::LANES == 16 => tile::<V, M, 4>(products, epilogue, row, patch),
                left if left >= 2 => tile::<V, M, 2>(products, epilogue, row, patch),
                _ => tile::<V, M, 1>(products, epilogue, row, patch),
            }
        };
    }
}

/// Writes the results of `M` kernels and `C` patches.
#[inline(always)]
unsafe fn tile<V: Lanes, const M: usize, const C: usize>(
    products: &Products<'_>,
    epilogue: RowsEpilogue,
    row: usize,
    patch: usize,
) -> usize {
    let Products { weight, depth, patches, area, out, .. } = *products;
    let (weight, patches) = (weight[row * depth..].as_ptr(), patches[patch * depth..].as_ptr());
    // SAFETY: by the contract.
    unsafe {
        let sums = rows_by_columns::<V, M, C>(weight, depth, depth, patches);
        for c in 0..C {
            for m in 0..M {
                let at = (row + m) * area + patch + c;
                *out.get().wrapping_add(at) = epilogue.apply_one(sums[c][m], row + m, at);
            }
        }
    }
    C
}

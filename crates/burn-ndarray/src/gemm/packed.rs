//! Products of some rows with a large matrix, whose columns are packed into panels first. A matrix that comes
//! again and again, such as the weights of a trained layer, keeps its panels.

use crate::gemm::epilogue::RowsEpilogue;
use crate::gemm::in_cache::{self, Panels};
use crate::gemm::matrix::{Matrix, Sizes};
use crate::memory::Buffer;
use crate::miri::shrink;
use crate::simd::{Lanes, prefetch, with_lanes};
use crate::threads::parallel::{self, Shared};
use core::ops::Range;

/// Rows for which packing the matrix is a large part of a product: fewer read it as it lies, more hide it
/// after their arithmetic.
const ROWS: Range<usize> = 5..257;
/// Rows from which on a product is not packed that fits into the second cache, or is so deep that a panel
/// does not.
const MANY: usize = shrink(65, 17);
const DEEP: usize = 1 << 12;
/// Elements of the matrix: smaller ones are read as they lie, and a second copy of larger ones costs its user
/// too much memory.
const ELEMENTS: Range<usize> = shrink(1 << 16, 1 << 7)..1 << 24;
/// Rows that are too few, and elements from which on they wait for the memory, packed or not.
const FEW: usize = 9;
const LARGE: usize = shrink(1 << 21, 1 << 13);
/// Columns that are not cut: whole panels for vectors of every width.
const TOGETHER: usize = 48;
/// Rows of the matrix from the one that is packed to the one that the memory is asked for.
const AHEAD: usize = 12;

/// A product, for several threads.
struct Packed {
    sizes: Sizes,
    out: Matrix<Shared<f32>>,
    lhs: Matrix<Shared<f32>>,
    rhs: Matrix<Shared<f32>>,
    /// The panels of the matrix, if they are kept.
    kept: Option<Shared<f32>>,
}

/// Some columns of a product, and where their panels are, or go: the one of column `col` is `col * depth`
/// elements after.
struct Columns {
    panels: Panels<'static>,
    columns: Range<usize>,
    packed: *mut f32,
    pack: bool,
    multiply: bool,
}

fn suits(
    (rows, cols, depth): Sizes,
    out: Matrix<*mut f32>,
    lhs: Matrix<*const f32>,
    rhs: Matrix<*const f32>,
) -> bool {
    let elements = cols * depth;
    let suits_many = lhs.col_step == 1 && depth <= DEEP && !in_cache::fits((rows, cols, depth));
    ROWS.contains(&rows)
        && (rows < MANY || suits_many)
        && ELEMENTS.contains(&elements)
        && (rows >= FEW || elements < LARGE)
        && cols >= TOGETHER
        && out.col_step == 1
        && rhs.col_step == 1
}

/// Writes the product, if it is one of some rows with a large matrix: whether it is. `matrix` holds the
/// elements of `rhs`.
///
/// # Safety
/// As for [`crate::gemm::product::Product::product`].
pub unsafe fn product(
    sizes: Sizes,
    out: Matrix<*mut f32>,
    lhs: Matrix<*const f32>,
    rhs: Matrix<*const f32>,
    matrix: &Buffer,
) -> bool {
    if !suits(sizes, out, lhs, rhs) {
        return false;
    }
    let (_, cols, depth) = sizes;
    let shared = |matrix: Matrix<*const f32>| Matrix {
        start: Shared(matrix.start.cast_mut()),
        row_step: matrix.row_step,
        col_step: matrix.col_step,
    };
    let out = Matrix { start: Shared(out.start), row_step: out.row_step, col_step: out.col_step };
    let mut packed = Packed { sizes, out, lhs: shared(lhs), rhs: shared(rhs), kept: None };
    let key = [rhs.start as usize, rhs.row_step as usize, cols, depth];
    let kept = matrix.kept().get(key, || {
        let mut panels = Buffer::new(cols.next_multiple_of(16) * depth * size_of::<f32>());
        let start = Shared(panels.as_mut_slice::<f32>().expect("a new buffer is unique").as_mut_ptr());
        // SAFETY: by the contract, and the panels of all columns have room.
        parallel::for_ranges(cols.div_ceil(TOGETHER), depth * TOGETHER, &|range| unsafe {
            columns(&Columns { pack: true, ..packed.columns(range, start.get()) });
        });
        panels
    });
    packed.kept = kept.map(|panels| Shared(panels.as_ptr().cast::<f32>().cast_mut()));
    packed.run();
    true
}

impl Packed {
    /// Some of the groups of columns, the panels of all columns being at `packed`.
    fn columns(&self, groups: Range<usize>, packed: *mut f32) -> Columns {
        let (_, cols, _) = self.sizes;
        let matrix = |matrix: &Matrix<Shared<f32>>| Matrix {
            start: matrix.start.get().cast_const(),
            row_step: matrix.row_step,
            col_step: matrix.col_step,
        };
        let out = Matrix { start: self.out.start.get(), row_step: self.out.row_step, col_step: 1 };
        let panels = Panels {
            sizes: self.sizes,
            out,
            accumulate: false,
            epilogue: RowsEpilogue::default(),
            lhs: matrix(&self.lhs),
            rhs: matrix(&self.rhs),
            singles: None,
        };
        let columns = groups.start * TOGETHER..cols.min(groups.end * TOGETHER);
        Columns { panels, columns, packed, pack: false, multiply: false }
    }

    fn run(&self) {
        let (rows, cols, depth) = self.sizes;
        let cost = (rows * depth * TOGETHER / 8).max(1);
        parallel::for_ranges(cols.div_ceil(TOGETHER), cost, &|groups| {
            if let Some(kept) = &self.kept {
                // SAFETY: by the contract of `product`; the groups of a range are written by it alone.
                return unsafe { columns(&Columns { multiply: true, ..self.columns(groups, kept.get()) }) };
            }
            let mut place = Buffer::new(TOGETHER * depth * size_of::<f32>());
            let place = place.as_mut_slice::<f32>().expect("a new buffer is unique").as_mut_ptr();
            for group in groups {
                let some = self.columns(group..group + 1, place.wrapping_sub(group * TOGETHER * depth));
                // SAFETY: as above, and the panels of a group have room.
                unsafe { columns(&Columns { pack: true, multiply: true, ..some }) };
            }
        });
    }
}

with_lanes! { fn columns(args: &Columns) = body }

/// # Safety
/// The matrices may be read and written, and the machine has the instructions of `V`; so in all functions
/// below.
#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(args: &Columns) {
    for group in args.columns.clone().step_by(TOGETHER) {
        let end = args.columns.end.min(group + TOGETHER);
        // SAFETY: by the contract.
        unsafe {
            if args.pack && end - group == TOGETHER {
                pack_group::<V, N>(args, group);
            }
            let mut col = group;
            while col + N * V::LANES <= end {
                if args.pack && end - group < TOGETHER {
                    pack::<V, N>(args, col, V::LANES);
                }
                if args.multiply {
                    multiply::<V, R, N>(args, col, V::LANES);
                }
                col += N * V::LANES;
            }
            while col < end {
                let count = V::LANES.min(end - col);
                if args.pack {
                    pack::<V, 1>(args, col, count);
                }
                if args.multiply {
                    multiply::<V, R, 1>(args, col, count);
                }
                col += V::LANES;
            }
        }
    }
}

/// The results in the columns of a panel of `N` vectors, `count` elements of the last one.
///
/// # Safety
/// See [`body`].
#[inline(always)]
unsafe fn multiply<V: Lanes, const R: usize, const N: usize>(args: &Columns, col: usize, count: usize) {
    let (_, _, depth) = args.panels.sizes;
    let start = args.packed.wrapping_add(col * depth).wrapping_sub(col).cast_const();
    let rhs = Matrix::new(start, N * V::LANES, 1);
    // SAFETY: by the contract.
    unsafe { in_cache::panel::<V, R, N>(&Panels { rhs, ..args.panels }, col, count) };
}

/// Packs all panels of a whole group: row by row, since neighbours in a row are neighbours in memory.
///
/// # Safety
/// See [`body`].
#[inline(always)]
unsafe fn pack_group<V: Lanes, const N: usize>(args: &Columns, group: usize) {
    let Panels { sizes: (_, _, depth), rhs, .. } = args.panels;
    let width = N * V::LANES;
    let mut from = rhs.start.wrapping_add(group);
    let mut to = args.packed.wrapping_add(group * depth);
    for _ in 0..depth {
        let ahead = from.wrapping_offset(AHEAD as isize * rhs.row_step);
        (0..TOGETHER).step_by(16).for_each(|col| prefetch(ahead.wrapping_add(col).cast()));
        for col in (0..TOGETHER).step_by(width) {
            for n in 0..N {
                // SAFETY: by the contract.
                unsafe {
                    let columns = V::load(from.wrapping_add(col + n * V::LANES));
                    columns.store(to.wrapping_add(col * depth + n * V::LANES));
                }
            }
        }
        from = from.wrapping_offset(rhs.row_step);
        to = to.wrapping_add(width);
    }
}

/// Packs `N` vectors of columns, `count` columns of the last one.
///
/// # Safety
/// See [`body`].
#[inline(always)]
unsafe fn pack<V: Lanes, const N: usize>(args: &Columns, col: usize, count: usize) {
    let Panels { sizes: (_, _, depth), rhs, .. } = args.panels;
    let mut from = rhs.start.wrapping_add(col);
    let mut to = args.packed.wrapping_add(col * depth);
    for _ in 0..depth {
        for n in 0..N {
            // SAFETY: by the contract.
            unsafe {
                let columns = in_cache::load::<V, N>(from.wrapping_add(n * V::LANES), count);
                columns.store(to.wrapping_add(n * V::LANES));
            }
        }
        from = from.wrapping_offset(rhs.row_step);
        to = to.wrapping_add(N * V::LANES);
    }
}

#[cfg(test)]
mod tests {
    use crate::gemm::matmul::matmul;
    use crate::kernels::{create, layout};
    use crate::miri::shrink;
    use crate::tensor::NdTensor;
    use burn_backend::{Slice, TensorData};

    fn tensor(shape: [usize; 2], value: impl Fn(usize) -> f32) -> NdTensor {
        let values: Vec<f32> = (0..shape[0] * shape[1]).map(value).collect();
        create::from_data(&TensorData::new(values, shape))
    }

    /// Eighths of whole numbers below 20, whose products and sums are exact.
    fn exact(i: usize) -> f32 {
        ((i * 37 + i / 11) % 19) as f32 / 8.0 - 1.0
    }

    fn numbers(x: NdTensor) -> Vec<f32> {
        x.into_contiguous().slice::<f32>().to_vec()
    }

    /// The product by its definition.
    fn product(x: &NdTensor, y: &NdTensor) -> Vec<f32> {
        let ([rows, depth], cols) = ([x.shape()[0], x.shape()[1]], y.shape()[1]);
        let (x, y) = (numbers(x.clone()), numbers(y.clone()));
        let mut sums = vec![0.0; rows * cols];
        for (row, sums) in sums.chunks_exact_mut(cols).enumerate() {
            for (x, y) in x[row * depth..][..depth].iter().zip(y.chunks_exact(cols)) {
                sums.iter_mut().zip(y).for_each(|(sum, y)| *sum += f64::from(x * y));
            }
        }
        sums.into_iter().map(|sum| sum as f32).collect()
    }

    #[test]
    fn a_product_is_the_same_whether_the_panels_are_kept_or_not() {
        for &(rows, depth, cols) in shrink(
            &[
                (5, 256, 256),
                (8, 300, 241),
                (13, 100, 700),
                (16, 1024, 513),
                (33, 700, 95),
                (64, 1400, 48),
                (131, 900, 700),
            ][..],
            &[(5, 3, 64), (8, 3, 50), (9, 3, 145), (33, 3, 48)],
        ) {
            let (x, y) = (tensor([rows, depth], exact), tensor([depth, cols], exact));
            let wanted = product(&x, &y);
            for time in 0..4 {
                let found = numbers(matmul(x.clone(), y.clone()));
                assert!(found == wanted, "{rows} x {depth} x {cols}, time {time}");
            }
        }
    }

    #[test]
    fn kept_panels_change_no_bit() {
        let [rows, depth, cols] = shrink([17, 1000, 600], [6, 3, 60]);
        let x = tensor([rows, depth], |i| (i as f32).sin());
        let y = tensor([depth, cols], |i| (i as f32).cos());
        let bits = || numbers(matmul(x.clone(), y.clone())).into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let first = bits();
        assert!(y.buffer().kept().is_empty());
        for _ in 0..3 {
            assert_eq!(bits(), first);
        }
        assert!(!y.buffer().kept().is_empty());
    }

    #[test]
    fn panels_go_when_the_matrix_is_written() {
        let [depth, cols] = shrink([512, 300], [3, 60]);
        let (x, mut y) = (tensor([9, depth], exact), tensor([depth, cols], exact));
        for _ in 0..4 {
            matmul(x.clone(), y.clone());
        }
        y.make_mut::<f32>().iter_mut().for_each(|y| *y = 2.0 - *y);
        assert!(y.buffer().kept().is_empty());
        for _ in 0..4 {
            assert_eq!(numbers(matmul(x.clone(), y.clone())), product(&x, &y));
        }
    }

    #[test]
    fn parts_of_one_matrix_have_their_own_products() {
        let unit = shrink(100, 16);
        let depth = shrink(400, 3);
        let (x, y) = (tensor([12, depth], exact), tensor([2 * unit.max(depth), 5 * unit], exact));
        let part = |from: usize, width: usize| {
            let slice = |len: usize| Slice { start: from, end: from + len, step: 1 };
            layout::slice(y.clone(), &[slice(depth), slice(width)])
        };
        for _ in 0..4 {
            for y in [part(0, 4 * unit), part(unit, 4 * unit), part(unit, 3 * unit)] {
                assert_eq!(numbers(matmul(x.clone(), y.clone())), product(&x, &y));
            }
        }
    }
}

//! Products of a few rows with a large matrix. They are bound by memory: the matrix is read once, and neither
//! packed nor copied.

use crate::gemm::matrix::{Matrix, Sizes};
use crate::gemm::product::{AddRows, Product, STREAMS};
#[cfg(feature = "std")]
use crate::gemm::row_by_columns::{RowByColumns, row_by_columns};
use crate::miri::shrink;
#[cfg(feature = "std")]
use crate::simd::dispatch;
use crate::threads::parallel::{self, Shared};
use core::ops::Range;
use core::slice;

/// Rows of the small factor up to which this is faster than a product in blocks.
const FEW: usize = 4;
/// Results of a row that stay in the first cache while the matrix goes by.
const WIDE: usize = shrink(4096, 64);
/// Elements of a matrix that no cache of one core holds.
const LARGE: usize = shrink(1 << 19, 1 << 7);
/// Elements of some columns that the second cache holds.
const CACHED: usize = shrink(1 << 16, 1 << 9);

/// Elements of columns from which on they are multiplied one by one.
const DEEP: usize = 64;

/// The factors and the result, for several threads.
struct FewRows<E> {
    sizes: Sizes,
    out: Matrix<Shared<E>>,
    lhs: Matrix<Shared<E>>,
    rhs: Matrix<Shared<E>>,
}

fn shared<E>(matrix: Matrix<*mut E>) -> Matrix<Shared<E>> {
    Matrix { start: Shared(matrix.start), row_step: matrix.row_step, col_step: matrix.col_step }
}

impl<E> Matrix<Shared<E>> {
    fn at(&self, row: usize, col: usize) -> *mut E {
        self.start.get().wrapping_offset(row as isize * self.row_step + col as isize * self.col_step)
    }
}

/// Whether a product is one of a few rows with a large matrix.
fn suits((rows, cols, depth): Sizes) -> bool {
    rows <= FEW && cols * depth >= LARGE
}

/// Whether [`product`] computes the product of a row by [`Product::DOTS`].
pub fn is_dots<E: Product>(sizes: Sizes, lhs: Matrix<*const E>, rhs: Matrix<*const E>) -> bool {
    let is_together = lhs.col_step == 1 && rhs.row_step == 1 && rhs.col_step > 0;
    E::DOTS.is_some() && sizes.0 == 1 && suits(sizes) && is_together && sizes.2 >= DEEP
}

/// Writes the product, if it is one of a few rows with a large matrix: whether it is.
///
/// # Safety
/// As for [`Product::product`].
pub unsafe fn product<E: Product>(
    sizes: Sizes,
    out: Matrix<*mut E>,
    lhs: Matrix<*const E>,
    rhs: Matrix<*const E>,
    parallel: bool,
) -> bool {
    let (rows, cols, depth) = sizes;
    if !suits(sizes) || out.col_step != 1 {
        return false;
    }
    let constant = |matrix: Matrix<*const E>| {
        shared(Matrix {
            start: matrix.start.cast_mut(),
            row_step: matrix.row_step,
            col_step: matrix.col_step,
        })
    };
    let product = FewRows { sizes, out: shared(out), lhs: constant(lhs), rhs: constant(rhs) };
    let threads = if parallel { parallel::threads() } else { 1 };
    // The columns of a part are neighbours, and all parts but the last have the same number of them.
    let run = |size: usize, part: &(dyn Fn(Range<usize>) + Sync)| {
        let all = |parts: Range<usize>| parts.for_each(|k| part(k * size..cols.min((k + 1) * size)));
        let count = cols.div_ceil(size);
        if threads > 1 { parallel::for_ranges(count, rows * depth * size, &all) } else { all(0..count) }
    };
    match E::ADD_ROWS {
        Some(add_rows) if rhs.col_step == 1 => {
            // Long pieces of the rows: as few parts as there are threads.
            let size = cols.div_ceil(threads).next_multiple_of(64).min(WIDE);
            // SAFETY: by the contract; parts do not overlap.
            run(size, &|part| unsafe { product.by_rows(part, add_rows) });
        }
        Some(_) if rhs.row_step == 1 => {
            let size = (CACHED / depth).clamp(1, cols.div_ceil(2 * threads)).next_multiple_of(STREAMS);
            // SAFETY: by the contract; parts do not overlap.
            run(size, &|part| unsafe { product.by_columns(part) });
        }
        Some(_) | None => return false,
    }
    true
}

impl<E: Product> FewRows<E> {
    /// The results in some columns, where the elements of a row of the matrix are neighbours.
    ///
    /// # Safety
    /// The matrices may be read and written in these columns, and nothing else touches the result there.
    unsafe fn by_rows(&self, part: Range<usize>, add_rows: AddRows<E>) {
        let (rows, _, depth) = self.sizes;
        // SAFETY: by the contract, and one row at a time.
        let results = |row| unsafe { slice::from_raw_parts_mut(self.out.at(row, part.start), part.len()) };
        (0..rows).for_each(|row| results(row).fill(E::default()));
        for from in (0..depth).step_by(STREAMS) {
            let last = STREAMS.min(depth - from) - 1;
            // Missing streams repeat the last row, multiplied by zero.
            // SAFETY: by the contract.
            let ys = core::array::from_fn(|k| unsafe {
                slice::from_raw_parts(self.rhs.at(from + k.min(last), part.start).cast_const(), part.len())
            });
            for row in 0..rows {
                let xs = core::array::from_fn(|k| match k <= last {
                    // SAFETY: by the contract.
                    true => unsafe { self.lhs.at(row, from + k).read() },
                    false => E::default(),
                });
                add_rows(results(row), xs, ys);
            }
        }
    }

    /// The results in some columns, which the second cache holds, where the elements of a column are
    /// neighbours.
    ///
    /// # Safety
    /// As for [`FewRows::by_rows`].
    unsafe fn by_columns(&self, part: Range<usize>) {
        let (rows, _, depth) = self.sizes;
        for row in 0..rows {
            let place = |matrix: &Matrix<Shared<E>>, row: usize, col: usize| Matrix {
                start: matrix.at(row, col),
                row_step: matrix.row_step,
                col_step: matrix.col_step,
            };
            let (lhs, rhs) = (place(&self.lhs, row, 0), place(&self.rhs, 0, part.start));
            let (lhs, rhs) = (
                Matrix { start: lhs.start.cast_const(), row_step: lhs.row_step, col_step: lhs.col_step },
                Matrix { start: rhs.start.cast_const(), row_step: rhs.row_step, col_step: rhs.col_step },
            );
            let out = place(&self.out, row, part.start);
            // SAFETY: by the contract.
            unsafe {
                match E::DOTS {
                    Some(dots) if lhs.col_step == 1 && rhs.col_step > 0 && depth >= DEEP => {
                        dots((part.len(), depth), out.start, lhs.start, rhs)
                    }
                    _ => E::product((1, part.len(), depth), out, false, lhs, rhs, false),
                }
            }
        }
    }
}

/// [`Dots`] of `f32`.
///
/// # Safety
/// The row and the columns may be read, and a result be written for each column.
#[cfg(feature = "std")]
pub unsafe fn dots_f32(
    (count, depth): (usize, usize),
    out: *mut f32,
    row: *const f32,
    matrix: Matrix<*const f32>,
) {
    let step = matrix.col_step as usize;
    // SAFETY: by the contract.
    unsafe { row_by_columns(&RowByColumns { row, columns: matrix.start, step, count, depth, out }) };
}

#[cfg(feature = "std")]
macro_rules! add_rows {
    ($($ty:ident: $name:ident = $body:ident;)*) => {$(
        #[inline(always)]
        fn $body<const FMA: bool>(out: &mut [$ty], x: [$ty; STREAMS], ys: [&[$ty]; STREAMS]) {
            let y = ys.map(|y| &y[..out.len()]);
            for (j, out) in out.iter_mut().enumerate() {
                let front = (x[0] * y[0][j] + x[1] * y[1][j]) + (x[2] * y[2][j] + x[3] * y[3][j]);
                let back = (x[4] * y[4][j] + x[5] * y[5][j]) + (x[6] * y[6][j] + x[7] * y[7][j]);
                *out += front + back;
            }
        }
        dispatch! { pub fn $name(out: &mut [$ty], x: [$ty; STREAMS], ys: [&[$ty]; STREAMS]) = $body }
    )*};
}
#[cfg(feature = "std")]
add_rows! {
    f32: add_rows_f32 = add_rows_body_f32;
    f64: add_rows_f64 = add_rows_body_f64;
}

#[cfg(test)]
mod tests {
    use crate::gemm::matmul::matmul;
    use crate::kernels::{create, layout};
    use crate::miri::shrink;
    use crate::tensor::NdTensor;
    use burn_backend::{HasSpec, TensorData};

    fn tensor(shape: [usize; 2], turned: bool) -> NdTensor {
        let [rows, cols] = shape;
        let value = |row: usize, col: usize| ((row * 37 + col * 11) % 19) as f32 / 8.0 - 1.0;
        let from = |shape: [usize; 2], value: &dyn Fn(usize, usize) -> f32| {
            let values: Vec<f32> = (0..rows * cols).map(|i| value(i / shape[1], i % shape[1])).collect();
            create::from_data(&TensorData::new(values, shape))
        };
        if turned {
            let x = from([cols, rows], &|row, col| value(col, row));
            layout::permute(x, &[1, 0])
        } else {
            from(shape, &value)
        }
    }

    fn numbers(x: &NdTensor) -> Vec<f64> {
        let x = x.clone().into_contiguous();
        x.slice::<f32>().iter().map(|&x| f64::from(x)).collect()
    }

    /// Sums of products of eighths of whole numbers below 20 are exact.
    fn check(lhs: NdTensor, rhs: NdTensor) {
        let ([rows, depth], cols) = ([lhs.shape()[0], lhs.shape()[1]], rhs.shape()[1]);
        let (x, y) = (numbers(&lhs), numbers(&rhs));
        let name = format!("{rows} x {depth} x {cols}, {:?}, {:?}", lhs.strides(), rhs.strides());
        let found = matmul(lhs, rhs);
        assert_eq!(found.spec().shape[..], [rows, cols]);
        let found = numbers(&found);
        for row in 0..rows {
            let mut sums = vec![0.0; cols];
            for k in 0..depth {
                let factor = x[row * depth + k];
                sums.iter_mut().zip(&y[k * cols..]).for_each(|(sum, y)| *sum += factor * y);
            }
            assert_eq!(&found[row * cols..][..cols], sums, "{name}, row {row}");
        }
    }

    #[test]
    fn few_rows_times_a_large_matrix_in_every_layout() {
        for (rows, depth, cols) in shrink(
            [(1, 1024, 600), (3, 701, 1027), (4, 5, 110_003), (1, 70_001, 9), (2, 9000, 77)],
            [(1, 64, 9), (3, 9, 67), (4, 2, 70), (1, 71, 2), (2, 9, 19)],
        ) {
            for layout in 0..4 {
                check(tensor([rows, depth], layout & 1 == 1), tensor([depth, cols], layout & 2 == 2));
            }
        }
    }

    #[test]
    fn a_large_matrix_times_a_column_in_every_layout() {
        for (rows, depth) in shrink([(600, 1024), (1027, 701), (110_003, 5)], [(9, 64), (67, 3), (70, 2)]) {
            for layout in 0..4 {
                check(tensor([rows, depth], layout & 1 == 1), tensor([depth, 1], layout & 2 == 2));
            }
        }
    }
}

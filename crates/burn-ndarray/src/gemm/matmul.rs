use crate::elements::collapsed::{Collapsed, broadcast_strides, collapse};
use crate::elements::dtype::wide;
#[cfg(feature = "std")]
use crate::gemm::bf16;
use crate::gemm::few_rows;
#[cfg(feature = "std")]
use crate::gemm::half_rows::half_rows;
use crate::gemm::matrix::{Matrix, Sizes};
use crate::gemm::product::Product;
use crate::kernels::cast::cast;
use crate::kernels::copy;
use crate::kernels::layout::{self, permute};
use crate::left_out::with_feature;
use crate::miri::shrink;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{DType, HasSpec, Shape, TensorSpec};

pub fn matmul(lhs: NdTensor, rhs: NdTensor) -> NdTensor {
    let dtype = lhs.spec().dtype;
    #[cfg(feature = "std")]
    if cfg!(feature = "dtypes")
        && let Some(product) = half_rows(&lhs, &rhs, &product_shape(lhs.shape(), rhs.shape()))
    {
        return product;
    }
    match dtype {
        DType::F64 => with_feature!("dtypes", "matmul", typed::<f64>(&lhs, &rhs)),
        DType::F32 => typed::<f32>(&lhs, &rhs),
        DType::I64 => typed::<i64>(&lhs, &rhs),
        DType::U64 => with_feature!("dtypes", "matmul", typed::<u64>(&lhs, &rhs)),
        DType::F16 | DType::BF16 | DType::I32 | DType::I16 | DType::I8 => narrow(lhs, rhs),
        DType::U32 | DType::U16 | DType::U8 | DType::Bool => narrow(lhs, rhs),
    }
}

/// Bytes of wide elements, of two factors and their product, that are there at the same time.
const WIDENED: usize = shrink(32 << 20, 2 << 10);
/// Rows and columns that are not cut: factors are widened once for each part of the other one.
const UNCUT: usize = shrink(128, 4);

/// The product of narrow elements, part after part. Workspace: 32 MiB, unless 128 rows and columns have more.
fn narrow(lhs: NdTensor, rhs: NdTensor) -> NdTensor {
    let shape = product_shape(lhs.shape(), rhs.shape());
    let dtype = lhs.spec().dtype;
    if fits(&lhs, &rhs, &shape) {
        return whole(lhs, rhs);
    }
    let mut out = NdTensor::new(TensorSpec { shape, dtype });
    narrow_part(lhs, rhs, &mut out, 0);
    out
}

/// The product of narrow elements that [`fits`].
fn whole(lhs: NdTensor, rhs: NdTensor) -> NdTensor {
    #[cfg(feature = "std")]
    if let Some(product) = pairs(&lhs, &rhs) {
        return product;
    }
    let dtype = lhs.spec().dtype;
    cast(matmul(cast(lhs, wide(dtype)), cast(rhs, wide(dtype))), dtype)
}

/// Whether the workspace of a product is small enough.
fn fits(lhs: &NdTensor, rhs: &NdTensor, shape: &Shape) -> bool {
    // Packed factors are no larger than the factors themselves.
    let packed = lhs.len().saturating_add(rhs.len()).saturating_mul(lhs.spec().dtype.size());
    is_of_pairs(lhs, rhs) && packed <= WIDENED || widened(lhs, rhs, shape) <= WIDENED
}

/// Whether [`pairs`] computes a product.
#[cfg(feature = "std")]
fn is_of_pairs(lhs: &NdTensor, rhs: &NdTensor) -> bool {
    cfg!(feature = "dtypes")
        && [lhs, rhs].iter().all(|x| x.spec().dtype == DType::BF16)
        && bf16::suits(Matrices::new(lhs, rhs).sizes)
}

#[cfg(not(feature = "std"))]
fn is_of_pairs(_lhs: &NdTensor, _rhs: &NdTensor) -> bool {
    false
}

/// The product of `bf16`, where the processor multiplies pairs of them.
#[cfg(feature = "std")]
fn pairs(lhs: &NdTensor, rhs: &NdTensor) -> Option<NdTensor> {
    if !is_of_pairs(lhs, rhs) {
        return None;
    }
    let matrices = Matrices::new(lhs, rhs);
    let mut out = NdTensor::new(TensorSpec { shape: matrices.shape.clone(), dtype: DType::BF16 });
    let [x, y] = [lhs, rhs].map(|x| Shared(x.start().cast::<u16>().cast_mut()));
    let z = Shared(out.start_mut().cast::<u16>());
    let (sizes, count) = (matrices.sizes, matrices.count());
    let one = |index: usize, parallel: bool| {
        let [a, b, c] = matrices.start(index);
        let z = Matrix::new(z.get().wrapping_add(c), sizes.1, 1);
        let x = matrices.lhs(x.get().wrapping_add(a).cast_const());
        let y = matrices.rhs(y.get().wrapping_add(b).cast_const());
        let matrix = (count == 1).then(|| rhs.buffer());
        // SAFETY: the matrices lie within their tensors, and each batch has its own part of the output.
        unsafe { bf16::product(sizes, z, x, (y, matrix), parallel) };
    };
    if count < 2 * parallel::threads() {
        (0..count).for_each(|index| one(index, true));
    } else {
        let cost = sizes.0 * sizes.1 * sizes.2 / 8;
        parallel::for_ranges(count, cost, &|range| range.for_each(|index| one(index, false)));
    }
    Some(out)
}

fn widened(lhs: &NdTensor, rhs: &NdTensor, shape: &Shape) -> usize {
    let elements = lhs.len().saturating_add(rhs.len()).saturating_add(shape.num_elements());
    elements.saturating_mul(wide(lhs.spec().dtype).size())
}

/// Writes a product to the elements of `out` from this one on, in halves until it is small.
fn narrow_part(lhs: NdTensor, rhs: NdTensor, out: &mut NdTensor, start: usize) {
    let shape = product_shape(lhs.shape(), rhs.shape());
    let (rank, strides) = (shape.rank(), out.shape().strides());
    let [rows, cols] = [shape[rank - 2], shape[rank - 1]];
    let batch = (0..rank - 2).find(|&d| shape[d] > 1);
    let cut = batch.unwrap_or(if rows > cols { rank - 2 } else { rank - 1 });
    if fits(&lhs, &rhs, &shape) || batch.is_none() && rows.max(cols) <= UNCUT {
        let product = whole(lhs, rhs);
        return copy::assign(out, &shape, &strides, start, &product);
    }
    let middle = shape[cut] / 2;
    for half in [0..middle, middle..shape[cut]] {
        let start = start + half.start * strides[cut];
        // A factor has all that is not cut, and the one entry that it repeats.
        let part = |x: &NdTensor, is_cut: bool| {
            let own = (cut + x.shape().rank()).checked_sub(rank).filter(|&d| is_cut && x.shape()[d] > 1);
            own.map_or_else(|| x.clone(), |d| layout::narrow(x.clone(), d, half.clone()))
        };
        let (left, right) = (part(&lhs, cut != rank - 1), part(&rhs, cut != rank - 2));
        narrow_part(left, right, out, start);
    }
}

/// The shape of a product: batches broadcast.
fn product_shape(lhs: &Shape, rhs: &Shape) -> Shape {
    let (left, right) = (lhs.rank(), rhs.rank());
    let rank = left.max(right);
    let size = |shape: &Shape, d: usize| (d + shape.rank()).checked_sub(rank).map_or(1, |own| shape[own]);
    let batch = (0..rank - 2).map(|d| match (size(lhs, d), size(rhs, d)) {
        (1, size) | (size, _) => size,
    });
    batch.chain([lhs[left - 2], rhs[right - 1]]).collect()
}

/// Rows from which on a small factor is worth a copy whose rows are vectors.
const COPIED: usize = 16;

/// The product where neighbours in columns of `rhs` are neighbours in memory and `lhs` is small: written by
/// columns, so that `rhs` needs no packing, and then turned.
///
/// # Safety
/// The matrices may be read.
unsafe fn turned<E: Product>(
    sizes: Sizes,
    lhs: Matrix<*const E>,
    rhs: Matrix<*const E>,
    dtype: DType,
) -> NdTensor {
    let (rows, cols, depth) = sizes;
    let mut out = NdTensor::new(TensorSpec::new([cols, rows], dtype));
    let start = Matrix::new(out.start_mut().cast::<E>(), rows, 1);
    // SAFETY: by the contract; the output is new.
    unsafe { E::product((cols, rows, depth), start, false, rhs.turned(), lhs.turned(), true) };
    permute(out, &[1, 0]).into_contiguous()
}

/// One product, by the way that suits its sizes.
///
/// # Safety
/// As for [`Product::product`].
unsafe fn one_product<E: Product>(
    (rows, cols, depth): Sizes,
    out: Matrix<*mut E>,
    lhs: Matrix<*const E>,
    rhs: Matrix<*const E>,
    parallel: bool,
) {
    // SAFETY: by the contract; a column is the row of the product turned.
    unsafe {
        let written = if cols == 1 {
            few_rows::product((1, rows, depth), out.turned(), rhs.turned(), lhs.turned(), parallel)
        } else {
            few_rows::product((rows, cols, depth), out, lhs, rhs, parallel)
        };
        if !written {
            E::product((rows, cols, depth), out, false, lhs, rhs, parallel);
        }
    }
}

/// Products of matrices, one or several, as they lie in memory.
#[derive(Debug)]
struct Matrices {
    /// The shape of the result.
    shape: Shape,
    /// Sizes of one matrix product. Batches on the left of a single matrix on the right are merged into rows
    /// where their layout allows it.
    sizes: Sizes,
    /// Row and column strides of the factors.
    left: [usize; 2],
    right: [usize; 2],
    /// Start of the factors and the result of each matrix.
    batch: Collapsed<3>,
}

impl Matrices {
    fn new(lhs: &NdTensor, rhs: &NdTensor) -> Self {
        let shape = product_shape(lhs.shape(), rhs.shape());
        let rank = shape.rank();
        let (rows, cols, depth) = (shape[rank - 2], shape[rank - 1], rhs.shape()[rhs.shape().rank() - 2]);
        let wide =
            |row: usize, col: usize| shape[..rank - 2].iter().copied().chain([row, col]).collect::<Shape>();
        let left = broadcast_strides(lhs, &wide(rows, depth));
        let right = broadcast_strides(rhs, &wide(depth, cols));
        let strides = shape.strides();
        let kept = rank - 2;
        let batch = collapse(&shape[..kept], [&left[..kept], &right[..kept], &strides[..kept]]);
        let [left, right] = [left, right].map(|steps| [steps[kept], steps[kept + 1]]);
        let count = batch.rows() * batch.inner();
        let is_shared = batch.shape.len() == 1 && (batch.inner() == 1 || batch.step(1) == 0);
        if is_shared && (count == 1 || batch.step(0) == left[0].wrapping_mul(rows)) {
            let sizes = (rows * count, cols, depth);
            return Matrices { shape, sizes, left, right, batch: collapse(&[], [&[], &[], &[]]) };
        }
        Matrices { shape, sizes: (rows, cols, depth), left, right, batch }
    }

    fn count(&self) -> usize {
        self.batch.rows() * self.batch.inner()
    }

    /// Elements before the factors and the result of a matrix.
    fn start(&self, index: usize) -> [usize; 3] {
        let inner = self.batch.inner();
        let mut start = self.batch.row(index / inner);
        for (n, start) in start.iter_mut().enumerate() {
            *start = start.wrapping_add(self.batch.step(n).wrapping_mul(index % inner));
        }
        start
    }

    /// A left factor that starts there.
    fn lhs<P>(&self, start: P) -> Matrix<P> {
        Matrix::new(start, self.left[0], self.left[1])
    }

    /// A right factor that starts there.
    fn rhs<P>(&self, start: P) -> Matrix<P> {
        Matrix::new(start, self.right[0], self.right[1])
    }
}

fn typed<E: Product>(lhs: &NdTensor, rhs: &NdTensor) -> NdTensor {
    let matrices = Matrices::new(lhs, rhs);
    let (rows, cols, depth) = matrices.sizes;
    let mut out = NdTensor::new(TensorSpec { shape: matrices.shape.clone(), dtype: lhs.spec().dtype });
    if out.len() == 0 {
        return out;
    }
    if depth == 0 {
        out.bytes_mut().fill(0);
        return out;
    }
    let (x, y) = (Shared(lhs.start().cast::<E>().cast_mut()), Shared(rhs.start().cast::<E>().cast_mut()));
    let count = matrices.count();
    let right = matrices.rhs(y.get().cast_const());
    if count == 1 {
        let (z, left) =
            (Matrix::new(out.start_mut().cast::<E>(), cols, 1), matrices.lhs(x.get().cast_const()));
        // SAFETY: the matrices lie within their tensors, and the output is new.
        if unsafe { E::packed(matrices.sizes, z, left, right, rhs.buffer()) } {
            return out;
        }
    }
    // A row is multiplied with columns as they lie.
    let is_dots = few_rows::is_dots(matrices.sizes, matrices.lhs(x.get().cast_const()), right);
    let is_turned = right.row_step == 1 && right.col_step != 1;
    if count == 1 && is_turned && !is_dots && rows <= depth && cols >= 16 {
        let copy = (rows >= COPIED && lhs.is_contiguous())
            .then(|| permute(lhs.clone().reshaped(Shape::from([rows, depth])), &[1, 0]).into_contiguous());
        let left = match &copy {
            Some(copy) => Matrix::new(copy.start().cast::<E>(), rows, 1).turned(),
            None => matrices.lhs(x.get().cast_const()),
        };
        // SAFETY: the matrices lie within their tensors.
        return unsafe { turned((rows, cols, depth), left, right, out.spec().dtype) }
            .reshaped(matrices.shape);
    }
    let z = Shared(out.start_mut().cast::<E>());
    let one = |index: usize, parallel: bool| {
        let [a, b, c] = matrices.start(index);
        let z = Matrix::new(z.get().wrapping_add(c), cols, 1);
        let x = matrices.lhs(x.get().wrapping_add(a).cast_const());
        let y = matrices.rhs(y.get().wrapping_add(b).cast_const());
        // SAFETY: the matrices lie within their tensors, and each batch has its own part of the output.
        unsafe { one_product((rows, cols, depth), z, x, y, parallel) };
    };
    if count < 2 * parallel::threads() {
        (0..count).for_each(|index| one(index, true));
        return out;
    }
    parallel::for_ranges(count, (rows * cols * depth / 8).max(1), &|range| {
        range.for_each(|index| one(index, false));
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers, whose sums wrap.
    #[test]
    fn a_product_of_narrow_elements_is_made_up_of_parts() {
        let tensor = |shape: [usize; 3]| {
            NdTensor::with::<u8>(TensorSpec::new(shape, DType::U8), |xs| {
                xs.iter_mut().enumerate().for_each(|(i, x)| *x = (i * 7919 % 251) as u8);
            })
        };
        for (left, right) in shrink(
            [([1, 700, 900], [3, 900, 900]), ([2, 40, 9000], [2, 9000, 300])],
            [([1, 7, 9], [3, 9, 9]), ([2, 3, 40], [2, 40, 8])],
        ) {
            let (x, y) = (tensor(left), tensor(right));
            assert!(widened(&x, &y, &product_shape(x.shape(), y.shape())) > WIDENED);
            let z = matmul(x.clone(), y.clone());
            let ([batch, rows, depth], cols) = ([right[0], left[1], left[2]], right[2]);
            let (x, y) = (x.slice::<u8>(), y.slice::<u8>());
            for (at, &z) in z.slice::<u8>().iter().enumerate().step_by(shrink(997, 7)) {
                let (b, row, col) = (at / (rows * cols), at / cols % rows, at % cols);
                let [left, right] = [if left[0] == batch { b } else { 0 }, b];
                let term = |k: usize| {
                    let (x, y) = (x[(left * rows + row) * depth + k], y[(right * depth + k) * cols + col]);
                    u64::from(x) * u64::from(y)
                };
                assert_eq!(z, (0..depth).map(term).sum::<u64>() as u8, "{at}");
            }
        }
    }
}

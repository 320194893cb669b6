use crate::cast::cast;
use crate::dtype::wide;
use crate::layout::permute;
use crate::parallel::{self, Shared};
use crate::product::{Matrix, Product, Sizes};
use crate::skinny;
use crate::strided::{broadcast_strides, collapse};
use crate::tensor::NdTensor;
use burn_backend::{DType, HasSpec, Shape, TensorSpec};

pub fn matmul(lhs: NdTensor, rhs: NdTensor) -> NdTensor {
    let dtype = lhs.spec().dtype;
    match dtype {
        DType::F64 => typed::<f64>(&lhs, &rhs),
        DType::F32 => typed::<f32>(&lhs, &rhs),
        #[cfg(feature = "std")]
        DType::F16 => typed::<burn_backend::f16>(&lhs, &rhs),
        DType::I64 => typed::<i64>(&lhs, &rhs),
        DType::U64 => typed::<u64>(&lhs, &rhs),
        narrow => cast(matmul(cast(lhs, wide(narrow)), cast(rhs, wide(narrow))), narrow),
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

/// The product where neighbours in columns of `rhs` are neighbours in memory and `lhs` is small: written by columns,
/// so that `rhs` needs no packing, and then turned.
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
            skinny::product((1, rows, depth), out.turned(), rhs.turned(), lhs.turned(), parallel)
        } else {
            skinny::product((rows, cols, depth), out, lhs, rhs, parallel)
        };
        if !written {
            E::product((rows, cols, depth), out, false, lhs, rhs, parallel);
        }
    }
}

fn typed<E: Product>(lhs: &NdTensor, rhs: &NdTensor) -> NdTensor {
    let shape = product_shape(lhs.shape(), rhs.shape());
    let rank = shape.rank();
    let (rows, cols, depth) = (shape[rank - 2], shape[rank - 1], rhs.shape()[rhs.shape().rank() - 2]);
    let mut out = NdTensor::new(TensorSpec { shape: shape.clone(), dtype: lhs.spec().dtype });
    if out.len() == 0 {
        return out;
    }
    if depth == 0 {
        out.bytes_mut().fill(0);
        return out;
    }
    let wide =
        |row: usize, col: usize| shape[..rank - 2].iter().copied().chain([row, col]).collect::<Shape>();
    let left = broadcast_strides(lhs, &wide(rows, depth));
    let right = broadcast_strides(rhs, &wide(depth, cols));
    let strides = shape.strides();
    let batch = collapse(&shape[..rank - 2], [&left[..rank - 2], &right[..rank - 2], &strides[..rank - 2]]);
    let (x, y) = (Shared(lhs.start().cast::<E>().cast_mut()), Shared(rhs.start().cast::<E>().cast_mut()));
    let z = Shared(out.start_mut().cast::<E>());
    let one = |rows: usize, [a, b, c]: [usize; 3], parallel: bool| {
        let z = Matrix::new(z.get().wrapping_add(c), cols, 1);
        let x = Matrix::new(x.get().wrapping_add(a).cast_const(), left[rank - 2], left[rank - 1]);
        let y = Matrix::new(y.get().wrapping_add(b).cast_const(), right[rank - 2], right[rank - 1]);
        // SAFETY: the matrices lie within their tensors, and each batch has its own part of the output.
        unsafe { one_product((rows, cols, depth), z, x, y, parallel) };
    };
    let count = batch.rows() * batch.inner();
    let shared = batch.shape.len() == 1 && (batch.inner() == 1 || batch.step(1) == 0);
    if shared && (count == 1 || batch.step(0) == left[rank - 2].wrapping_mul(rows)) {
        // One matrix on the right for all: the batches on the left are more rows.
        let rows = rows * count;
        if right[rank - 2] == 1 && right[rank - 1] != 1 && rows <= depth && cols >= 16 {
            let copy = (rows >= COPIED && lhs.is_contiguous()).then(|| {
                permute(lhs.clone().reshaped(Shape::from([rows, depth])), &[1, 0]).into_contiguous()
            });
            let x = match &copy {
                Some(copy) => Matrix::new(copy.start().cast::<E>(), rows, 1).turned(),
                None => Matrix::new(lhs.start().cast::<E>(), left[rank - 2], left[rank - 1]),
            };
            let y = Matrix::new(rhs.start().cast::<E>(), right[rank - 2], right[rank - 1]);
            // SAFETY: the matrices lie within their tensors.
            return unsafe { turned((rows, cols, depth), x, y, out.spec().dtype) }.reshaped(shape);
        }
        one(rows, [0; 3], true);
        return out;
    }
    let inner = batch.inner();
    let place = |index: usize, [a, b, c]: [usize; 3]| {
        let along = |n: usize| batch.step(n).wrapping_mul(index);
        [a.wrapping_add(along(0)), b.wrapping_add(along(1)), c.wrapping_add(along(2))]
    };
    if count < 2 * parallel::threads() {
        batch.for_rows(0..batch.rows(), |at| (0..inner).for_each(|i| one(rows, place(i, at), true)));
        return out;
    }
    parallel::for_ranges(count, (rows * cols * depth / 8).max(1), &|range| {
        for index in range {
            batch.for_rows(index / inner..index / inner + 1, |at| one(rows, place(index % inner, at), false));
        }
    });
    out
}

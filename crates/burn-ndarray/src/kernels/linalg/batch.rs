use super::rows::Real;
use super::triangular::{BLOCK, is_singular, substitute};
use super::{cholesky, eigh, lu as elimination, qr, svd};
use crate::elements::dtype::wide;
use crate::kernels::cast::cast;
use crate::memory::Room;
use crate::tensor::NdTensor;
use crate::threads::parallel;
use alloc::vec;
use alloc::vec::Vec;
use burn_backend::{DType, Factorization, HasSpec, Shape, TensorSpec, Triangle};

/// Leading dimensions, rows and columns.
fn matrices(shape: &Shape) -> (&[usize], usize, usize) {
    let [batch @ .., rows, cols] = &shape[..] else { unreachable!("matrices have two dimensions") };
    (batch, *rows, *cols)
}

fn stacked(batch: &[usize], rows: usize, cols: usize) -> Shape {
    batch.iter().copied().chain([rows, cols]).collect()
}

/// Additions that are about as much work.
fn cost(rows: usize, cols: usize, depth: usize) -> usize {
    rows.saturating_mul(cols).saturating_mul(depth).max(1)
}

fn is_finite<E: Real>(x: &[E]) -> bool {
    x.iter().all(|x| x.is_finite())
}

pub fn factorize(op: Factorization, x: NdTensor) -> NdTensor {
    let dtype = x.spec().dtype;
    if dtype != wide(dtype) {
        return cast(factorize(op, cast(x, wide(dtype))), dtype);
    }
    if dtype == DType::F64 { factorized::<f64>(op, x) } else { factorized::<f32>(op, x) }
}

fn factorized<E: Real>(op: Factorization, x: NdTensor) -> NdTensor {
    let (batch, rows, cols) = matrices(x.shape());
    let (out_rows, out_cols) = op.result_size(rows, cols).expect("sizes were checked");
    let spec = TensorSpec { shape: stacked(batch, out_rows, out_cols), dtype: x.spec().dtype };
    let x = x.into_contiguous();
    let source = x.slice::<E>();
    let work = cost(rows, cols, 4 * rows.min(cols));
    // Matrices of about the size of `x` that are there at once.
    let copies = match op {
        Factorization::Cholesky => 1,
        Factorization::Qr => 3,
        Factorization::Eigh => 6,
        Factorization::Svd => 10,
    };
    NdTensor::with(spec, |out| {
        parallel::for_chunks(out, out_rows * out_cols, work, &|index, out| {
            let x = &source[index * rows * cols..][..rows * cols];
            let _room = Room::new::<E>(copies * rows * cols);
            let done = is_finite(x)
                && match op {
                    Factorization::Cholesky => cholesky::cholesky(x, rows, out),
                    Factorization::Qr => {
                        qr::qr(x, rows, cols, out);
                        true
                    }
                    Factorization::Svd => svd::svd(x, rows, cols, out),
                    Factorization::Eigh => eigh::eigh(x, rows, out),
                };
            if !done {
                out.fill(E::nan());
            }
        });
    })
}

pub fn lu(x: NdTensor, index: DType) -> (NdTensor, NdTensor) {
    let dtype = x.spec().dtype;
    if dtype != wide(dtype) {
        let (packed, order) = lu(cast(x, wide(dtype)), index);
        return (cast(packed, dtype), order);
    }
    if dtype == DType::F64 { lu_typed::<f64>(x, index) } else { lu_typed::<f32>(x, index) }
}

fn lu_typed<E: Real>(mut x: NdTensor, index: DType) -> (NdTensor, NdTensor) {
    let shape = x.shape().clone();
    let (batch, rows, cols) = matrices(&shape);
    let count: usize = batch.iter().product();
    let _room = Room::new::<usize>(count * rows);
    let orders = eliminate(x.make_mut::<E>(), count, rows, cols);
    let spec = TensorSpec { shape: batch.iter().copied().chain([rows]).collect(), dtype: DType::I64 };
    let order = NdTensor::with(spec, |out: &mut [i64]| {
        out.iter_mut().zip(orders).for_each(|(out, row)| *out = row as i64);
    });
    (x, cast(order, index))
}

/// Overwrites each matrix with its factors, and gives the orders of their rows; NaN where one is not finite.
fn eliminate<E: Real>(x: &mut [E], count: usize, rows: usize, cols: usize) -> Vec<usize> {
    let mut orders: Vec<usize> = (0..count).flat_map(|_| 0..rows).collect();
    let start = parallel::Shared(orders.as_mut_ptr());
    parallel::for_chunks(x, rows * cols, cost(rows, cols, rows.min(cols)), &|index, x| {
        // SAFETY: each matrix has its own part of `orders`, and is visited once.
        let order = unsafe { core::slice::from_raw_parts_mut(start.get().add(index * rows), rows) };
        if is_finite(x) {
            let _room = Room::new::<E>(rows * cols);
            elimination::lu(x, rows, cols, order);
        } else {
            x.fill(E::nan());
        }
    });
    orders
}

/// For each matrix of the wide batch, which one of the narrow batch it meets.
fn places(narrow: &[usize], wide: &[usize]) -> Vec<usize> {
    let extra = wide.len() - narrow.len();
    let mut places = vec![0];
    for (d, &size) in wide.iter().enumerate() {
        let own = d.checked_sub(extra).map_or(1, |d| narrow[d]);
        places = places
            .iter()
            .flat_map(|&place| (0..size).map(move |i| place * own + if own == 1 { 0 } else { i }))
            .collect();
    }
    places
}

/// Solves one system: a matrix by its index, the right side, the result.
type Each<'a, E> = dyn Fn(usize, &[E], &mut [E]) + Sync + 'a;

/// The system of one call: sizes, and which matrices meet.
struct System {
    shape: Shape,
    size: usize,
    cols: usize,
    left: Vec<usize>,
    right: Vec<usize>,
    _room: Room,
}

impl System {
    fn new(a: &Shape, b: &Shape) -> Self {
        let ((a_batch, size, _), (b_batch, _, cols)) = (matrices(a), matrices(b));
        let rank = a_batch.len().max(b_batch.len());
        let own = |batch: &[usize], d: usize| (d + batch.len()).checked_sub(rank).map_or(1, |d| batch[d]);
        let wide = |d: usize| if own(a_batch, d) == 1 { own(b_batch, d) } else { own(a_batch, d) };
        let batch: Vec<usize> = (0..rank).map(wide).collect();
        // A list for each side, and one while the next dimension is added to it.
        let room = Room::new::<usize>(4 * batch.iter().product::<usize>());
        let (left, right) = (places(a_batch, &batch), places(b_batch, &batch));
        System { shape: stacked(&batch, size, cols), size, cols, left, right, _room: room }
    }

    /// Calls `f(matrix of a, matrix of b, result)` for each result.
    fn each<E: Real>(&self, dtype: DType, b: &[E], f: &Each<'_, E>) -> NdTensor {
        let area = self.size * self.cols;
        NdTensor::with(TensorSpec { shape: self.shape.clone(), dtype }, |out| {
            parallel::for_chunks(out, area, cost(self.size, self.cols, self.size), &|index, out| {
                let _room = Room::new::<E>(BLOCK * self.size);
                f(self.left[index], &b[self.right[index] * area..][..area], out);
            });
        })
    }
}

pub fn solve(a: NdTensor, b: NdTensor) -> NdTensor {
    let dtype = a.spec().dtype;
    if dtype != wide(dtype) {
        return cast(solve(cast(a, wide(dtype)), cast(b, wide(dtype))), dtype);
    }
    if dtype == DType::F64 { solved::<f64>(a, b) } else { solved::<f32>(a, b) }
}

fn solved<E: Real>(mut a: NdTensor, b: NdTensor) -> NdTensor {
    let system = System::new(a.shape(), b.shape());
    let (size, cols) = (system.size, system.cols);
    let count = a.len().checked_div(size * size).unwrap_or(0);
    let _room = Room::new::<usize>(count * size);
    let orders = eliminate(a.make_mut::<E>(), count, size, size);
    let (packed, b) = (a.slice::<E>(), b.into_contiguous());
    let (lower, upper) = (Triangle { upper: false, unit: true }, Triangle { upper: true, unit: false });
    system.each(a.spec().dtype, b.slice::<E>(), &|index, b, out| {
        let a = &packed[index * size * size..][..size * size];
        if is_singular(a, size, upper) || a[0].is_nan() {
            return out.fill(E::nan());
        }
        for (row, &from) in out.chunks_exact_mut(cols).zip(&orders[index * size..]) {
            row.copy_from_slice(&b[from * cols..][..cols]);
        }
        substitute(a, lower, out, size, cols);
        substitute(a, upper, out, size, cols);
    })
}

pub fn solve_triangular(a: NdTensor, b: NdTensor, triangle: Triangle) -> NdTensor {
    let dtype = a.spec().dtype;
    if dtype != wide(dtype) {
        let x = solve_triangular(cast(a, wide(dtype)), cast(b, wide(dtype)), triangle);
        return cast(x, dtype);
    }
    match dtype == DType::F64 {
        true => substituted::<f64>(a, b, triangle),
        false => substituted::<f32>(a, b, triangle),
    }
}

fn substituted<E: Real>(a: NdTensor, b: NdTensor, triangle: Triangle) -> NdTensor {
    let system = System::new(a.shape(), b.shape());
    let (size, cols) = (system.size, system.cols);
    let (a, b) = (a.into_contiguous(), b.into_contiguous());
    let all = a.slice::<E>();
    system.each(a.spec().dtype, b.slice::<E>(), &|index, b, out| {
        let a = &all[index * size * size..][..size * size];
        if is_singular(a, size, triangle) {
            return out.fill(E::nan());
        }
        out.copy_from_slice(b);
        substitute(a, triangle, out, size, cols);
    })
}

//! Reductions along any dimensions, in one pass and without moving elements.
//!
//! Dimensions are grouped into reduced and kept ones. If the innermost group is reduced, a result is the fold of
//! runs; if it is kept, rows are folded into a row of results. Sums go through partial sums of bounded length.

use crate::binary;
use crate::buffer::Buffer;
use crate::cast::cast;
use crate::dtype::wide;
use crate::layout;
use crate::number::Number;
use crate::parallel;
use crate::simd::{self, dispatch};
use crate::strided::{Collapsed, collapse};
use crate::tensor::NdTensor;
use burn_backend::{BinaryOp, DType, Dims, HasSpec, ReduceOp, Scalar, Shape, TensorSpec};
use core::ops::Range;

/// What a fold does with two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    Sum,
    Prod,
    Max,
    Min,
}

/// Longest partial sum, in elements of a run.
const BLOCK: usize = 8192;
/// Longest partial sum, in rows.
const ROWS: usize = 256;
/// Columns that are folded together: long rows are read as one stream, and the results stay in the cache.
const COLUMNS: usize = 1024;
/// Fewest rows, and elements, that are folded for themselves.
const BAND: usize = 64;
const BAND_ELEMENTS: usize = 1 << 17;

pub fn reduce(op: ReduceOp, x: NdTensor, dims: &[usize]) -> NdTensor {
    let dtype = x.spec().dtype;
    let fold = fold_of(op);
    if dtype == DType::Bool && x.len() == 0 {
        let shape = reduced_shape(x.shape(), dims);
        let value = Scalar::Bool(op == ReduceOp::All);
        return crate::create::full(TensorSpec { shape, dtype }, value);
    }
    let count: usize = dims.iter().map(|&d| x.shape()[d]).product();
    let mut result = fold_dims(fold, cast(x, wide(dtype)), dims);
    if op == ReduceOp::Mean {
        result = binary::binary_scalar(BinaryOp::Div, result, Scalar::Float(count as f64));
    }
    cast(result, dtype)
}

fn fold_of(op: ReduceOp) -> Fold {
    match op {
        ReduceOp::Sum | ReduceOp::Mean => Fold::Sum,
        ReduceOp::Prod => Fold::Prod,
        ReduceOp::Max | ReduceOp::Any => Fold::Max,
        ReduceOp::Min | ReduceOp::All => Fold::Min,
    }
}

/// The reduction of each row: `xs` holds `out.len()` rows of the same length, which is not 0.
pub fn reduce_rows_f32(op: ReduceOp, xs: &[f32], out: &mut [f32]) {
    reduce_rows(op, xs, out, runs_f32, |x, count| x / count as f32);
}

/// As [`reduce_rows_f32`].
pub fn reduce_rows_f64(op: ReduceOp, xs: &[f64], out: &mut [f64]) {
    reduce_rows(op, xs, out, runs_f64, |x, count| x / count as f64);
}

fn reduce_rows<E: Number>(op: ReduceOp, xs: &[E], out: &mut [E], runs: Runs<E>, over: fn(E, usize) -> E) {
    let inner = xs.len() / out.len();
    let (kept, reduced) = (Collapsed::line(out.len(), inner), Collapsed::line(1, 0));
    runs(fold_of(op), Part { xs, kept: &kept, reduced: &reduced, inner }, 0..out.len(), out);
    if op == ReduceOp::Mean {
        out.iter_mut().for_each(|x| *x = over(*x, inner));
    }
}

fn reduced_shape(shape: &Shape, dims: &[usize]) -> Shape {
    (0..shape.rank()).map(|d| if dims.contains(&d) { 1 } else { shape[d] }).collect()
}

fn fold_dims(fold: Fold, x: NdTensor, dims: &[usize]) -> NdTensor {
    if !x.is_contiguous() {
        return fold_strided(fold, x, dims);
    }
    let shape = reduced_shape(x.shape(), dims);
    let mut out = NdTensor::new(TensorSpec { shape, dtype: x.spec().dtype });
    if let DType::F64 = x.spec().dtype {
        fold_typed(fold, &x, dims, &mut out, runs_f64, rows_f64);
    } else if let DType::F32 = x.spec().dtype {
        fold_typed(fold, &x, dims, &mut out, runs_f32, rows_f32);
    } else if let DType::I64 = x.spec().dtype {
        fold_typed(fold, &x, dims, &mut out, runs_i64, rows_i64);
    } else {
        fold_typed(fold, &x, dims, &mut out, runs_u64, rows_u64);
    }
    out
}

/// Folds in the order in which the elements lie, if that is a permutation of the dimensions; else copies.
fn fold_strided(fold: Fold, x: NdTensor, dims: &[usize]) -> NdTensor {
    let strides = x.strides();
    let mut axes: Dims = (0..x.shape().rank()).collect();
    axes.sort_by_key(|&d| core::cmp::Reverse(strides[d]));
    let turned = layout::permute(x, &axes);
    let place = |d: usize| axes.iter().position(|&axis| axis == d).expect("a permutation has every axis");
    let dims: Dims = dims.iter().map(|&d| place(d)).collect();
    let back: Dims = (0..axes.len()).map(place).collect();
    layout::permute(fold_dims(fold, turned.into_contiguous(), &dims), &back)
}

/// A fold over runs or rows: the elements, where the results start, and where the reduced parts are.
#[derive(Clone, Copy, Debug)]
struct Part<'a, E> {
    xs: &'a [E],
    kept: &'a Collapsed<1>,
    reduced: &'a Collapsed<1>,
    /// Length of a run or a row.
    inner: usize,
}

impl<E> Part<'_, E> {
    /// Where the elements of a result start.
    #[inline(always)]
    fn kept_start(&self, position: usize) -> usize {
        let inner = self.kept.inner();
        self.kept.row(position / inner)[0] + position % inner * self.kept.step(0)
    }
}

type Runs<E> = fn(Fold, Part<'_, E>, Range<usize>, &mut [E]);
type Rows<E> = fn(Fold, Part<'_, E>, usize, usize, &mut [E]);

fn fold_typed<E: Number>(
    fold: Fold,
    x: &NdTensor,
    dims: &[usize],
    out: &mut NdTensor,
    runs: Runs<E>,
    rows: Rows<E>,
) {
    let (shape, strides) = (x.shape(), x.shape().strides());
    let out: &mut [E] = out.as_mut_slice().expect("a new tensor");
    let xs: &[E] = x.slice();
    if xs.is_empty() {
        return out.fill(identity(fold));
    }
    // The innermost dimensions of one kind are the runs or rows, the others are walked over.
    let large = |d: &usize| shape[*d] != 1;
    let Some(last) = (0..shape.rank()).rfind(large) else {
        out.copy_from_slice(xs);
        return;
    };
    let inner_reduced = dims.contains(&last);
    let first = (0..last).filter(large).rfind(|d| dims.contains(d) != inner_reduced).map_or(0, |d| d + 1);
    let inner: usize = shape[first..].iter().product();
    let walk = |reduced: bool| {
        let of = |list: &[usize]| {
            (0..first).filter(|d| dims.contains(d) == reduced).map(|d| list[d]).collect::<Dims>()
        };
        collapse(&of(shape), [&of(&strides)])
    };
    let (kept, reduced) = (walk(false), walk(true));
    let part = Part { xs, kept: &kept, reduced: &reduced, inner };
    let depth = reduced.rows() * reduced.inner();
    if inner_reduced && out.len() == 1 {
        return out[0] = fold_all(fold, xs, runs);
    }
    if inner_reduced {
        let start = parallel::Shared(out.as_mut_ptr());
        return parallel::for_ranges(out.len(), inner * depth, &|range| {
            // SAFETY: ranges lie within `out` and do not overlap.
            let out = unsafe { core::slice::from_raw_parts_mut(start.get().add(range.start), range.len()) };
            runs(fold, part, range, out);
        });
    }
    if out.len() == inner && reduced.rows() == 1 {
        return fold_bands(fold, part, out, rows);
    }
    let columns = inner.min(COLUMNS);
    let bands = inner.div_ceil(columns);
    let start = parallel::Shared(out.as_mut_ptr());
    parallel::for_ranges(out.len() / inner * bands, columns * depth, &|range| {
        for index in range {
            let (at, column) = (index / bands, index % bands * columns);
            let width = columns.min(inner - column);
            // SAFETY: each index has its own columns of its own row of results.
            let out = unsafe { core::slice::from_raw_parts_mut(start.get().add(at * inner + column), width) };
            rows(fold, part, at, column, out);
        }
    });
}

/// One row of results, where all rows are folded: each thread folds neighbouring rows, whole.
fn fold_bands<E: Number>(fold: Fold, part: Part<'_, E>, out: &mut [E], rows: Rows<E>) {
    let Part { xs, kept, reduced, inner } = part;
    let (count, step) = (reduced.inner(), reduced.step(0));
    let fold_some = |first: usize, count: usize, xs: &[E], step: usize, out: &mut [E]| {
        let reduced = Collapsed::line(count, step);
        let part = Part { xs: &xs[first * step..], kept, reduced: &reduced, inner };
        for (k, out) in out.chunks_mut(COLUMNS).enumerate() {
            rows(fold, part, 0, k * COLUMNS, out);
        }
    };
    // Not a matter of threads, so that sums are not one either.
    let bands = (count * inner / BAND_ELEMENTS).min(count / BAND).clamp(1, 32);
    if bands == 1 {
        return fold_some(0, count, xs, step, out);
    }
    let mut parts = Buffer::new(bands * size_of_val(out));
    let parts: &mut [E] = parts.as_mut_slice().expect("a new buffer is unique");
    parallel::for_chunks(parts, inner, count * inner / bands, &|band, out| {
        let (first, last) = (band * count / bands, (band + 1) * count / bands);
        fold_some(first, last - first, xs, step, out);
    });
    fold_some(0, bands, parts, inner, out);
}

/// One result of everything: each thread folds a part.
fn fold_all<E: Number>(fold: Fold, xs: &[E], runs: Runs<E>) -> E {
    const PART: usize = 1 << 16;
    let one = Collapsed::line(1, 0);
    let run = |xs: &[E]| {
        let mut out = [E::ZERO];
        runs(fold, Part { xs, kept: &one, reduced: &one, inner: xs.len() }, 0..1, &mut out);
        out[0]
    };
    if xs.len() <= PART {
        return run(xs);
    }
    let mut parts = Buffer::new(xs.len().div_ceil(PART) * size_of::<E>());
    let parts: &mut [E] = parts.as_mut_slice().expect("a new buffer is unique");
    parallel::for_chunks(parts, 1, PART / 2, &|index, out| {
        out[0] = run(&xs[index * PART..(index * PART + PART).min(xs.len())]);
    });
    match fold {
        Fold::Sum => E::sum(parts.iter().copied()),
        Fold::Prod | Fold::Max | Fold::Min => parts.iter().fold(identity(fold), |x, &y| apply(fold, x, y)),
    }
}

#[inline(always)]
fn identity<E: Number>(fold: Fold) -> E {
    match fold {
        Fold::Sum => E::ZERO,
        Fold::Prod => E::ONE,
        Fold::Max => E::LOWEST,
        Fold::Min => E::HIGHEST,
    }
}

#[inline(always)]
fn apply<E: Number>(fold: Fold, x: E, y: E) -> E {
    match fold {
        Fold::Sum => x.plus(y),
        Fold::Prod => x.times(y),
        Fold::Max => x.larger(y),
        Fold::Min => x.smaller(y),
    }
}

#[inline(always)]
fn neighbours<E: Number>(xs: &[E], identity: E, f: impl Fn(E, E) -> E) -> E {
    simd::fold(xs, identity, |x| x, f)
}

/// Fold of a run, which must not be empty.
#[inline(always)]
pub fn fold_run<E: Number>(fold: Fold, xs: &[E]) -> E {
    match fold {
        Fold::Sum if xs.len() > BLOCK => E::sum(xs.chunks(BLOCK).map(|xs| neighbours(xs, E::ZERO, E::plus))),
        Fold::Sum => neighbours(xs, E::ZERO, E::plus),
        Fold::Prod => neighbours(xs, E::ONE, E::times),
        Fold::Max => neighbours(xs, E::LOWEST, E::larger),
        Fold::Min => neighbours(xs, E::HIGHEST, E::smaller),
    }
}

/// Results `range`, each the fold of the runs at the reduced positions.
#[inline(always)]
fn runs<E: Number>(fold: Fold, part: Part<'_, E>, range: Range<usize>, out: &mut [E]) {
    let Part { xs, kept: _, reduced, inner } = part;
    let (count, step) = (reduced.inner(), reduced.step(0));
    if reduced.rows() * count == 1 {
        let xs = &xs[range.start * inner..range.end * inner];
        for (out, xs) in out.iter_mut().zip(xs.chunks_exact(inner)) {
            *out = fold_run(fold, xs);
        }
        return;
    }
    for (out, position) in out.iter_mut().zip(range) {
        let start = part.kept_start(position);
        let mut total: E = identity(fold);
        for row in 0..reduced.rows() {
            let at = start + reduced.row(row)[0];
            let run = |k: usize| &xs[at + k * step..][..inner];
            total = match fold {
                Fold::Sum => total.plus(E::sum((0..count).map(|k| fold_run(fold, run(k))))),
                Fold::Prod | Fold::Max | Fold::Min => {
                    (0..count).fold(total, |total, k| apply(fold, total, fold_run(fold, run(k))))
                }
            };
        }
        *out = total;
    }
}

/// Columns from `column` on of the row of results `at`: the fold of the rows at the reduced positions.
#[inline(always)]
fn rows<E: Number>(fold: Fold, part: Part<'_, E>, at: usize, column: usize, out: &mut [E]) {
    let Part { xs, kept: _, reduced, inner: _ } = part;
    let start = part.kept_start(at) + column;
    match fold {
        Fold::Sum => fold_rows(xs, start, reduced, out, E::ZERO, E::plus),
        Fold::Prod => fold_rows(xs, start, reduced, out, E::ONE, E::times),
        Fold::Max => fold_rows(xs, start, reduced, out, E::LOWEST, E::larger),
        Fold::Min => fold_rows(xs, start, reduced, out, E::HIGHEST, E::smaller),
    }
}

#[inline(always)]
fn fold_rows<E: Number>(
    xs: &[E],
    start: usize,
    reduced: &Collapsed<1>,
    out: &mut [E],
    identity: E,
    f: impl Fn(E, E) -> E,
) {
    let (count, step, width) = (reduced.inner(), reduced.step(0), out.len());
    out.fill(identity);
    let mut block = [identity; COLUMNS];
    let block = &mut block[..width];
    for row in 0..reduced.rows() {
        let at = reduced.row(row)[0];
        let row = |k: usize| &xs[start + at + k * step..][..width];
        for first in (0..count).step_by(ROWS) {
            let last = (first + ROWS).min(count);
            block.fill(identity);
            let mut k = first;
            while k + 4 <= last {
                let (a, b, c, d) = (row(k), row(k + 1), row(k + 2), row(k + 3));
                for i in 0..width {
                    block[i] = f(block[i], f(f(a[i], b[i]), f(c[i], d[i])));
                }
                k += 4;
            }
            for k in k..last {
                let a = row(k);
                for i in 0..width {
                    block[i] = f(block[i], a[i]);
                }
            }
            out.iter_mut().zip(&*block).for_each(|(out, &x)| *out = f(*out, x));
        }
    }
}

macro_rules! typed {
    ($($ty:ident: $runs_body:ident $runs:ident $rows_body:ident $rows:ident;)*) => {$(
        #[inline(always)]
        fn $runs_body<const FMA: bool>(fold: Fold, part: Part<'_, $ty>, range: Range<usize>, out: &mut [$ty]) {
            runs(fold, part, range, out);
        }
        dispatch! { fn $runs(fold: Fold, part: Part<'_, $ty>, range: Range<usize>, out: &mut [$ty]) = $runs_body }
        #[inline(always)]
        fn $rows_body<const FMA: bool>(fold: Fold, part: Part<'_, $ty>, at: usize, column: usize, out: &mut [$ty]) {
            rows(fold, part, at, column, out);
        }
        dispatch! { fn $rows(fold: Fold, part: Part<'_, $ty>, at: usize, column: usize, out: &mut [$ty]) = $rows_body }
    )*};
}
typed! {
    f64: runs_body_f64 runs_f64 rows_body_f64 rows_f64;
    f32: runs_body_f32 runs_f32 rows_body_f32 rows_f32;
    i64: runs_body_i64 runs_i64 rows_body_i64 rows_i64;
    u64: runs_body_u64 runs_u64 rows_body_u64 rows_u64;
}

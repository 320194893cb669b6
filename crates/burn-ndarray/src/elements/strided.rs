//! Walks over tensors that are not in row-major order: dimensions are merged where all operands allow it, and
//! the innermost one is handled as a run, without index arithmetic.

use crate::elements::dtype::with_element;
use crate::kernels::copy;
use crate::simd::{Operand, Run};
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{DType, Dims, HasSpec, Scalar};
use core::array;
use core::ops::Range;

/// As few dimensions as describe `N` operands; at least one.
#[derive(Clone, Debug)]
pub struct Collapsed<const N: usize> {
    pub shape: Dims,
    pub strides: [Dims; N],
}

/// Merges dimensions that are one evenly spaced dimension for every operand.
pub fn collapse<const N: usize>(shape: &[usize], strides: [&[usize]; N]) -> Collapsed<N> {
    let (mut sizes, mut steps) =
        (Dims::repeat(1, shape.len().max(1)), array::from_fn(|_| Dims::repeat(1, shape.len().max(1))));
    let steps: &mut [Dims; N] = &mut steps;
    // Filled from the back.
    let mut first = sizes.len();
    for d in (0..shape.len()).rev().filter(|&d| shape[d] != 1) {
        let merges = first < sizes.len()
            && (0..N).all(|n| strides[n][d] == steps[n][first].wrapping_mul(sizes[first]));
        if merges {
            sizes[first] *= shape[d];
        } else {
            first -= 1;
            sizes[first] = shape[d];
            (0..N).for_each(|n| steps[n][first] = strides[n][d]);
        }
    }
    let first = first.min(sizes.len() - 1);
    Collapsed {
        shape: Dims::from(&sizes[first..]),
        strides: array::from_fn(|n| Dims::from(&steps[n][first..])),
    }
}

impl Collapsed<1> {
    /// One dimension.
    pub fn line(size: usize, step: usize) -> Self {
        Collapsed { shape: Dims::repeat(size, 1), strides: [Dims::repeat(step, 1)] }
    }
}

impl<const N: usize> Collapsed<N> {
    /// Size of the innermost dimension.
    pub fn inner(&self) -> usize {
        self.shape[self.shape.len() - 1]
    }

    /// Number of rows: positions in all dimensions but the innermost.
    pub fn rows(&self) -> usize {
        self.shape[..self.shape.len() - 1].iter().product()
    }

    /// Step of operand `n` along the innermost dimension.
    pub fn step(&self, n: usize) -> usize {
        self.strides[n][self.shape.len() - 1]
    }

    /// Where a row starts in each operand.
    #[inline(always)]
    pub fn row(&self, row: usize) -> [usize; N] {
        let (mut at, mut rest) = ([0_usize; N], row);
        for d in (0..self.shape.len() - 1).rev() {
            let index = rest % self.shape[d];
            rest /= self.shape[d];
            (0..N).for_each(|n| at[n] = at[n].wrapping_add(index.wrapping_mul(self.strides[n][d])));
        }
        at
    }

    /// Where a position starts in each operand, counted along all dimensions.
    #[inline(always)]
    pub fn place(&self, position: usize) -> [usize; N] {
        let inner = self.inner();
        let mut at = self.row(position / inner);
        (0..N).for_each(|n| at[n] = at[n].wrapping_add((position % inner).wrapping_mul(self.step(n))));
        at
    }

    /// How far apart neighbours along `d` are in operand `n`.
    pub fn distance(&self, n: usize, d: usize) -> usize {
        (self.strides[n][d] as isize).unsigned_abs()
    }

    /// The dimension along which different elements of operand `n` are nearest to each other.
    pub fn nearest(&self, n: usize) -> Option<usize> {
        let moves = |&d: &usize| self.shape[d] > 1 && self.strides[n][d] != 0;
        (0..self.shape.len()).filter(moves).min_by_key(|&d| self.distance(n, d))
    }

    /// The other dimensions, as rows of one element.
    pub fn without(&self, dim: usize) -> Self {
        let others = |list: &[usize]| -> Dims {
            (0..list.len()).filter(|&d| d != dim).map(|d| list[d]).chain([1]).collect()
        };
        Collapsed { shape: others(&self.shape), strides: array::from_fn(|n| others(&self.strides[n])) }
    }

    /// Calls `f` with the offset of each of these rows in each operand.
    #[inline(always)]
    pub fn for_rows(&self, rows: Range<usize>, mut f: impl FnMut([usize; N])) {
        let outer = &self.shape[..self.shape.len() - 1];
        let mut index = Dims::repeat(0, outer.len());
        let (mut at, mut rest) = (self.row(rows.start), rows.start);
        for d in (0..outer.len()).rev() {
            index[d] = rest % outer[d];
            rest /= outer[d];
        }
        let Some(last) = outer.len().checked_sub(1) else {
            return rows.for_each(|_| f(at));
        };
        let (size, steps): (usize, [usize; N]) = (outer[last], array::from_fn(|n| self.strides[n][last]));
        let mut left = rows.len();
        while left > 0 {
            // The innermost of these dimensions needs no count of its own.
            let run = left.min(size - index[last]);
            for _ in 0..run {
                f(at);
                (0..N).for_each(|n| at[n] = at[n].wrapping_add(steps[n]));
            }
            left -= run;
            (0..N).for_each(|n| at[n] = at[n].wrapping_sub(steps[n].wrapping_mul(size)));
            index[last] = 0;
            for d in (0..last).rev() {
                index[d] += 1;
                (0..N).for_each(|n| at[n] = at[n].wrapping_add(self.strides[n][d]));
                if index[d] < outer[d] {
                    break;
                }
                (0..N).for_each(|n| at[n] = at[n].wrapping_sub(self.strides[n][d].wrapping_mul(outer[d])));
                index[d] = 0;
            }
        }
    }
}

/// Strides of `x` when it is repeated to `shape`.
pub fn broadcast_strides(x: &NdTensor, shape: &[usize]) -> Dims {
    let (own, strides) = (x.shape(), x.strides());
    let extra = shape.len() - own.len();
    let stride = |d: usize| {
        if d < extra || (own[d - extra] == 1 && shape[d] != 1) { 0 } else { strides[d - extra] }
    };
    (0..shape.len()).map(stride).collect()
}

/// An operand of an elementwise kernel.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// The current values of the output.
    Out,
    /// A tensor, broadcast to the shape of the output.
    Tensor(&'a NdTensor),
    /// A single element.
    One(&'a One),
}

/// One element of some dtype.
#[derive(Clone, Copy, Debug)]
pub struct One {
    word: [u64; 1],
    width: usize,
}

impl One {
    pub fn new(value: Scalar, dtype: DType) -> Self {
        let mut word = [0_u64];
        let width = dtype.size();
        with_element!(dtype, E => {
            let element: E = value.elem();
            bytemuck::cast_slice_mut::<u64, u8>(&mut word)[..width].copy_from_slice(bytemuck::bytes_of(&element));
        });
        One { word, width }
    }

    /// The element as an operand, as long as it lives.
    pub fn operand(&self) -> Operand {
        Operand { start: self.start(), repeated: true, width: self.width }
    }

    fn start(&self) -> *const u8 {
        self.word.as_ptr().cast()
    }
}

/// Runs an elementwise kernel over `out`, which is writable. `cost` is that of one element, in additions.
pub fn run<const N: usize>(
    out: &mut NdTensor,
    sources: [Source<'_>; N],
    cost: usize,
    kernel: &(dyn Fn(&Run<N>) + Sync),
) {
    let (len, width) = (out.len(), out.spec().dtype.size());
    let start = out.start_mut();
    if len == 0 {
        return;
    }
    let mut flat = true;
    let mut operands = [Operand { start: start.cast_const(), repeated: false, width }; N];
    for (operand, source) in operands.iter_mut().zip(&sources) {
        match source {
            Source::Out => {}
            Source::One(one) => *operand = one.operand(),
            Source::Tensor(x) => {
                let count = x.len();
                let same = count == len && x.is_contiguous();
                flat &= same || count == 1;
                *operand = Operand { start: x.start(), repeated: !same, width: x.spec().dtype.size() };
            }
        }
    }
    if flat {
        // SAFETY: `out` is writable for its length, and operands have its length or are one element.
        return run_flat(&unsafe { Run::new(start, width, operands, len) }, cost, kernel);
    }
    run_rows(out, start, sources, cost, kernel);
}

#[inline]
fn run_flat<const N: usize>(run: &Run<N>, cost: usize, kernel: &(dyn Fn(&Run<N>) + Sync)) {
    if parallel::is_small(run.len(), cost) {
        return kernel(run);
    }
    let shared = Shared((&raw const *run).cast_mut());
    parallel::for_ranges(run.len(), cost, &|range| {
        // SAFETY: the run outlives this call and is only read.
        kernel(&unsafe { &*shared.get() }.part(range.start, range.len()));
    });
}

/// [`run`] where some operand is repeated along some dimensions or not in order.
#[inline(never)]
fn run_rows<const N: usize>(
    out: &NdTensor,
    start: *mut u8,
    sources: [Source<'_>; N],
    cost: usize,
    kernel: &(dyn Fn(&Run<N>) + Sync),
) {
    let (shape, width) = (out.shape(), out.spec().dtype.size());
    let inner = shape.iter().rposition(|&size| size != 1).unwrap_or(0);
    let strides_of = |n: usize| match sources[n] {
        Source::Out => shape.strides(),
        Source::Tensor(x) => broadcast_strides(x, shape),
        Source::One(_) => Dims::repeat(0, shape.rank()),
    };
    // A kernel reads neighbours or one element: other operands are copied into order.
    let ordered: [Option<NdTensor>; N] = array::from_fn(|n| match sources[n] {
        Source::Tensor(x) if strides_of(n)[inner] > 1 => Some(copy::to_contiguous(x)),
        Source::Tensor(_) | Source::Out | Source::One(_) => None,
    });
    let sources: [Source<'_>; N] = array::from_fn(|n| ordered[n].as_ref().map_or(sources[n], Source::Tensor));
    let strides: [Dims; N] = array::from_fn(|n| match sources[n] {
        Source::Out => shape.strides(),
        Source::Tensor(x) => broadcast_strides(x, shape),
        Source::One(_) => Dims::repeat(0, shape.rank()),
    });
    let base: [(Shared<u8>, usize); N] = array::from_fn(|n| match sources[n] {
        Source::Out => (Shared(start), width),
        Source::Tensor(x) => (Shared(x.start().cast_mut()), x.spec().dtype.size()),
        Source::One(one) => (Shared(one.start().cast_mut()), one.width),
    });
    let all = collapse(shape, array::from_fn::<&[usize], N, _>(|n| &strides[n]));
    let (rows, inner) = (all.rows(), all.inner());
    let out = Shared(start);
    let operand = |n: usize, at: usize| {
        let (start, width) = base[n];
        let start = start.get().wrapping_add(at.wrapping_mul(width)).cast_const();
        Operand { start, repeated: all.step(n) == 0, width }
    };
    if rows == 1 || inner * cost >= parallel::WIDE {
        for row in 0..rows {
            all.for_rows(row..row + 1, |at| {
                let out = out.get().wrapping_add(row * inner * width);
                // SAFETY: rows of `out` and of the operands lie within their tensors.
                let run = unsafe { Run::new(out, width, array::from_fn(|n| operand(n, at[n])), inner) };
                run_flat(&run, cost, kernel);
            });
        }
        return;
    }
    parallel::for_ranges(rows, cost * inner, &|range| {
        let mut row = range.start;
        all.for_rows(range, |at| {
            let out = out.get().wrapping_add(row * inner * width);
            // SAFETY: as above; each row of `out` is written by one call.
            kernel(&unsafe { Run::new(out, width, array::from_fn(|n| operand(n, at[n])), inner) });
            row += 1;
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_merge_where_all_operands_allow_it() {
        let both = collapse(&[2, 3, 4], [&[12, 4, 1], &[12, 4, 1]]);
        assert_eq!((&both.shape[..], &both.strides[0][..]), (&[24][..], &[1][..]));
        let bias = collapse(&[8, 3, 5, 5], [&[75, 25, 5, 1], &[0, 1, 0, 0]]);
        assert_eq!(&bias.shape[..], [8, 3, 25]);
        assert_eq!([&bias.strides[0][..], &bias.strides[1][..]], [[75, 25, 1], [0, 1, 0]]);
        let scalar = collapse(&[], [&[]]);
        assert_eq!((scalar.rows(), scalar.inner()), (1, 1));
    }

    #[test]
    fn rows_start_anywhere() {
        let x = collapse(&[2, 3, 4], [&[1, 2, 6]]);
        let mut all = Vec::new();
        x.for_rows(0..x.rows(), |[at]| all.push(at));
        assert_eq!(all, [0, 2, 4, 1, 3, 5]);
        let mut tail = Vec::new();
        x.for_rows(4..6, |[at]| tail.push(at));
        assert_eq!(tail, [3, 5]);
    }
}

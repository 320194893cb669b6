//! Walks over tensors that are not in row-major order: dimensions are merged where all operands allow it, and
//! the innermost one is handled as a run, without index arithmetic.

use crate::elements::collapsed::{broadcast_strides, collapse};
use crate::elements::dtype::with_element;
use crate::kernels::copy;
use crate::simd::{Operand, Run};
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{DType, Dims, HasSpec, Scalar};
use core::array;

/// An operand of an elementwise kernel.
#[derive(Clone, Copy, Debug)]
pub enum StridedOperand<'a> {
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
    sources: [StridedOperand<'_>; N],
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
            StridedOperand::Out => {}
            StridedOperand::One(one) => *operand = one.operand(),
            StridedOperand::Tensor(x) => {
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

/// Runs an elementwise kernel from all elements of `x`, which is contiguous, to those of `out` from number
/// `first` on.
pub fn run_part(out: &mut NdTensor, first: usize, x: &NdTensor, kernel: &(dyn Fn(&Run<1>) + Sync)) {
    assert!(x.is_contiguous() && first + x.len() <= out.len(), "a part lies within its tensor");
    let width = out.spec().dtype.size();
    let operand = Operand { start: x.start(), repeated: false, width: x.spec().dtype.size() };
    // SAFETY: by the assertion; `out` is writable, and the elements of `x` are its own.
    let run = unsafe { Run::new(out.start_mut().wrapping_add(first * width), width, [operand], x.len()) };
    run_flat(&run, 1, kernel);
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
    sources: [StridedOperand<'_>; N],
    cost: usize,
    kernel: &(dyn Fn(&Run<N>) + Sync),
) {
    let (shape, width) = (out.shape(), out.spec().dtype.size());
    let inner = shape.iter().rposition(|&size| size != 1).unwrap_or(0);
    let strides_of = |n: usize| match sources[n] {
        StridedOperand::Out => shape.strides(),
        StridedOperand::Tensor(x) => broadcast_strides(x, shape),
        StridedOperand::One(_) => Dims::repeat(0, shape.rank()),
    };
    // A kernel reads neighbours or one element: other operands are copied into order.
    let ordered: [Option<NdTensor>; N] = array::from_fn(|n| match sources[n] {
        StridedOperand::Tensor(x) if strides_of(n)[inner] > 1 => Some(copy::to_contiguous(x)),
        StridedOperand::Tensor(_) | StridedOperand::Out | StridedOperand::One(_) => None,
    });
    let sources: [StridedOperand<'_>; N] =
        array::from_fn(|n| ordered[n].as_ref().map_or(sources[n], StridedOperand::Tensor));
    let strides: [Dims; N] = array::from_fn(|n| match sources[n] {
        StridedOperand::Out => shape.strides(),
        StridedOperand::Tensor(x) => broadcast_strides(x, shape),
        StridedOperand::One(_) => Dims::repeat(0, shape.rank()),
    });
    let base: [(Shared<u8>, usize); N] = array::from_fn(|n| match sources[n] {
        StridedOperand::Out => (Shared(start), width),
        StridedOperand::Tensor(x) => (Shared(x.start().cast_mut()), x.spec().dtype.size()),
        StridedOperand::One(one) => (Shared(one.start().cast_mut()), one.width),
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

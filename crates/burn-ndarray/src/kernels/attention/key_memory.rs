//! Keys and values as tensors hold them, and the rows of them that kernels read.

use super::pack::HeadRows;
use super::problem::View;
use super::product::StridedRows;
use super::stored::{Pass, Stored};
use crate::kernels::math::half_to_single;
use crate::simd::dispatch;
use crate::tensor::NdTensor;
use burn_backend::{DType, HasSpec, QuantizationLevel, QuantizedRows, f16};
use core::slice;

/// Element that attention to `M` is computed with.
pub type Wide<M> = <<M as KeyMemory>::Elem as Stored>::Wide;

/// Operands of a kernel beside keys or values; see [`Pass`].
#[derive(Clone, Copy, Debug)]
pub struct Dense<E> {
    pub rows: usize,
    pub size: usize,
    pub dense: StridedRows<*mut E>,
    pub scores: StridedRows<*mut E>,
}

/// Keys, or values, of all heads.
pub trait KeyMemory: Copy + Sync {
    /// Element that kernels read.
    type Elem: Stored;
    /// Rows that are copied before kernels read them, so few that they stay in the first cache.
    const COPIED: usize;

    /// Calls `kernel` with rows of a head, some at a time. `room` has [`COPIED`](Self::COPIED) rows.
    ///
    /// # Safety
    /// The rows may be read; the rest by the contract of the kernel.
    unsafe fn each(
        self,
        place: HeadRows,
        with: Dense<Wide<Self>>,
        room: &mut [Wide<Self>],
        kernel: unsafe fn(Pass<Self::Elem, Wide<Self>>),
    );
}

impl<E> Dense<E> {
    fn pass<S>(self, stored: StridedRows<*const S>, keys: usize) -> Pass<S, E> {
        let Dense { rows, size, dense, scores } = self;
        Pass { rows, keys, size, stored, dense, scores }
    }
}

impl<S: Stored> KeyMemory for View<S> {
    type Elem = S;
    const COPIED: usize = 0;

    unsafe fn each(
        self,
        place: HeadRows,
        with: Dense<S::Wide>,
        _room: &mut [S::Wide],
        kernel: unsafe fn(Pass<S, S::Wide>),
    ) {
        let stored = self.rows(place.batch, place.head).after(place.first);
        // SAFETY: by the contract.
        unsafe { kernel(with.pass(stored, place.count)) }
    }
}

/// Numbers that share a scale.
const BLOCK: usize = 32;

/// Rows of quantized numbers, with a scale of `f16` for each 32.
#[derive(Clone, Copy, Debug)]
pub struct QuantizedView {
    words: View<i32>,
    scale: View<f16>,
}

impl QuantizedView {
    /// The rows, if kernels can read them where they are.
    pub fn new(x: &QuantizedRows<NdTensor>) -> Option<Self> {
        let is_dense = x.words.strides()[3] == 1 && x.scale.strides()[3] == 1;
        let is_known =
            x.scale.spec().dtype == DType::F16 && x.scheme().level == QuantizationLevel::Block(BLOCK);
        (is_dense && is_known)
            .then(|| QuantizedView { words: View::new(&x.words), scale: View::new(&x.scale) })
    }
}

impl KeyMemory for QuantizedView {
    type Elem = f32;
    const COPIED: usize = 16;

    unsafe fn each(
        self,
        place: HeadRows,
        with: Dense<f32>,
        room: &mut [f32],
        kernel: unsafe fn(Pass<f32, f32>),
    ) {
        let HeadRows { batch, head, first, count } = place;
        let (words, scale) = (self.words.rows(batch, head), self.scale.rows(batch, head));
        for start in (0..count).step_by(Self::COPIED) {
            let keys = Self::COPIED.min(count - start);
            let copies = &mut room[..keys * with.size];
            dequantize(words.after(first + start), scale.after(first + start), with.size, copies);
            let stored = StridedRows { start: copies.as_ptr(), step: with.size };
            let scores = with.scores.start.wrapping_add(start);
            let scores = StridedRows { start: scores, step: with.scores.step };
            // SAFETY: by the contract; the copies are rows of as many elements.
            unsafe { kernel(Dense { scores, ..with }.pass(stored, keys)) }
        }
    }
}

#[inline(always)]
fn dequantize_body<const FMA: bool>(
    words: StridedRows<*const i32>,
    scale: StridedRows<*const f16>,
    size: usize,
    out: &mut [f32],
) {
    for (row, out) in out.chunks_exact_mut(size.max(1)).enumerate() {
        // SAFETY: by the contract of `KeyMemory::each`, the only caller; blocks are whole, and bytes have no
        // alignment.
        let (numbers, scales) = unsafe {
            let numbers = slice::from_raw_parts(words.after(row).start.cast::<u8>(), size);
            (numbers, slice::from_raw_parts(scale.after(row).start, size / BLOCK))
        };
        let blocks = numbers.as_chunks::<BLOCK>().0.iter().zip(scales);
        for (out, (numbers, scale)) in out.as_chunks_mut::<BLOCK>().0.iter_mut().zip(blocks) {
            let scale = half_to_single(scale.to_bits());
            for lane in 0..BLOCK {
                // The first number of a word is in its lowest bits.
                let byte = if cfg!(target_endian = "big") { lane ^ 3 } else { lane };
                out[lane] = f32::from(numbers[byte] as i8) * scale;
            }
        }
    }
}
dispatch! {
    fn dequantize(
        words: StridedRows<*const i32>,
        scale: StridedRows<*const f16>,
        size: usize,
        out: &mut [f32],
    ) = dequantize_body
}

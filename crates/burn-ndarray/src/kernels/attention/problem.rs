//! Views of the operands of attention, with strides, and the mask.

use super::QUERIES;
use super::product::StridedRows;
use super::score_tile::Tile;
use crate::elements::collapsed::broadcast_strides;
use crate::elements::number::Number;
use crate::kernels::cast::cast;
use crate::tensor::NdTensor;
use crate::threads::parallel::Shared;
use burn_backend::{AttentionArgs, DType, HasSpec, Shape, attention_dtype};

/// Rows of a tensor `[batch, heads, rows, size]`.
#[derive(Clone, Copy, Debug)]
pub struct View<E> {
    start: Shared<E>,
    steps: [usize; 4],
}

impl<E> View<E> {
    /// `x`, repeated to `shape`. It is read through the view while it lives.
    pub fn repeated(x: &NdTensor, shape: &Shape) -> Self {
        let strides = broadcast_strides(x, shape);
        View {
            start: Shared(x.start().cast::<E>().cast_mut()),
            steps: core::array::from_fn(|dim| strides[dim]),
        }
    }

    pub fn new(x: &NdTensor) -> Self {
        View::repeated(x, x.shape())
    }

    /// Where a row begins.
    pub fn row(&self, batch: usize, head: usize, row: usize) -> *const E {
        let at = [batch, head, row].into_iter().zip(self.steps);
        let at = at.fold(0_usize, |at, (index, step)| at.wrapping_add(index.wrapping_mul(step)));
        self.start.get().wrapping_add(at)
    }

    /// All rows of a head.
    pub fn rows(&self, batch: usize, head: usize) -> StridedRows<*const E> {
        StridedRows { start: self.row(batch, head, 0), step: self.steps[2] }
    }

    /// Elements from one row to the next.
    pub fn row_step(&self) -> usize {
        self.steps[2]
    }

    /// Elements from one element of a row to the next.
    pub fn step(&self) -> usize {
        self.steps[3]
    }
}

#[derive(Clone, Copy, Debug)]
enum Mask<E> {
    Hide(View<u8>),
    Add(View<E>),
}

/// Where results go: rows of all heads one after the other.
#[derive(Clone, Copy)]
pub struct Out<E> {
    pub result: Shared<E>,
    pub log_sums: Shared<E>,
}

/// An attention over elements `E`, whose tensors the caller holds.
#[derive(Clone, Copy, Debug)]
pub struct Problem<E> {
    pub batch: usize,
    pub heads: usize,
    pub key_heads: usize,
    pub queries: usize,
    /// Keys that any query looks at.
    pub keys: usize,
    pub size: usize,
    pub size_out: usize,
    pub query: View<E>,
    pub key: View<E>,
    pub value: View<E>,
    mask: Option<Mask<E>>,
    causal: bool,
    pub scale: E,
}

/// The operands in the dtype of the computation.
pub fn widened(args: AttentionArgs<NdTensor>) -> AttentionArgs<NdTensor> {
    args.map(wide)
}

/// Bools stay what they are.
pub fn wide(x: NdTensor) -> NdTensor {
    let dtype = x.spec().dtype;
    if dtype == DType::Bool { x } else { cast(x, attention_dtype(dtype)) }
}

impl<E: Number> Problem<E> {
    pub fn new(args: &AttentionArgs<NdTensor>, scale: E) -> Self {
        let AttentionArgs { query, key, value, mask, causal, .. } = args;
        let (shape, keys) = (query.shape(), key.shape()[2]);
        let mask = mask.as_ref().map(|mask| {
            let scores = shape.with(3, keys);
            match mask.spec().dtype == DType::Bool {
                true => Mask::Hide(View::repeated(mask, &scores)),
                false => Mask::Add(View::repeated(mask, &scores)),
            }
        });
        Problem {
            batch: shape[0],
            heads: shape[1],
            key_heads: key.shape()[1],
            queries: shape[2],
            keys: if *causal { keys.min(shape[2]) } else { keys },
            size: shape[3],
            size_out: value.shape()[3],
            query: View::new(query),
            key: View::new(key),
            value: View::new(value),
            mask,
            causal: *causal,
            scale,
        }
    }

    /// Heads that share a key.
    pub fn group(&self) -> usize {
        self.heads / self.key_heads
    }

    /// Returns the number of keys that the queries below `end` attend to.
    pub fn keys_before(&self, end: usize) -> usize {
        if self.causal { self.keys.min(end) } else { self.keys }
    }

    /// Returns the first tile of queries that attends to keys from `key` on.
    pub fn first_tile(&self, key: usize) -> usize {
        if self.causal { key / QUERIES } else { 0 }
    }

    /// Makes scores minus infinity where a query does not look: the mask, what is later, and what is padding.
    /// The tile has `count` queries from `query` on, and `keys` keys from `key` on.
    ///
    /// # Safety
    /// The tile may be read and written, and the problem's tensors are there.
    pub unsafe fn hide(
        &self,
        scores: Tile<E>,
        [batch, head]: [usize; 2],
        (query, count): (usize, usize),
        (key, keys): (usize, usize),
    ) {
        for at in 0..count {
            // SAFETY: by the contract.
            let row = unsafe { scores.row(at) };
            let seen = if self.causal { (query + at + 1).saturating_sub(key).min(keys) } else { keys };
            row[seen..].fill(E::LOWEST);
            let row = &mut row[..seen];
            match self.mask {
                // SAFETY: the row of the mask has an element for each key.
                Some(Mask::Hide(mask)) => unsafe {
                    let from = mask.row(batch, head, query + at).wrapping_add(key.wrapping_mul(mask.step()));
                    with(row, from, mask.step(), |x, hidden| if hidden != 0 { E::LOWEST } else { x });
                },
                // SAFETY: as above.
                Some(Mask::Add(mask)) => unsafe {
                    let from = mask.row(batch, head, query + at).wrapping_add(key.wrapping_mul(mask.step()));
                    with(row, from, mask.step(), E::plus);
                },
                None => {}
            }
        }
    }
}

/// `x = f(x, y)` for each element of a row and those at `from`, `step` apart.
///
/// # Safety
/// As many elements may be read.
unsafe fn with<E: Copy, M: Copy>(row: &mut [E], from: *const M, step: usize, f: impl Fn(E, M) -> E) {
    if step == 1 {
        // SAFETY: by the contract.
        let others = unsafe { core::slice::from_raw_parts(from, row.len()) };
        row.iter_mut().zip(others).for_each(|(x, &y)| *x = f(*x, y));
    } else {
        for (at, x) in row.iter_mut().enumerate() {
            // SAFETY: by the contract.
            *x = f(*x, unsafe { from.wrapping_add(at.wrapping_mul(step)).read() });
        }
    }
}

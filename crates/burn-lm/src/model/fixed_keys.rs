use super::paged_attention::KeyRun;
use crate::cache::{StoredRows, rounded, view, write_at};
use burn_core::tensor::{Backend, Bool, Int, Tensor};

/// Keys and values in the memory of a cache, for steps of one token of each sequence whose shapes stay the
/// same from token to token: places and masks are tensors.
#[derive(Debug)]
pub struct FixedKeys<B: Backend> {
    /// Keys and values of each layer; `None` while a call writes them.
    pub memory: Vec<[Option<StoredRows<B::Tensor>>; 2]>,
    /// The position in the memory of the token of each sequence, `[sequences]`.
    pub places: Tensor<B, 1, Int>,
    /// Where the positions of each sequence begin in the memory, and how many of them are read.
    pub runs: Vec<KeyRange>,
    /// True where a key is hidden, `[sequences, 1, 1, keys]`: in layers without and with a sliding window.
    pub hidden: [Option<Tensor<B, 4, Bool>>; 2],
}

/// Neighbouring positions of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyRange {
    pub start: usize,
    pub count: usize,
}

impl<B: Backend> FixedKeys<B> {
    /// Writes the keys and values of a layer, `[sequences, key heads, d_head]`.
    pub fn write(&mut self, layer: usize, key: Tensor<B, 3>, value: Tensor<B, 3>) {
        for (memory, x) in self.memory[layer].iter_mut().zip([key, value]) {
            let old = memory.take().expect("a call puts back what it takes");
            let x = rounded(x.swap_dims(0, 1), &old);
            *memory = Some(write_at::<B>(old, &self.places.clone().into_handle(), x));
        }
    }

    /// Reads the keys and values of a sequence, without a copy.
    pub fn read(&self, layer: usize, sequence: usize) -> KeyRun<B> {
        let KeyRange { start, count } = self.runs[sequence];
        let [key, value] = self.memory[layer]
            .each_ref()
            .map(|memory| view::<B>(memory.as_ref().expect("a call puts back what it takes"), start, count));
        KeyRun { key, value, blind: None }
    }

    /// The mask of a sequence, `[1, 1, 1, keys]`.
    pub fn mask(&self, sequence: usize, windowed: bool) -> Option<Tensor<B, 4, Bool>> {
        let [global, window] = &self.hidden;
        let mask = window.as_ref().filter(|_| windowed).or(global.as_ref())?;
        let sequences = self.runs.len();
        let own = if sequences == 1 { mask.clone() } else { mask.clone().narrow(0, sequence, 1) };
        let [_, _, _, keys] = own.dims();
        let count = self.runs[sequence].count;
        Some(if count == keys { own } else { own.narrow(3, 0, count) })
    }
}

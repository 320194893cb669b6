use super::paged_attention::KeyRun;
use crate::cache::{StoredRows, rounded, view, views, write_at};
use burn_backend::HasSpec;
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

    /// Reads the keys and values of all sequences, `[sequences, key heads, keys, d_head]`, without a copy;
    /// `None` where they are not as many for each, or not at equal distances.
    pub fn read_all(&self, layer: usize) -> Option<KeyRun<B>> {
        let [first, second, ..] = self.runs[..] else { return None };
        let (runs, step) = (self.runs.len(), second.start.checked_sub(first.start)?);
        let is_spaced = |(index, run): (usize, &KeyRange)| {
            *run == KeyRange { start: first.start + index * step, count: first.count }
        };
        let memory =
            self.memory[layer].each_ref().map(|x| x.as_ref().expect("a call puts back what it takes"));
        let room = memory[0].numbers.spec().shape[1];
        let fits = step >= first.count && first.start + runs * step <= room;
        if !fits || !self.runs.iter().enumerate().all(is_spaced) {
            return None;
        }
        let [key, value] = memory.map(|rows| views::<B>(rows, first.start, step, [runs, first.count]));
        Some(KeyRun { key, value, blind: None })
    }

    /// The masks of all sequences, `[sequences, 1, 1, keys]`.
    pub fn masks(&self, windowed: bool) -> Option<Tensor<B, 4, Bool>> {
        let [global, window] = &self.hidden;
        window.as_ref().filter(|_| windowed).or(global.as_ref()).cloned()
    }

    /// The mask of a sequence, `[1, 1, 1, keys]`.
    pub fn mask(&self, sequence: usize, windowed: bool) -> Option<Tensor<B, 4, Bool>> {
        let mask = self.masks(windowed)?;
        let sequences = self.runs.len();
        let own = if sequences == 1 { mask } else { mask.narrow(0, sequence, 1) };
        let [_, _, _, keys] = own.dims();
        let count = self.runs[sequence].count;
        Some(if count == keys { own } else { own.narrow(3, 0, count) })
    }
}

use super::KvCache;
use super::SequenceId;
use super::StoredRows;
use super::kv_cache::{PAGE, Sequence};
use crate::model::{KeyRange, RotaryTable};
use burn_core::tensor::{Backend, TensorData};

/// Keys that a step reads are a multiple of so many, so that many steps have the same shapes.
const KEYS: usize = 256;

/// A step of one token of each sequence whose shapes depend on [`KeyRange`]s alone.
#[derive(Debug)]
pub struct FixedStep {
    pub runs: Vec<KeyRange>,
    /// Position of each token in its sequence.
    pub positions: Vec<usize>,
    /// Position of each token in the memory.
    pub places: Vec<usize>,
    window: Option<usize>,
}

impl<B: Backend> KvCache<B> {
    /// Plans a step of one token of each sequence, behind `ahead` tokens that were not committed yet; `None`
    /// where a sequence has no room, or pages that are no neighbours.
    pub(crate) fn fixed_step(&self, sequences: &[SequenceId], ahead: usize) -> Option<FixedStep> {
        let (mut runs, mut positions, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (index, id) in sequences.iter().enumerate() {
            let sequence = self.sequences.get(id)?;
            let position = sequence.tokens.len() + ahead;
            if position >= sequence.capacity || sequences[..index].contains(id) {
                return None;
            }
            let run = sequence.key_range(position + 1)?;
            runs.push(run);
            places.push(run.start + position);
            positions.push(position);
        }
        (!runs.is_empty()).then_some(FixedStep { runs, positions, places, window: self.window })
    }

    /// The tables of rotations of layers without and with a sliding window.
    pub(crate) fn rotary(&mut self) -> &mut [Option<RotaryTable>; 2] {
        &mut self.rotary
    }

    /// Gives the memory away, until [`put_layers`](Self::put_layers).
    pub(crate) fn take_layers(&mut self) -> Vec<B::Tensor> {
        let taken = self.layers.iter_mut().flatten().map(|memory| memory.take());
        tensors(taken)
    }

    pub(crate) fn put_layers(&mut self, memory: Vec<B::Tensor>) {
        self.layers = layers(memory, self.layers.len());
    }

    pub(crate) fn device(&self) -> &B::Device {
        &self.device
    }
}

/// The tensors of keys and values, in the order in which [`layers`] takes them.
pub fn tensors<T>(memory: impl Iterator<Item = Option<StoredRows<T>>>) -> Vec<T> {
    let memory = memory.map(|memory| memory.expect("a call puts back what it takes"));
    memory.flat_map(|StoredRows { numbers, scale }| [Some(numbers), scale]).flatten().collect()
}

/// Keys and values of `count` layers.
pub fn layers<T>(memory: Vec<T>, count: usize) -> Vec<[Option<StoredRows<T>>; 2]> {
    let is_quantized = memory.len() > 2 * count;
    let mut memory = memory.into_iter();
    let mut rows = || {
        let numbers = memory.next()?;
        Some(StoredRows { numbers, scale: if is_quantized { memory.next() } else { None } })
    };
    (0..count).map(|_| [rows(), rows()]).collect()
}

impl Sequence {
    /// The neighbouring pages from the first one on that hold `len` positions; `None` where they are not
    /// neighbours.
    fn key_range(&self, len: usize) -> Option<KeyRange> {
        let first = *self.pages.first()?;
        let neighbours = self.pages.iter().enumerate().take_while(|(index, page)| **page == first + index);
        let room = neighbours.count() * PAGE;
        (len <= room).then(|| KeyRange { start: first * PAGE, count: len.next_multiple_of(KEYS).min(room) })
    }
}

impl FixedStep {
    /// The masks of layers without and with a sliding window, `[sequences, 1, 1, keys]`: true where a key
    /// comes later, or the window or more positions before.
    pub fn hidden(&self) -> [Option<TensorData>; 2] {
        let keys = self.runs.iter().map(|run| run.count).max().unwrap_or(0);
        let mask = |window: usize| {
            let hides = |position: usize, key: usize| key > position || position - key >= window;
            let rows = self.positions.iter();
            let hidden: Vec<bool> =
                rows.flat_map(|position| (0..keys).map(|key| hides(*position, key))).collect();
            TensorData::new(hidden, [self.runs.len(), 1, 1, keys])
        };
        [Some(mask(usize::MAX)), self.window.map(mask)]
    }
}

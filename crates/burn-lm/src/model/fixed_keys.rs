use super::paged_attention::KeyRun;
use super::rotary::RotaryRows;
use crate::cache::{StoredRows, rounded, view, views, write_at};
use burn_backend::{AttentionArgs, CachedAttentionArgs, HasSpec};
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

    /// Rotates queries and keys, writes the keys and values of a layer, and attends to those of each
    /// sequence: `[sequences, heads, d_head]` to `[sequences, heads, 1, d_head]`. The operands come back
    /// where the memory has another dtype, or sequences have not as many keys each at equal distances.
    pub fn attend(
        &mut self,
        (layer, is_windowed, scale): (usize, bool, f64),
        [query, key, value]: [Tensor<B, 3>; 3],
        rotary: &RotaryRows<B>,
    ) -> Result<Tensor<B, 4>, [Tensor<B, 3>; 3]> {
        let memory = self.memory[layer].each_ref().map(Option::as_ref);
        let is_stored = |x: Option<&StoredRows<B::Tensor>>| {
            x.is_some_and(|x| x.scale.is_none() && x.numbers.spec().dtype == query.dtype())
        };
        let Some((KeyRange { start, count }, step)) =
            self.spacing(layer).filter(|_| memory.map(is_stored) == [true; 2])
        else {
            return Err([query, key, value]);
        };
        let [key_cache, value_cache] =
            self.memory[layer].each_mut().map(|x| x.take().expect("a call puts back what it takes").numbers);
        let [sequences, heads, d_head] = query.dims();
        let query = query.reshape([sequences, heads, 1, d_head]).into_handle();
        let [key, value] = [key, value].map(Tensor::into_handle);
        let attention = AttentionArgs {
            query,
            key: key_cache,
            value: value_cache,
            mask: self.masks(is_windowed).map(Tensor::into_handle),
            causal: false,
            scale,
        };
        let (context, key_cache, value_cache) = B::cached_attention(CachedAttentionArgs {
            key,
            places: self.places.clone().into_handle(),
            value,
            rotation: rotary.table.clone().into_handle(),
            interleaved: rotary.interleaved,
            start,
            step,
            keys: count,
            attention,
        });
        self.memory[layer] =
            [key_cache, value_cache].map(|numbers| Some(StoredRows { numbers, scale: None }));
        Ok(Tensor::from_handle(context))
    }

    /// The keys of the first sequence, and how many positions later those of the next one begin; `None` where
    /// they are not as many for each, or not at equal distances.
    fn spacing(&self, layer: usize) -> Option<(KeyRange, usize)> {
        let first = *self.runs.first()?;
        let step = match self.runs.get(1) {
            Some(second) => second.start.checked_sub(first.start)?,
            None => first.count,
        };
        let is_spaced = |(index, run): (usize, &KeyRange)| {
            *run == KeyRange { start: first.start + index * step, count: first.count }
        };
        let memory = self.memory[layer][0].as_ref().expect("a call puts back what it takes");
        let fits =
            step >= first.count && first.start + self.runs.len() * step <= memory.numbers.spec().shape[1];
        (fits && self.runs.iter().enumerate().all(is_spaced)).then_some((first, step))
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
        let (KeyRange { start, count }, step) = self.spacing(layer)?;
        let memory =
            self.memory[layer].each_ref().map(|x| x.as_ref().expect("a call puts back what it takes"));
        let [key, value] = memory.map(|rows| views::<B>(rows, start, step, [self.runs.len(), count]));
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

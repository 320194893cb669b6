use std::marker::PhantomData;
use std::sync::OnceLock;

use super::translate::read_translated;
use crate::random::{Generator, try_permutation};
use crate::{Dataset, DatasetError, Receive};

/// A dataset of `size` items drawn at random from another.
///
/// The seed and the index fix each draw, so that items are the same in every epoch and for any
/// number of readers. With replacement (the default) every draw is independent. Without, the items
/// come in shuffled passes: none comes a second time before all have come once.
///
/// ```
/// use burn::data::dataset::transform::SamplerDataset;
/// use burn::data::dataset::{Dataset, InMemDataset};
///
/// let dice = InMemDataset::new(vec![1, 2, 3, 4, 5, 6]);
/// let throws = SamplerDataset::new(dice, 100);
/// assert_eq!(throws.len(), 100);
/// ```
#[derive(Clone, Debug)]
pub struct SamplerDataset<D, I> {
    dataset: D,
    size: usize,
    seed: u64,
    /// The order of each pass, when drawing without replacement; none where there is no memory for it.
    passes: Option<Vec<OnceLock<Option<Vec<usize>>>>>,
    item: PhantomData<fn() -> I>,
}

impl<D: Dataset<I>, I> SamplerDataset<D, I> {
    /// Draws `size` items with replacement, by seed 0; `size` may exceed the length.
    ///
    /// # Panics
    /// If items are asked of an empty dataset.
    #[track_caller]
    pub fn new(dataset: D, size: usize) -> Self {
        assert!(size == 0 || !dataset.is_empty(), "cannot draw {size} items from an empty dataset");
        Self { dataset, size, seed: 0, passes: None, item: PhantomData }
    }

    /// Draws `size` items without replacement, by seed 0; `size` may exceed the length.
    ///
    /// # Panics
    /// If items are asked of an empty dataset, or `size` is so many passes that there is no memory for them.
    #[track_caller]
    pub fn without_replacement(dataset: D, size: usize) -> Self {
        let mut sampler = Self::new(dataset, size);
        let (count, mut passes) = (size.div_ceil(sampler.dataset.len().max(1)), Vec::new());
        let reserved = passes.try_reserve_exact(count);
        assert!(reserved.is_ok(), "no memory is left for the order of {count} passes over the dataset");
        passes.resize_with(count, OnceLock::new);
        sampler.passes = Some(passes);
        sampler
    }

    /// Draws by another seed.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.passes.iter_mut().flatten().for_each(|pass| *pass = OnceLock::new());
        self
    }

    fn draw(&self, index: usize) -> Result<Option<usize>, DatasetError> {
        if index >= self.size {
            return Ok(None);
        }
        let items = self.dataset.len();
        let Some(pass) = index.checked_div(items) else { return Ok(None) };
        match &self.passes {
            None => Ok(Some(Generator::with_stream(self.seed, index as u64).below(items))),
            Some(passes) => {
                let Some(order) = passes.get(pass) else { return Ok(None) };
                let order = order.get_or_init(|| try_permutation(items, self.seed, pass as u64).ok());
                let order = order.as_ref().ok_or(DatasetError::TooManyItems { items })?;
                Ok(order.get(index % items).copied())
            }
        }
    }
}

impl<D: Dataset<I>, I> Dataset<I> for SamplerDataset<D, I> {
    fn get(&self, index: usize) -> Option<I> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        self.draw(index)?.map_or(Ok(None), |index| self.dataset.try_get(index))
    }

    fn read_many(&self, indices: &[usize], receive: &mut Receive<'_, I>) {
        read_translated(&self.dataset, indices, |index| self.draw(index), receive);
    }

    fn len(&self) -> usize {
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemDataset;

    fn ten() -> InMemDataset<usize> {
        (0..10).collect()
    }

    #[test]
    fn draws_with_replacement_are_even() {
        let mut counts = [0_u32; 10];
        SamplerDataset::new(ten(), 50_000).with_seed(5).iter().for_each(|item| counts[item] += 1);
        // Five standard deviations of a binomial with n = 50,000 and p = 1/10 are 336.
        assert!(counts.iter().all(|&count| count.abs_diff(5_000) < 336), "{counts:?}");
    }

    #[test]
    fn each_pass_without_replacement_is_complete() {
        let sampler = SamplerDataset::without_replacement(ten(), 25).with_seed(5);
        let drawn: Vec<usize> = sampler.iter().collect();

        assert_eq!(drawn.len(), 25);
        for pass in drawn.chunks(10) {
            let mut sorted = pass.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), pass.len());
        }
        assert_ne!(drawn[..10], drawn[10..20]);
        assert_eq!(sampler.get(25), None);
    }

    #[test]
    fn seeds_fix_the_draws() {
        for sampler in [SamplerDataset::new, SamplerDataset::without_replacement] {
            let draws = |seed| sampler(ten(), 30).with_seed(seed).iter().collect::<Vec<_>>();
            assert_eq!(draws(1), draws(1));
            assert_ne!(draws(1), draws(2));
        }
    }

    #[test]
    #[should_panic(expected = "cannot draw 3 items from an empty dataset")]
    fn an_empty_dataset_has_nothing_to_draw() {
        SamplerDataset::new(InMemDataset::<u8>::default(), 3);
    }
}

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use super::translate::read_translated;
use crate::random::{Generator, try_permutation};
use crate::{Dataset, DatasetError, Receive};

/// A dataset of `size` items drawn at random from another.
///
/// The seed and the index fix each draw, so that items are the same in every epoch and for any
/// number of readers. With replacement (the default) every draw is independent. Without, the items
/// come in shuffled passes: none comes a second time before all have come once. Draws may have weights.
///
/// PyTorch: `RandomSampler` and `WeightedRandomSampler` of `torch.utils.data`.
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
    draws: Draws,
    item: PhantomData<fn() -> I>,
}

/// How items are drawn.
#[derive(Clone, Debug)]
enum Draws {
    /// With replacement, each item as often as any other.
    Even,
    /// With replacement, in proportion to weights: the sum of the weights up to each item.
    Weighted(Arc<[f64]>),
    /// Without replacement: the order of each pass, none where there is no memory for it.
    Passes(Vec<OnceLock<Option<Vec<usize>>>>),
}

impl<D: Dataset<I>, I> SamplerDataset<D, I> {
    /// Draws `size` items with replacement, by seed 0; `size` may exceed the length.
    ///
    /// # Panics
    /// If items are asked of an empty dataset.
    #[track_caller]
    pub fn new(dataset: D, size: usize) -> Self {
        assert!(size == 0 || !dataset.is_empty(), "cannot draw {size} items from an empty dataset");
        Self { dataset, size, seed: 0, draws: Draws::Even, item: PhantomData }
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
        sampler.draws = Draws::Passes(passes);
        sampler
    }

    /// Draws `size` items with replacement, by seed 0: item `i` with the probability `weights[i] /
    /// sum(weights)`.
    ///
    /// PyTorch: `torch.utils.data.WeightedRandomSampler(weights, size)`.
    ///
    /// ```
    /// use burn::data::dataset::transform::SamplerDataset;
    /// use burn::data::dataset::{Dataset, InMemDataset};
    ///
    /// let coin = InMemDataset::new(vec!["heads", "tails"]);
    /// let throws = SamplerDataset::weighted(coin, &[3.0, 1.0], 1_000)?;
    /// let heads = throws.iter().filter(|side| *side == "heads").count();
    /// assert!((690..810).contains(&heads), "{heads}");
    /// # Ok::<(), burn::data::dataset::DatasetError>(())
    /// ```
    ///
    /// # Errors
    /// If there are not as many weights as items, one is negative or not finite, or their sum is zero or not
    /// finite.
    pub fn weighted(dataset: D, weights: &[f64], size: usize) -> Result<Self, DatasetError> {
        let refuse =
            |reason: String| Err(DatasetError::Other(format!("SamplerDataset::weighted: {reason}").into()));
        if weights.len() != dataset.len() {
            return refuse(format!(
                "expected a weight for each of {} items, got {}",
                dataset.len(),
                weights.len()
            ));
        }
        if let Some(at) = weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
            return refuse(format!("expected weights from 0 on, got {} for item {at}", weights[at]));
        }
        let mut sum = 0.0;
        let sums: Arc<[f64]> = weights
            .iter()
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        if !(sum > 0.0 && sum.is_finite()) {
            return refuse(format!("expected weights with a positive, finite sum, got {sum}"));
        }
        Ok(Self { dataset, size, seed: 0, draws: Draws::Weighted(sums), item: PhantomData })
    }

    /// Draws `size` items with replacement, by seed 0, each class as often as any other: an item has the
    /// weight `1 / (number of items of its class)`.
    ///
    /// # Errors
    /// If there are not as many labels as items, or there is no item.
    pub fn balanced(dataset: D, labels: &[usize], size: usize) -> Result<Self, DatasetError> {
        let mut counts = HashMap::new();
        labels.iter().for_each(|label| *counts.entry(label).or_insert(0.0) += 1.0);
        let weights: Vec<f64> = labels.iter().map(|label| 1.0 / counts[label]).collect();
        Self::weighted(dataset, &weights, size)
    }

    /// Draws by another seed.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        if let Draws::Passes(passes) = &mut self.draws {
            passes.iter_mut().for_each(|pass| *pass = OnceLock::new());
        }
        self
    }

    fn draw(&self, index: usize) -> Result<Option<usize>, DatasetError> {
        if index >= self.size {
            return Ok(None);
        }
        let items = self.dataset.len();
        let Some(pass) = index.checked_div(items) else { return Ok(None) };
        let mut random = Generator::with_stream(self.seed, index as u64);
        match &self.draws {
            Draws::Even => Ok(Some(random.below(items))),
            Draws::Weighted(sums) => Ok(weighted_place(sums, random.unit())),
            Draws::Passes(passes) => {
                let Some(order) = passes.get(pass) else { return Ok(None) };
                let order = order.get_or_init(|| try_permutation(items, self.seed, pass as u64).ok());
                let order = order.as_ref().ok_or(DatasetError::TooManyItems { items })?;
                Ok(order.get(index % items).copied())
            }
        }
    }
}

/// The item whose part of the sum of all weights holds the fraction `unit` of it; never one of weight 0.
fn weighted_place(sums: &[f64], unit: f64) -> Option<usize> {
    let total = *sums.last()?;
    // The product may be rounded up to the total.
    let last = sums.partition_point(|sum| *sum < total);
    Some(sums.partition_point(|sum| *sum <= unit * total).min(last))
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
    fn draws_with_weights_are_in_proportion_to_them() {
        let weights = [0.0, 1.0, 0.0, 2.0, 5.0, 0.0];
        let items: InMemDataset<usize> = (0..6).collect();
        let mut counts = [0_u32; 6];
        let sampler = SamplerDataset::weighted(items.clone(), &weights, 80_000).unwrap().with_seed(5);
        sampler.iter().for_each(|item| counts[item] += 1);
        // Five standard deviations of a binomial with n = 80,000 and p = 5/8 are 685.
        for (count, weight) in counts.into_iter().zip(weights) {
            assert!((f64::from(count) - 10_000.0 * weight).abs() < 685.0, "{counts:?}");
        }
        assert_eq!((counts[0], counts[2], counts[5]), (0, 0, 0));
        // The ends of the interval.
        let sums = [0.0, 1.0, 1.0, 3.0, 8.0, 8.0];
        let places = [0.0, 0.124, 0.125, 0.374, 0.375, 0.999, 1.0].map(|unit| weighted_place(&sums, unit));
        assert_eq!(places, [1, 1, 3, 3, 4, 4, 4].map(Some));
        for (weights, words) in [
            (&[1.0; 5][..], "each of 6 items, got 5"),
            (&[1.0, 1.0, -1.0, 1.0, 1.0, 1.0], "-1 for item 2"),
            (&[f64::NAN; 6], "NaN for item 0"),
            (&[0.0; 6], "finite sum, got 0"),
            (&[f64::MAX; 6], "finite sum, got inf"),
        ] {
            let error = SamplerDataset::weighted(items.clone(), weights, 1).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn classes_of_any_size_are_drawn_as_often_when_balanced() {
        let labels = [7, 7, 7, 7, 7, 7, 7, 7, 7, 2];
        let sampler = SamplerDataset::balanced(ten(), &labels, 10_000).unwrap();
        let rare = sampler.iter().filter(|item| *item == 9).count();
        // Five standard deviations of a binomial with n = 10,000 and p = 1/2 are 250.
        assert!(rare.abs_diff(5_000) < 250, "{rare}");
        assert!(SamplerDataset::balanced(ten(), &labels[1..], 1).is_err());
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

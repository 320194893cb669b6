use std::fmt;
use std::sync::Arc;

use crate::Dataset;
use crate::random::Generator;

/// A dataset of `size` items that are generated from random numbers when they are read.
///
/// Item `i` is made with numbers of its own, which depend on the seed and on `i` alone, so an index gives the
/// same item every time and from any thread. Numbers that change from epoch to epoch are those of
/// [`DataLoaderBuilder::augment`](crate::dataloader::DataLoaderBuilder::augment).
///
/// ```
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::transform::RngDataset;
///
/// // Points and whether they lie in the unit circle.
/// let points = RngDataset::new(1_000, 42, |random| {
///     let (x, y) = (random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
///     (x, y, x * x + y * y < 1.0)
/// });
/// assert_eq!(points.get(7), points.get(7));
/// assert_ne!(points.get(7), points.get(8));
/// ```
pub struct RngDataset<I> {
    size: usize,
    seed: u64,
    generate: Arc<dyn Fn(&mut Generator) -> I + Send + Sync>,
}

impl<I> RngDataset<I> {
    /// Generates `size` items by `seed` with `generate`.
    pub fn new<F>(size: usize, seed: u64, generate: F) -> Self
    where
        F: Fn(&mut Generator) -> I + Send + Sync + 'static,
    {
        Self { size, seed, generate: Arc::new(generate) }
    }
}

impl<I> Clone for RngDataset<I> {
    fn clone(&self) -> Self {
        Self { size: self.size, seed: self.seed, generate: Arc::clone(&self.generate) }
    }
}

impl<I> fmt::Debug for RngDataset<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("RngDataset");
        debug.field("size", &self.size).field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl<I> Dataset<I> for RngDataset<I> {
    fn get(&self, index: usize) -> Option<I> {
        (index < self.size).then(|| (self.generate)(&mut Generator::with_stream(self.seed, index as u64)))
    }

    fn len(&self) -> usize {
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_depend_on_the_seed_and_the_index_alone() {
        let dataset = |seed| RngDataset::new(50, seed, |random| random.next_u64());
        let items: Vec<u64> = dataset(1).iter().collect();
        assert_eq!(items, dataset(1).clone().iter().collect::<Vec<_>>());
        assert_ne!(items, dataset(2).iter().collect::<Vec<_>>());
        assert_eq!(dataset(1).get(49), Some(items[49]));
        assert_eq!(dataset(1).get(50), None);
    }
}

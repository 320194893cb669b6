use std::sync::Arc;

use super::SelectionDataset;
use crate::random::try_permutation;
use crate::{Dataset, DatasetError};

/// Cuts of a dataset into parts that share no item: by fractions, or in folds for cross-validation.
///
/// The parts are [`SelectionDataset`]s and read nothing before they are asked; each index takes eight bytes.
///
/// ```
/// use burn::data::dataset::transform::SplitDataset;
/// use burn::data::dataset::{Dataset, InMemDataset};
///
/// let digits: InMemDataset<u32> = (0..100).collect();
/// let [train, valid, test] = SplitDataset::shuffled(digits, 42)?.fractions([0.8, 0.1, 0.1])?;
/// assert_eq!((train.len(), valid.len(), test.len()), (80, 10, 10));
/// # Ok::<(), burn::data::dataset::DatasetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SplitDataset<D> {
    dataset: Arc<D>,
    order: Vec<usize>,
}

/// A part of a [`SplitDataset`].
pub type Part<D, I> = SelectionDataset<Arc<D>, I>;

/// A fold of cross-validation: what a model is trained on, and what it is validated on.
#[derive(Clone, Debug)]
pub struct Fold<D, I> {
    /// All items but those of `valid`.
    pub train: Part<D, I>,
    /// One of `k` parts, whose lengths differ by at most one.
    pub valid: Part<D, I>,
}

impl<D> SplitDataset<D> {
    /// Splits the items in the order of the dataset.
    pub fn in_order<I>(dataset: D) -> Self
    where
        D: Dataset<I>,
    {
        let order = (0..dataset.len()).collect();
        Self { dataset: Arc::new(dataset), order }
    }

    /// Splits the items in the random order of `seed`: [`permutation`](crate::random::permutation)`(len,
    /// seed, 0)`.
    ///
    /// # Errors
    /// If there is no memory for the order.
    pub fn shuffled<I>(dataset: D, seed: u64) -> Result<Self, DatasetError>
    where
        D: Dataset<I>,
    {
        let order = try_permutation(dataset.len(), seed, 0)?;
        Ok(Self { dataset: Arc::new(dataset), order })
    }

    /// Cuts the items into parts in proportion to `fractions`, whose sum is 1.
    ///
    /// Part `i` ends at item `round(len * (fractions[0] + .. + fractions[i]))`. PyTorch:
    /// `torch.utils.data.random_split`.
    ///
    /// # Errors
    /// If a fraction is negative or not finite, or their sum differs from 1 by more than `1e-6`.
    pub fn fractions<I, const N: usize>(&self, fractions: [f64; N]) -> Result<[Part<D, I>; N], DatasetError>
    where
        D: Dataset<I>,
    {
        let sum: f64 = fractions.iter().sum();
        if fractions.iter().any(|fraction| !(fraction.is_finite() && *fraction >= 0.0))
            || (sum - 1.0).abs() > 1e-6
        {
            let reason =
                format!("SplitDataset: fractions are not negative and have the sum 1; got {fractions:?}");
            return Err(DatasetError::Other(reason.into()));
        }
        let len = self.order.len();
        let (mut start, mut reached) = (0, 0.0);
        Ok(std::array::from_fn(|part| {
            reached += fractions[part];
            let rounded = ((len as f64 * reached).round() as usize).clamp(start, len);
            let end = if part + 1 == N { len } else { rounded };
            let range = start..end;
            start = end;
            SelectionDataset::of_valid(Arc::clone(&self.dataset), &self.order[range])
        }))
    }

    /// Cuts the items into `k` parts and returns a fold for each: the part to validate on, and all others to
    /// train on.
    ///
    /// ```
    /// use burn::data::dataset::transform::SplitDataset;
    /// use burn::data::dataset::{Dataset, InMemDataset};
    ///
    /// let folds = SplitDataset::in_order((0..5).collect::<InMemDataset<i32>>()).k_fold(2)?;
    /// assert_eq!(folds[0].valid.iter().collect::<Vec<_>>(), [0, 1, 2]);
    /// assert_eq!(folds[0].train.iter().collect::<Vec<_>>(), [3, 4]);
    /// # Ok::<(), burn::data::dataset::DatasetError>(())
    /// ```
    ///
    /// scikit-learn: `KFold`, whose first `len % k` folds have one item more, as here.
    ///
    /// # Errors
    /// If `k` is less than 2 or more than the number of items.
    pub fn k_fold<I>(&self, k: usize) -> Result<Vec<Fold<D, I>>, DatasetError>
    where
        D: Dataset<I>,
    {
        let len = self.order.len();
        if k < 2 || k > len {
            let reason =
                format!("SplitDataset: k folds of {len} items; expected 2 <= k <= {len}, got k = {k}");
            return Err(DatasetError::Other(reason.into()));
        }
        let select = |indices: &[usize]| SelectionDataset::of_valid(Arc::clone(&self.dataset), indices);
        let start = |fold: usize| fold * (len / k) + fold.min(len % k);
        let folds = (0..k).map(|fold| {
            let (before, after) = (&self.order[..start(fold)], &self.order[start(fold + 1)..]);
            Fold {
                train: select(&[before, after].concat()),
                valid: select(&self.order[start(fold)..start(fold + 1)]),
            }
        });
        Ok(folds.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemDataset;

    fn numbers(len: usize) -> InMemDataset<usize> {
        (0..len).collect()
    }

    #[test]
    fn parts_hold_every_item_once() {
        for len in [0, 1, 7, 100] {
            let split = SplitDataset::shuffled(numbers(len), 3).unwrap();
            let parts: [_; 3] = split.fractions([0.5, 0.2, 0.3]).unwrap();
            let mut items: Vec<usize> = parts.iter().flat_map(|part| part.iter()).collect();
            items.sort_unstable();
            assert_eq!(items, (0..len).collect::<Vec<_>>());
        }
    }

    #[test]
    fn fractions_that_are_no_split_are_refused() {
        let split = SplitDataset::in_order(numbers(10));
        for fractions in [[0.5, 0.4], [1.5, -0.5], [f64::NAN, 1.0], [f64::INFINITY, 0.0]] {
            assert!(split.fractions::<usize, 2>(fractions).is_err(), "{fractions:?}");
        }
        assert!(split.fractions::<usize, 0>([]).is_err());
    }

    #[test]
    fn folds_are_those_of_scikit_learn() {
        // KFold(n_splits=3).split(range(8)): the test indices.
        let folds = SplitDataset::in_order(numbers(8)).k_fold(3).unwrap();
        let valid: Vec<Vec<usize>> = folds.iter().map(|fold| fold.valid.iter().collect()).collect();
        assert_eq!(valid, [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7]]);
        assert_eq!(folds[1].train.iter().collect::<Vec<_>>(), [0, 1, 2, 6, 7]);
        for k in [0, 1, 9] {
            let error = SplitDataset::in_order(numbers(8)).k_fold::<usize>(k).unwrap_err().to_string();
            assert!(error.contains(&format!("got k = {k}")), "{error}");
        }
    }
}

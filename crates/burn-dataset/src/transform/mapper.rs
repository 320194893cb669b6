use std::marker::PhantomData;

use crate::{Dataset, DatasetError, Receive};

/// A function from one item to another, applied when the item is read.
///
/// Every function and closure of the right type is one; a type that needs settings or docs
/// implements the trait.
pub trait Mapper<I, O>: Send + Sync {
    /// Makes the new item.
    fn map(&self, item: &I) -> O;
}

impl<I, O, F: Fn(&I) -> O + Send + Sync> Mapper<I, O> for F {
    fn map(&self, item: &I) -> O {
        self(item)
    }
}

/// A dataset whose items are made from those of another.
///
/// ```
/// use burn::data::dataset::transform::MapperDataset;
/// use burn::data::dataset::{Dataset, InMemDataset};
///
/// let words = InMemDataset::new(vec!["a", "bcd"]);
/// let lengths = MapperDataset::new(words, |word: &&str| word.len());
/// assert_eq!(lengths.iter().collect::<Vec<_>>(), [1, 3]);
/// ```
#[derive(Clone, Debug)]
pub struct MapperDataset<D, M, I> {
    dataset: D,
    mapper: M,
    item: PhantomData<fn() -> I>,
}

impl<D, M, I> MapperDataset<D, M, I> {
    /// Applies `mapper` to every item of `dataset`.
    pub fn new(dataset: D, mapper: M) -> Self {
        Self { dataset, mapper, item: PhantomData }
    }
}

impl<I, O, D: Dataset<I>, M: Mapper<I, O>> Dataset<O> for MapperDataset<D, M, I> {
    fn get(&self, index: usize) -> Option<O> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<O>, DatasetError> {
        Ok(self.dataset.try_get(index)?.map(|item| self.mapper.map(&item)))
    }

    fn read_many(&self, indices: &[usize], receive: &mut Receive<'_, O>) {
        self.dataset.read_many(indices, &mut |item| {
            receive(item.map(|item| item.map(|item| self.mapper.map(&item))))
        });
    }

    fn len(&self) -> usize {
        self.dataset.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemDataset;

    #[derive(Debug)]
    struct Scale(f32);

    impl Mapper<u8, f32> for Scale {
        fn map(&self, item: &u8) -> f32 {
            f32::from(*item) * self.0
        }
    }

    #[test]
    fn a_type_can_be_a_mapper() {
        let scaled = MapperDataset::new(InMemDataset::new(vec![1_u8, 2]), Scale(0.5));
        assert_eq!(scaled.iter().collect::<Vec<_>>(), [0.5, 1.0]);
        assert_eq!(scaled.get(2), None);
    }
}

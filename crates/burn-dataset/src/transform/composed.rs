use crate::{Dataset, DatasetError};
use derive_new::new;

/// Several datasets, one after the other.
///
/// ```
/// use burn::data::dataset::transform::ComposedDataset;
/// use burn::data::dataset::{Dataset, InMemDataset};
///
/// let parts = vec![InMemDataset::new(vec![1, 2]), InMemDataset::new(vec![3])];
/// let all = ComposedDataset::new(parts);
/// assert_eq!(all.iter().collect::<Vec<_>>(), [1, 2, 3]);
/// ```
#[derive(Clone, Debug, new)]
pub struct ComposedDataset<D> {
    parts: Vec<D>,
}

impl<I, D: Dataset<I>> Dataset<I> for ComposedDataset<D> {
    fn get(&self, index: usize) -> Option<I> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        let mut within = index;
        for part in &self.parts {
            let len = part.len();
            if within < len {
                return part.try_get(within);
            }
            within -= len;
        }
        Ok(None)
    }

    fn len(&self) -> usize {
        self.parts.iter().map(D::len).fold(0, usize::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InMemDataset;

    #[test]
    fn empty_parts_are_passed_over() {
        let parts = [vec![], vec![1], vec![], vec![2, 3], vec![]];
        let all = ComposedDataset::new(parts.into_iter().map(InMemDataset::new).collect());

        assert_eq!(all.iter().collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(all.len(), 3);
        assert_eq!(all.get(3), None);
    }
}

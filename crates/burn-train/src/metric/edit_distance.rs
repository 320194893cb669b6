use super::{FormatOptions, MetricEntry, NumericMetricState, TextInput};

/// Edits by length of the references, in percent, over an epoch.
#[derive(Clone, Debug, Default)]
pub(super) struct EditRate(NumericMetricState);

impl EditRate {
    /// Adds a batch of texts, each as its units.
    pub(super) fn update<'a, T: PartialEq>(
        &mut self,
        input: &'a TextInput,
        name: &str,
        units: impl Fn(&'a str) -> Vec<T>,
    ) -> MetricEntry {
        let (mut edits, mut length) = (0, 0);
        for (prediction, reference) in input.predictions.iter().zip(&input.references) {
            let (prediction, reference) = (units(prediction), units(reference));
            edits += edit_distance(&prediction, &reference);
            length += reference.len();
        }
        let rate = 100.0 * edits as f64 / length as f64;
        self.0.update(rate, length, FormatOptions::new(name).unit("%").precision(2))
    }

    pub(super) fn value(&self) -> f64 {
        self.0.value()
    }

    pub(super) fn clear(&mut self) {
        self.0.reset();
    }
}

/// Counts the insertions, deletions and substitutions that make one sequence of the other (Levenshtein 1966),
/// in `O(lhs * rhs)` time and `O(rhs)` memory.
fn edit_distance<T: PartialEq>(lhs: &[T], rhs: &[T]) -> usize {
    let mut row: Vec<usize> = (0..=rhs.len()).collect();
    for (at, left) in lhs.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, right) in rhs.iter().enumerate() {
            let substituted = diagonal + usize::from(left != right);
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[rhs.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_known_words() {
        let distance = |lhs: &str, rhs: &str| edit_distance(lhs.as_bytes(), rhs.as_bytes());
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("sunday", "saturday"), 3);
        assert_eq!((distance("", "abc"), distance("abc", ""), distance("", "")), (3, 3, 0));
    }
}

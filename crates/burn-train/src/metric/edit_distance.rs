use super::counted::sum_parts;
use super::{FormatOptions, MetricEntry, NumericEntry, TextInput};

/// Edits by length of the references, in percent, over an epoch.
#[derive(Clone, Debug, Default)]
pub(super) struct EditRate {
    edits: f64,
    length: f64,
}

impl EditRate {
    /// Counts the edits of a batch of texts, each given by its units, and the units of the references.
    pub(super) fn count<'a, T: PartialEq>(
        input: &'a TextInput,
        units: impl Fn(&'a str) -> Vec<T>,
    ) -> Vec<f64> {
        let (mut edits, mut length) = (0, 0);
        for (prediction, reference) in input.predictions.iter().zip(&input.references) {
            let (prediction, reference) = (units(prediction), units(reference));
            edits += edit_distance(&prediction, &reference);
            length += reference.len();
        }
        vec![edits as f64, length as f64]
    }

    /// Adds a batch by the counts of its parts.
    pub(super) fn add(&mut self, parts: &[Vec<f64>], name: &str) -> MetricEntry {
        let [edits, length] = sum_parts(parts);
        self.edits += edits;
        self.length += length;
        let batch = NumericEntry { value: 100.0 * edits / length, count: length as usize };
        let format = FormatOptions::new(name).unit("%").precision(2);
        MetricEntry::numeric(&format, self.value(), batch)
    }

    pub(super) fn value(&self) -> f64 {
        100.0 * self.edits / self.length
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Implements the traits of a metric with a field `rate: EditRate`, which compares texts by their units.
macro_rules! edit_rate_metric {
    ($metric:ident, $name:literal, $units:expr) => {
        impl Metric for $metric {
            type Input = TextInput;

            fn update(&mut self, input: &TextInput, _metadata: &MetricMetadata) -> MetricEntry {
                let counts = self.count(input);
                self.add(&[counts])
            }

            fn name(&self) -> Option<String> {
                Some($name.to_string())
            }

            fn direction(&self) -> Option<Direction> {
                Some(Direction::Lowest)
            }

            fn clear(&mut self) {
                self.rate.clear();
            }

            fn as_counted(&mut self) -> Option<&mut dyn CountedMetric<Self::Input>> {
                Some(self)
            }
        }

        impl CountedMetric<TextInput> for $metric {
            fn count(&self, input: &TextInput) -> Vec<f64> {
                EditRate::count(input, $units)
            }

            fn add(&mut self, parts: &[Vec<f64>]) -> MetricEntry {
                self.rate.add(parts, $name)
            }
        }

        impl Numeric for $metric {
            fn value(&self) -> f64 {
                self.rate.value()
            }
        }
    };
}

pub(super) use edit_rate_metric;

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

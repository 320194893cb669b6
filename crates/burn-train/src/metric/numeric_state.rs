use super::{FormatOptions, MetricEntry, NumericEntry};

/// The running mean of a number, weighted by what each batch counts.
///
/// After batches with values `v` and counts `n` it is `sum(v * n) / sum(n)`.
///
/// ```
/// use burn::train::metric::{FormatOptions, NumericMetricState};
///
/// let mut state = NumericMetricState::new();
/// let options = || FormatOptions::new("Accuracy").unit("%").precision(1);
/// state.update(100.0, 1, options());
/// let entry = state.update(50.0, 3, options());
///
/// assert_eq!(state.value(), 62.5);
/// assert_eq!(entry.formatted, "62.5 %");
/// assert_eq!(entry.serialized, "50,3");
/// ```
#[derive(Clone, Debug, Default)]
pub struct NumericMetricState {
    sum: f64,
    count: usize,
    current: f64,
}

impl NumericMetricState {
    /// Starts with no batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in the mean `value` of `count` things, and returns the mean of all.
    pub fn update(&mut self, value: f64, count: usize, format: FormatOptions) -> MetricEntry {
        if count > 0 {
            self.sum += value * count as f64;
            self.count += count;
            self.current = value;
        }
        let serialized = NumericEntry { value, count }.to_string();
        MetricEntry::new(format.name(), format.format(self.value()), serialized)
    }

    /// Forgets all batches.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Returns the mean over all batches; NaN before the first.
    pub fn value(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.sum / self.count as f64 }
    }

    /// Returns the value of the last batch that counted.
    pub fn current(&self) -> f64 {
        self.current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_that_counts_nothing_changes_nothing() {
        let mut state = NumericMetricState::new();
        assert!(state.value().is_nan());
        state.update(2.0, 4, FormatOptions::new("x"));
        let entry = state.update(f64::NAN, 0, FormatOptions::new("x"));
        assert_eq!((state.value(), state.current()), (2.0, 2.0));
        assert_eq!(entry.serialized, "NaN,0");
    }

    #[test]
    fn reset_starts_anew() {
        let mut state = NumericMetricState::new();
        state.update(2.0, 4, FormatOptions::new("x"));
        state.reset();
        state.update(5.0, 1, FormatOptions::new("x"));
        assert_eq!(state.value(), 5.0);
    }
}

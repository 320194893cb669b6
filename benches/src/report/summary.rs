//! The whole report in one sentence.

use super::{PYTORCH, Report, Unit};

/// The target of the geometric mean.
const MEAN_AT_MOST: f64 = 0.6;

/// Rows with a target: how many meet it, and the mean of their ratios to PyTorch.
#[derive(Debug, PartialEq)]
pub(super) struct Summary {
    pub(super) met: usize,
    /// Rows with a target that can be judged.
    pub(super) bars: usize,
    /// The geometric mean of the times of rows with a target, divided by PyTorch's.
    pub(super) mean: Option<f64>,
}

impl Report {
    pub(super) fn summary(&self) -> Summary {
        let judged: Vec<bool> = self.ours().filter_map(|(measured, row)| measured.met(row)).collect();
        let timed =
            self.ours().filter(|(measured, row)| measured.unit == Unit::Nanoseconds && row.at_most.is_some());
        let ratios: Vec<f64> = timed.filter_map(|(measured, row)| measured.ratio(row, PYTORCH)).collect();
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        Summary {
            met: judged.iter().filter(|&&met| met).count(),
            bars: judged.len(),
            mean: (!ratios.is_empty()).then(|| (logarithms / ratios.len() as f64).exp()),
        }
    }
}

impl Summary {
    /// Nothing, where nothing can be judged.
    pub(super) fn sentence(&self) -> Option<String> {
        let mean = self.mean?;
        let met = if mean <= MEAN_AT_MOST { "met" } else { "missed" };
        Some(format!(
            "{} of {} targets met; geometric mean of the times with a target, ours / PyTorch: {mean:.3} (at most {MEAN_AT_MOST}: {met})",
            self.met, self.bars
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::example;
    use super::*;

    #[test]
    fn the_geometric_mean_is_that_of_the_times_with_a_bar() {
        let summary = example().summary();
        // The square root of 0.5 times 2; memory and the row without a target do not count.
        assert!((summary.mean.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!((summary.met, summary.bars), (2, 3));
        assert!(summary.sentence().unwrap().starts_with("2 of 3 targets met"));
        assert!(summary.sentence().unwrap().ends_with("1.000 (at most 0.6: missed)"));
    }

    #[test]
    fn without_baselines_there_is_no_sentence() {
        assert_eq!(Report::default().summary().sentence(), None);
    }
}

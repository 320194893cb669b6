use std::sync::OnceLock;

use super::row::{MeasuredRow, unpack};
use crate::Dataset;

const FILE: &[u8] = include_bytes!("data/diabetes.csv.gz");

/// Diabetes patients inside the program: 442 rows of 10 measurements, and how far the disease came within a
/// year.
///
/// The features are as measured: age in years, sex (1 or 2), body-mass index, mean blood pressure, and six
/// values of the blood serum. scikit-learn's `load_diabetes(scaled=False)`. The target lies between 25 and
/// 346.
///
/// B. Efron, T. Hastie, I. Johnstone and R. Tibshirani, *Least angle regression*, 2004. Licences: see the
/// `README.md` beside the data.
///
/// ```
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::tabular::DiabetesDataset;
///
/// let first = DiabetesDataset.get(0).unwrap();
/// assert_eq!(first.features, [59.0, 2.0, 32.1, 101.0, 157.0, 93.2, 38.0, 4.0, 4.8598, 87.0]);
/// assert_eq!(first.target, 151.0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct DiabetesDataset;

impl DiabetesDataset {
    /// The names of the features.
    pub const FEATURES: [&'static str; 10] = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"];
}

impl Dataset<MeasuredRow<10>> for DiabetesDataset {
    fn get(&self, index: usize) -> Option<MeasuredRow<10>> {
        rows().get(index).cloned()
    }

    fn len(&self) -> usize {
        rows().len()
    }
}

/// Returns all rows, unpacked at the first call.
fn rows() -> &'static [MeasuredRow<10>] {
    static ROWS: OnceLock<Vec<MeasuredRow<10>>> = OnceLock::new();
    ROWS.get_or_init(|| unpack(FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patients_are_those_of_the_paper() {
        assert_eq!(DiabetesDataset.len(), 442);
        let targets: Vec<f64> = DiabetesDataset.iter().map(|row| row.target.into()).collect();
        assert_eq!(targets.iter().copied().fold(f64::INFINITY, f64::min), 25.0);
        assert_eq!(targets.iter().copied().fold(0.0, f64::max), 346.0);
        // Mean and standard deviation of the response that the paper's tables are made of: 152.13 and 77.09.
        let mean = targets.iter().sum::<f64>() / 442.0;
        let variance = targets.iter().map(|target| (target - mean).powi(2)).sum::<f64>() / 441.0;
        assert!((mean - 152.133_484).abs() < 1e-5, "{mean}");
        assert!((variance.sqrt() - 77.093).abs() < 1e-3, "{variance}");
    }
}

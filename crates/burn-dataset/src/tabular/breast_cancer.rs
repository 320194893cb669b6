use std::sync::OnceLock;

use super::row::{LabelledRow, MeasuredRow, unpack};
use crate::Dataset;

const FILE: &[u8] = include_bytes!("data/breast_cancer.csv.gz");

/// Breast tumours inside the program: 569 rows of 30 measurements of cell nuclei, malignant (0) or benign
/// (1).
///
/// W. Wolberg, O. Mangasarian, N. Street and W. Street, *Breast Cancer Wisconsin (Diagnostic)*, 1995.
/// Licences: see the `README.md` beside the data.
///
/// ```
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::tabular::BreastCancerDataset;
///
/// let first = BreastCancerDataset.get(0).unwrap();
/// assert_eq!(first.features[0], 17.99);
/// assert_eq!(BreastCancerDataset::CLASSES[first.label], "malignant");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct BreastCancerDataset;

impl BreastCancerDataset {
    /// The names of the features.
    pub const FEATURES: [&'static str; 30] = [
        "mean radius",
        "mean texture",
        "mean perimeter",
        "mean area",
        "mean smoothness",
        "mean compactness",
        "mean concavity",
        "mean concave points",
        "mean symmetry",
        "mean fractal dimension",
        "radius error",
        "texture error",
        "perimeter error",
        "area error",
        "smoothness error",
        "compactness error",
        "concavity error",
        "concave points error",
        "symmetry error",
        "fractal dimension error",
        "worst radius",
        "worst texture",
        "worst perimeter",
        "worst area",
        "worst smoothness",
        "worst compactness",
        "worst concavity",
        "worst concave points",
        "worst symmetry",
        "worst fractal dimension",
    ];

    /// The names of the classes; a label is a position in this list.
    pub const CLASSES: [&'static str; 2] = ["malignant", "benign"];
}

impl Dataset<LabelledRow<30>> for BreastCancerDataset {
    fn get(&self, index: usize) -> Option<LabelledRow<30>> {
        rows().get(index).cloned()
    }

    fn len(&self) -> usize {
        rows().len()
    }
}

/// Returns all rows, unpacked at the first call.
fn rows() -> &'static [LabelledRow<30>] {
    static ROWS: OnceLock<Vec<LabelledRow<30>>> = OnceLock::new();
    ROWS.get_or_init(|| unpack(FILE).into_iter().map(MeasuredRow::labelled).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tumours_are_those_that_scikit_learn_describes() {
        assert_eq!(BreastCancerDataset.len(), 569);
        assert_eq!(BreastCancerDataset.iter().filter(|row| row.label == 0).count(), 212);
        assert_eq!(BreastCancerDataset.iter().filter(|row| row.label == 1).count(), 357);
        // Minimum and maximum of the mean radius, the mean texture and the worst radius in its description.
        for (feature, least, most) in [(0, 6.981, 28.11), (1, 9.71, 39.28), (20, 7.93, 36.04)] {
            let values: Vec<f32> = BreastCancerDataset.iter().map(|row| row.features[feature]).collect();
            assert_eq!(values.iter().copied().fold(f32::INFINITY, f32::min), least);
            assert_eq!(values.iter().copied().fold(0.0, f32::max), most);
        }
    }
}

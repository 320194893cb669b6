use std::sync::OnceLock;

use super::row::{LabelledRow, MeasuredRow, unpack};
use crate::Dataset;

const FILE: &[u8] = include_bytes!("data/iris.csv.gz");

/// Iris flowers inside the program: 150 rows of 4 measurements, 50 flowers of each of three species.
///
/// R. A. Fisher, *The use of multiple measurements in taxonomic problems*, 1936. Licences: see the
/// `README.md` beside the data.
///
/// ```
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::tabular::IrisDataset;
///
/// let first = IrisDataset.get(0).unwrap();
/// assert_eq!(first.features, [5.1, 3.5, 1.4, 0.2]);
/// assert_eq!(IrisDataset::CLASSES[first.label], "setosa");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct IrisDataset;

impl IrisDataset {
    /// The names of the features.
    pub const FEATURES: [&'static str; 4] =
        ["sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"];

    /// The names of the classes; a label is a position in this list.
    pub const CLASSES: [&'static str; 3] = ["setosa", "versicolor", "virginica"];
}

impl Dataset<LabelledRow<4>> for IrisDataset {
    fn get(&self, index: usize) -> Option<LabelledRow<4>> {
        rows().get(index).cloned()
    }

    fn len(&self) -> usize {
        rows().len()
    }
}

/// Returns all rows, unpacked at the first call.
fn rows() -> &'static [LabelledRow<4>] {
    static ROWS: OnceLock<Vec<LabelledRow<4>>> = OnceLock::new();
    ROWS.get_or_init(|| unpack(FILE).into_iter().map(MeasuredRow::labelled).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flowers_are_those_that_scikit_learn_describes() {
        assert_eq!(IrisDataset.len(), 150);
        // Minimum, maximum and mean of its description, as they are printed there.
        for (feature, (least, most, mean)) in
            [(4.3, 7.9, 5.84), (2.0, 4.4, 3.05), (1.0, 6.9, 3.76), (0.1, 2.5, 1.20)].into_iter().enumerate()
        {
            let values: Vec<f32> = IrisDataset.iter().map(|row| row.features[feature]).collect();
            assert_eq!(values.iter().copied().fold(f32::INFINITY, f32::min), least);
            assert_eq!(values.iter().copied().fold(0.0, f32::max), most);
            // The description cuts the mean of 3.0573 to 3.05.
            assert!((values.iter().sum::<f32>() / 150.0 - mean).abs() < 0.01, "{feature}");
        }
        for class in 0..3 {
            assert_eq!(IrisDataset.iter().filter(|row| row.label == class).count(), 50);
        }
    }
}

use std::sync::OnceLock;

use super::row::{LabelledRow, MeasuredRow, unpack};
use crate::Dataset;

const FILE: &[u8] = include_bytes!("data/wine.csv.gz");

/// Italian wines inside the program: 178 rows of 13 chemical measurements, from three growers.
///
/// S. Aeberhard and M. Forina, *Wine*, UCI Machine Learning Repository, 1992. Licences: see the `README.md`
/// beside the data.
///
/// ```
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::tabular::WineDataset;
///
/// let first = WineDataset.get(0).unwrap();
/// assert_eq!(first.features[0], 14.23);
/// assert_eq!(WineDataset::FEATURES[0], "alcohol");
/// assert_eq!(WineDataset::CLASSES[first.label], "class_0");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WineDataset;

impl WineDataset {
    /// The names of the features.
    pub const FEATURES: [&'static str; 13] = [
        "alcohol",
        "malic acid",
        "ash",
        "alcalinity of ash",
        "magnesium",
        "total phenols",
        "flavanoids",
        "nonflavanoid phenols",
        "proanthocyanins",
        "color intensity",
        "hue",
        "OD280/OD315 of diluted wines",
        "proline",
    ];

    /// The names of the classes; a label is a position in this list.
    pub const CLASSES: [&'static str; 3] = ["class_0", "class_1", "class_2"];
}

impl Dataset<LabelledRow<13>> for WineDataset {
    fn get(&self, index: usize) -> Option<LabelledRow<13>> {
        rows().get(index).cloned()
    }

    fn len(&self) -> usize {
        rows().len()
    }
}

/// Returns all rows, unpacked at the first call.
fn rows() -> &'static [LabelledRow<13>] {
    static ROWS: OnceLock<Vec<LabelledRow<13>>> = OnceLock::new();
    ROWS.get_or_init(|| unpack(FILE).into_iter().map(MeasuredRow::labelled).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wines_are_those_that_scikit_learn_describes() {
        assert_eq!(WineDataset.len(), 178);
        let counts = [0, 1, 2].map(|class| WineDataset.iter().filter(|row| row.label == class).count());
        assert_eq!(counts, [59, 71, 48]);
        // Minimum, maximum and mean of alcohol, magnesium and proline in its description, which cuts 746.9 to
        // 746.
        for (feature, least, most, mean) in
            [(0, 11.0, 14.8, 13.0), (4, 70.0, 162.0, 99.7), (12, 278.0, 1680.0, 746.9)]
        {
            let values: Vec<f32> = WineDataset.iter().map(|row| row.features[feature]).collect();
            let near = |value: f32, printed: f32| (value - printed).abs() < 0.06 + printed / 1000.0;
            assert!(near(values.iter().copied().fold(f32::INFINITY, f32::min), least), "{feature}");
            assert!(near(values.iter().copied().fold(0.0, f32::max), most), "{feature}");
            assert!(near(values.iter().sum::<f32>() / 178.0, mean), "{feature}");
        }
    }
}

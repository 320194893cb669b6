use std::path::{Path, PathBuf};

use burn::data::dataset::{Dataset, DatasetError, InMemDataset};
use serde::{Deserialize, Serialize};

// ANCHOR: item
/// A row of the file: ten measurements of a patient, and how far the disease came within a year.
#[derive(Deserialize, Serialize, Clone, Debug, PartialEq)]
pub struct Patient {
    /// Age in years.
    #[serde(rename = "AGE")]
    pub age: u8,
    /// 1 or 2.
    #[serde(rename = "SEX")]
    pub sex: u8,
    /// Body-mass index.
    #[serde(rename = "BMI")]
    pub bmi: f32,
    /// Mean blood pressure.
    #[serde(rename = "BP")]
    pub blood_pressure: f32,
    /// Total cholesterol.
    #[serde(rename = "S1")]
    pub tc: f32,
    /// Low-density lipoproteins.
    #[serde(rename = "S2")]
    pub ldl: f32,
    /// High-density lipoproteins.
    #[serde(rename = "S3")]
    pub hdl: f32,
    /// Total cholesterol over HDL.
    #[serde(rename = "S4")]
    pub tch: f32,
    /// Logarithm of serum triglycerides.
    #[serde(rename = "S5")]
    pub ltg: f32,
    /// Blood sugar.
    #[serde(rename = "S6")]
    pub glucose: f32,
    /// Progression of the disease one year later.
    #[serde(rename = "Y")]
    pub progression: f32,
}
// ANCHOR_END: item

impl Patient {
    /// The number of measurements.
    pub const FEATURES: usize = 10;

    /// Returns the features, in the order of the columns.
    pub fn features(&self) -> [f32; Self::FEATURES] {
        [
            f32::from(self.age),
            f32::from(self.sex),
            self.bmi,
            self.blood_pressure,
            self.tc,
            self.ldl,
            self.hdl,
            self.tch,
            self.ltg,
            self.glucose,
        ]
    }
}

// ANCHOR: dataset
/// The patients of a file, in memory.
#[derive(Clone, Debug)]
pub struct PatientsDataset {
    rows: InMemDataset<Patient>,
}

impl PatientsDataset {
    /// Reads a file whose columns are separated by tabs, with a header.
    ///
    /// # Errors
    /// If the file cannot be read or a row is no patient; the error names the file and the line.
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        let mut reader = csv::ReaderBuilder::new();
        let rows = InMemDataset::from_csv(path, reader.delimiter(b'\t'))?;
        Ok(Self { rows })
    }
}

impl Dataset<Patient> for PatientsDataset {
    fn get(&self, index: usize) -> Option<Patient> {
        self.rows.get(index)
    }

    fn len(&self) -> usize {
        self.rows.len()
    }
}
// ANCHOR_END: dataset

/// Returns the path of the file that comes with this example.
pub fn embedded_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/diabetes.tsv")
}

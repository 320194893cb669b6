//! Rows of measurements with a number to predict.

use std::path::Path;

use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::tabular::DiabetesDataset;
use burn::data::dataset::{Dataset, DatasetError, InMemDataset};
use burn::prelude::*;
use serde::Deserialize;

/// A row of any table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The measurements.
    pub features: Vec<f32>,
    /// The number to predict.
    pub target: f32,
}

/// A block of houses of the census of 1990 in California, with the columns of scikit-learn's
/// `fetch_california_housing`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct House {
    med_inc: f32,
    house_age: f32,
    ave_rooms: f32,
    ave_bedrms: f32,
    population: f32,
    ave_occup: f32,
    latitude: f32,
    longitude: f32,
    med_house_val: f32,
}

impl From<House> for Row {
    fn from(house: House) -> Self {
        let features = vec![
            house.med_inc,
            house.house_age,
            house.ave_rooms,
            house.ave_bedrms,
            house.population,
            house.ave_occup,
            house.latitude,
            house.longitude,
        ];
        Row { features, target: house.med_house_val }
    }
}

/// Returns the data of 442 patients, which is part of the program.
pub fn diabetes() -> InMemDataset<Row> {
    DiabetesDataset.iter().map(|row| Row { features: row.features.to_vec(), target: row.target }).collect()
}

/// Reads the 20,640 California housing blocks from a CSV file with a header.
///
/// # Errors
/// If the file cannot be read or a row is no block.
pub fn california(path: &Path) -> Result<InMemDataset<Row>, DatasetError> {
    let houses = InMemDataset::<House>::from_csv(path, &csv::ReaderBuilder::new())?;
    Ok(houses.into_items().into_iter().map(Row::from).collect())
}

/// Means and standard deviations of some rows, by which numbers are standardised.
#[derive(Config, Debug)]
pub struct Scale {
    /// The mean of each measurement.
    pub feature_means: Vec<f32>,
    /// The standard deviation of each measurement.
    pub feature_deviations: Vec<f32>,
    /// The mean of the targets.
    pub target_mean: f32,
    /// The standard deviation of the targets.
    pub target_deviation: f32,
}

impl Scale {
    /// Computes them of a dataset that has rows.
    pub fn of(rows: &dyn Dataset<Row>) -> Self {
        let rows: Vec<Row> = (0..rows.len()).filter_map(|index| rows.get(index)).collect();
        let moments = |values: Vec<f32>| {
            let count = values.len() as f32;
            let mean = values.iter().sum::<f32>() / count;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
            (mean, variance.sqrt().max(1e-6))
        };
        let columns = rows.first().map_or(0, |row| row.features.len());
        let (feature_means, feature_deviations) =
            (0..columns).map(|column| moments(rows.iter().map(|row| row.features[column]).collect())).unzip();
        let (target_mean, target_deviation) = moments(rows.iter().map(|row| row.target).collect());
        Scale { feature_means, feature_deviations, target_mean, target_deviation }
    }
}

/// Standardised rows on a device.
#[derive(Clone, Debug)]
pub struct RowBatch<B: Backend> {
    /// `[batch, features]`.
    pub features: Tensor<B, 2>,
    /// `[batch, 1]`.
    pub targets: Tensor<B, 2>,
}

/// Makes batches of rows on one device.
#[derive(Clone, Debug)]
pub struct RowBatcher<B: Backend> {
    scale: Scale,
    device: B::Device,
}

impl<B: Backend> RowBatcher<B> {
    pub fn new(scale: Scale, device: B::Device) -> Self {
        Self { scale, device }
    }
}

impl<B: Backend> Batcher<Row, RowBatch<B>> for RowBatcher<B> {
    fn batch(&self, items: Vec<Row>) -> RowBatch<B> {
        let Scale { feature_means, feature_deviations, target_mean, target_deviation } = &self.scale;
        let (count, columns) = (items.len(), feature_means.len());
        let standardise = |row: &Row| {
            let scaled = row.features.iter().zip(feature_means).zip(feature_deviations);
            scaled.map(|((value, mean), deviation)| (value - mean) / deviation).collect::<Vec<f32>>()
        };
        let features: Vec<f32> = items.iter().flat_map(standardise).collect();
        let targets: Vec<f32> =
            items.iter().map(|row| (row.target - target_mean) / target_deviation).collect();
        RowBatch {
            features: Tensor::from_data(TensorData::new(features, [count, columns]), &self.device),
            targets: Tensor::from_data(TensorData::new(targets, [count, 1]), &self.device),
        }
    }
}

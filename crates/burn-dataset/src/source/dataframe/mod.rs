//! Datasets in data frames of Polars.

mod any_value;
mod dataset;
mod frame_row;

pub use dataset::DataframeDataset;

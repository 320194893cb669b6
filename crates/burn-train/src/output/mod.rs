//! What the steps of common tasks give to the metrics.

mod classification;
mod regression;

pub use classification::ClassificationOutput;
pub use regression::RegressionOutput;

//! What the steps of common tasks give to the metrics.

mod classification;
mod multi_label;
mod regression;

pub use classification::ClassificationOutput;
pub use multi_label::MultiLabelOutput;
pub use regression::RegressionOutput;

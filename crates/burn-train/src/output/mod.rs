//! Outputs of the steps of common tasks, which metrics take.

mod classification;
mod multi_label;
mod regression;

pub use classification::ClassificationOutput;
pub use multi_label::MultiLabelOutput;
pub use regression::RegressionOutput;

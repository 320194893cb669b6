//! Small tables of numbers inside the program, for tests and first experiments.

mod breast_cancer;
mod diabetes;
mod iris;
mod row;
mod wine;

pub use breast_cancer::BreastCancerDataset;
pub use diabetes::DiabetesDataset;
pub use iris::IrisDataset;
pub use row::{LabelledRow, MeasuredRow};
pub use wine::WineDataset;

//! What is measured while a model trains.

mod accuracy;
mod adaptor;
mod any;
mod entry;
mod format;
mod hits;
mod iteration_speed;
mod learning_rate;
mod loss;
mod metadata;
mod numeric_entry;
mod numeric_state;
mod top_k_accuracy;

pub use accuracy::{AccuracyInput, AccuracyMetric};
pub use adaptor::Adaptor;
pub use any::{Metric, Numeric};
pub use entry::MetricEntry;
pub use format::FormatOptions;
pub use iteration_speed::IterationSpeedMetric;
pub use learning_rate::LearningRateMetric;
pub use loss::{LossInput, LossMetric};
pub use metadata::MetricMetadata;
pub use numeric_entry::{NumericEntry, ParseNumericEntryError};
pub use numeric_state::NumericMetricState;
pub use top_k_accuracy::{TopKAccuracyInput, TopKAccuracyMetric};

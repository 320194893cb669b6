use super::{FormatOptions, NumericEntry};

/// Entry of a metric after a batch, for people and for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricEntry {
    /// The name of the metric, also of its log file and its tab.
    pub name: String,
    /// The value for people.
    pub formatted: String,
    /// The value for the log, in one line.
    pub serialized: String,
}

impl MetricEntry {
    /// Puts the three together.
    pub fn new(name: impl Into<String>, formatted: impl Into<String>, serialized: impl Into<String>) -> Self {
        Self { name: name.into(), formatted: formatted.into(), serialized: serialized.into() }
    }

    /// Formats `value`, that of the epoch so far, and logs `batch`, that of the batch alone.
    pub fn numeric(format: &FormatOptions, value: f64, batch: NumericEntry) -> Self {
        Self::new(format.name(), format.format(value), batch.to_string())
    }
}

use super::metric_slot::MetricDescription;
use crate::renderer::MetricState;
use crate::{Split, TrainError};

/// A numeric metric that something asks for by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequiredMetric {
    /// The option that asks for it: `early stopping`.
    pub(super) user: &'static str,
    pub(super) split: Split,
    pub(super) name: String,
}

/// The metrics that are asked for and were not found yet.
#[derive(Debug, Default)]
pub(super) struct RequiredMetrics(pub(super) Vec<RequiredMetric>);

impl RequiredMetrics {
    /// Compares them with the metrics of a phase. Where one of these has no name before the first batch, that
    /// decides.
    pub(super) fn check_at_start(
        &mut self,
        split: Split,
        metrics: &[MetricDescription],
    ) -> Result<(), TrainError> {
        let numeric = metrics.iter().filter(|metric| metric.is_numeric);
        let names: Option<Vec<&str>> = numeric.map(|metric| metric.name.as_deref()).collect();
        names.map_or(Ok(()), |names| self.check(split, &names))
    }

    /// Compares them with the metrics of a batch.
    pub(super) fn check_batch(&mut self, split: Split, states: &[MetricState]) -> Result<(), TrainError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let numeric = states.iter().filter_map(|state| match state {
            MetricState::Numeric(entry, _) => Some(entry.name.as_str()),
            MetricState::Generic(_) => None,
        });
        self.check(split, &numeric.collect::<Vec<_>>())
    }

    fn check(&mut self, split: Split, names: &[&str]) -> Result<(), TrainError> {
        let missing =
            self.0.iter().find(|metric| metric.split == split && !names.contains(&metric.name.as_str()));
        if let Some(RequiredMetric { user, name, .. }) = missing {
            let names = names.iter().map(ToString::to_string).collect();
            return Err(TrainError::UnknownMetric { user, split, name: name.clone(), names });
        }
        self.0.retain(|metric| metric.split != split);
        Ok(())
    }
}

use super::{MetricState, MetricsRenderer, TrainingProgress};

/// Shows nothing: of several ranks, one shows the run.
pub(crate) struct SilentRenderer;

impl MetricsRenderer for SilentRenderer {
    fn update_train(&mut self, _state: MetricState) {}
    fn update_valid(&mut self, _state: MetricState) {}
    fn render_train(&mut self, _item: TrainingProgress) {}
    fn render_valid(&mut self, _item: TrainingProgress) {}
}

use crate::fixture::*;
use burn_optim::SgdConfig;
use burn_train::history::LearnerSummary;
use burn_train::metric::{AccuracyMetric, IterationSpeedMetric, LossMetric};
use burn_train::renderer::{MetricState, MetricsRenderer, TrainingProgress};
use std::error::Error;
use std::sync::{Arc, Mutex};

/// Records the calls that it gets.
#[derive(Clone, Default)]
struct Recording(Arc<Mutex<Vec<String>>>);

impl Recording {
    fn note(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }

    fn state(&self, side: &str, state: &MetricState) {
        let kind = match state {
            MetricState::Generic(_) => "text",
            MetricState::Numeric(_, value) if value.is_finite() => "number",
            MetricState::Numeric(..) => "no number",
        };
        self.note(format!("{side} {} {kind}", state.entry().name));
    }
}

impl MetricsRenderer for Recording {
    fn update_train(&mut self, state: MetricState) {
        self.state("train", &state);
    }
    fn update_valid(&mut self, state: MetricState) {
        self.state("valid", &state);
    }
    fn render_train(&mut self, item: TrainingProgress) {
        let TrainingProgress { progress, epoch, epoch_total, iteration } = item;
        self.note(format!("train {epoch}/{epoch_total} {iteration} {}", progress.items_processed));
    }
    fn render_valid(&mut self, item: TrainingProgress) {
        self.note(format!("valid {} of {}", item.progress.items_processed, item.progress.items_total));
    }
    fn on_train_end(&mut self, summary: Option<&LearnerSummary>) -> Result<(), Box<dyn Error>> {
        let summary = summary.expect("it was asked for");
        let metrics: Vec<_> =
            summary.metrics.iter().map(|metric| (metric.split.folder(), &metric.name)).collect();
        self.note(format!("{} {} {metrics:?}", summary.model, summary.epochs));
        Ok(())
    }
    fn manual_close(&mut self) {
        self.note("closed by hand".to_string());
    }
}

#[test]
fn a_renderer_is_told_every_batch_and_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let renderer = Recording::default();
    let learner = builder(folder.path())
        .metric_train_numeric(LossMetric::new())
        .metric_train(IterationSpeedMetric::new())
        .metric_valid_numeric(AccuracyMetric::new())
        .renderer(renderer.clone())
        .keep_dashboard_open()
        .summary()
        .num_epochs(2)
        .build(Model::new(4), SgdConfig::new().init(), 0.1);
    learner.fit(train_loader(), valid_loader());

    let told = renderer.0.lock().unwrap();
    assert_eq!(told[..3], ["train Loss number", "train Iteration Speed text", "train 1/2 1 10"]);
    assert_eq!(
        told[15..20],
        [
            "train Loss number",
            "train Iteration Speed text",
            "train 1/2 6 60",
            "valid Accuracy number",
            "valid 30 of 60",
        ]
    );
    assert_eq!(
        told[told.len() - 2..],
        ["closed by hand".to_string(), r#"Model 2 [("train", "Loss"), ("valid", "Accuracy")]"#.to_string(),]
    );
}

use crate::fixture::*;
use burn_core::tensor::Backend;
use burn_optim::SgdConfig;
use burn_optim::lr_scheduler::LrScheduler;
use burn_train::ValidStep;
use burn_train::metric::LossMetric;
use std::sync::{Arc, Mutex};

/// Keeps the metrics that it gets.
#[derive(Clone, Default)]
struct Reports(Arc<Mutex<Vec<f64>>>);

impl LrScheduler for Reports {
    type Record<B: Backend> = ();

    fn step(&mut self) -> f64 {
        0.0
    }
    fn report(&mut self, metric: f64) {
        self.0.lock().unwrap().push(metric);
    }
    fn to_record<B: Backend>(&self) {}
    fn load_record<B: Backend>(self, _record: ()) -> Self {
        self
    }
}

/// A learning rate of 0 leaves the model as it is, so that its loss can be computed beside the learner.
#[test]
fn a_scheduler_is_told_the_loss_of_each_validation() {
    use burn_core::module::AutodiffModule;
    let (model, reports) = (Model::<B>::new(4), Reports::default());
    let valid = model.valid();
    let losses: Vec<f64> = valid_loader()
        .iter()
        .map(|batch| ValidStep::step(&valid, batch).loss.into_data().to_f64()[0])
        .collect();
    let expected = losses.iter().sum::<f64>() / losses.len() as f64;
    let folder = tempfile::tempdir().unwrap();
    let learner = builder(folder.path()).metric_valid_numeric(LossMetric::new()).num_epochs(3).build(
        model,
        SgdConfig::new().init(),
        reports.clone(),
    );
    let _ = learner.fit(train_loader(), valid_loader());
    let found = reports.0.lock().unwrap().clone();
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|loss| (loss - expected).abs() < 1e-6), "{found:?} {expected}");
}

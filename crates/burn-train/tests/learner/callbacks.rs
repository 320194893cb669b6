use crate::fixture::*;
use burn_optim::SgdConfig;
use burn_train::callback::{BatchEnd, CallbackResult, EpochInfo, RunInfo, TrainingCallback};
use burn_train::metric::LossMetric;
use burn_train::{Split, TrainError};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Recording {
    events: Arc<Mutex<Vec<String>>>,
    fails_at: Option<u64>,
    stops_at: Option<u64>,
}

impl Recording {
    fn push(&self, event: String) -> CallbackResult {
        self.events.lock().unwrap().push(event);
        Ok(())
    }
}

impl TrainingCallback for Recording {
    fn on_train_start(&mut self, run: &RunInfo<'_>) -> CallbackResult {
        self.push(format!("start {} {}", run.model, run.epochs))
    }

    fn on_epoch_start(&mut self, epoch: &EpochInfo<'_>) -> CallbackResult {
        self.push(format!("epoch {} from step {}", epoch.epoch, epoch.step))
    }

    fn on_batch_end(&mut self, batch: &BatchEnd<'_>) -> CallbackResult {
        if self.fails_at == Some(batch.step) {
            return Err("the disk is full".into());
        }
        if self.stops_at == Some(batch.step) {
            batch.interrupter.stop("test");
        }
        self.push(format!("{} {} {}", batch.split, batch.step, batch.metrics.len()))
    }

    fn on_epoch_end(&mut self, epoch: &EpochInfo<'_>) -> CallbackResult {
        let loss = epoch.history.stats(Split::Train, "Loss", epoch.epoch);
        self.push(format!("end of epoch {}, has loss: {}", epoch.epoch, loss.is_some()))
    }

    fn on_train_end(&mut self, run: &RunInfo<'_>) -> CallbackResult {
        self.push(format!("end {}", run.step))
    }
}

fn fit(recording: Recording) -> Result<Vec<String>, TrainError> {
    let folder = tempfile::tempdir().unwrap();
    let events = recording.events.clone();
    let learner = builder(folder.path())
        .metric_train_numeric(LossMetric::new())
        .callback(recording)
        .num_epochs(2)
        .build(Model::new(4), SgdConfig::new().init(), 0.1);
    learner.try_fit(train_loader(), valid_loader())?;
    Ok(events.lock().unwrap().clone())
}

#[test]
fn x_310_callbacks_see_runs_epochs_and_batches_in_their_order() {
    let mut expected = vec!["start Model 2".to_string()];
    for epoch in 1..=2 {
        expected.push(format!("epoch {epoch} from step {}", 6 * (epoch - 1)));
        expected.extend((1..=6).map(|batch| format!("Train {} 1", 6 * (epoch - 1) + batch)));
        expected.extend([format!("Valid {} 0", 6 * epoch), format!("Valid {} 0", 6 * epoch)]);
        expected.push(format!("end of epoch {epoch}, has loss: true"));
    }
    expected.push("end 12".to_string());
    assert_eq!(fit(Recording::default()).unwrap(), expected);
}

#[test]
fn an_error_of_a_callback_ends_the_run_and_the_end_is_called() {
    let recording = Recording { fails_at: Some(3), ..Default::default() };
    let events = recording.events.clone();
    let error = fit(recording).unwrap_err();
    assert_eq!(error.to_string(), "callback: the disk is full");
    assert_eq!(events.lock().unwrap().last().unwrap(), "end 3");
}

#[test]
fn a_callback_may_stop_the_run() {
    let events = fit(Recording { stops_at: Some(2), ..Default::default() }).unwrap();
    assert_eq!(events[events.len() - 2..], ["Train 2 1", "end 2"]);
}

//! The loop over a workload that only counts.

use super::*;
use crate::checkpoint::{CheckpointStore, KeepLastNCheckpoints, TreeFile};
use crate::logger::InMemoryMetricLogger;
use crate::metric::MetricEntry;
use crate::renderer::TrainingProgress;
use burn_core::record::Node;
use burn_dataset::dataloader::{DataLoaderError, Progress};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

const BATCHES: usize = 5;

/// A model that is the list of what it learnt from.
#[derive(Clone, Default)]
struct Counting {
    learnt: Vec<(usize, usize, u64)>,
    waiting: usize,
    accumulate: usize,
    next: usize,
    events: Arc<Mutex<Vec<String>>>,
    stop_at: Option<(Split, usize, usize)>,
    fail_at: Option<(Split, usize, usize)>,
    /// Where the metric is NaN.
    nan_at: Option<(Split, usize, usize)>,
    /// The epoch from which on the model is NaN.
    nan_model_from: Option<usize>,
    batches: Option<usize>,
    /// The epoch from which on all training batches are skipped.
    skips_from: Option<usize>,
    /// The epoch whose model is kept.
    best: Option<usize>,
    interrupter: Interrupter,
}

impl Workload for Counting {
    fn start(&mut self, split: Split, epoch: usize, skipped: usize) -> Result<(), TrainError> {
        self.next = skipped;
        self.events.lock().unwrap().push(format!("{split} {epoch} from {skipped}"));
        Ok(())
    }

    fn batch(
        &mut self,
        at: &Position,
        states: &mut Vec<MetricState>,
    ) -> Result<Option<BatchDone>, TrainError> {
        if self.next == self.batches.unwrap_or(BATCHES) {
            return Ok(None);
        }
        self.next += 1;
        assert_eq!(self.next, at.iteration);
        let here = Some((at.split, at.epoch, at.iteration));
        if self.fail_at == here {
            let source = DataLoaderError::MissingItem { index: 7, len: 9 };
            return Err(TrainError::Data { split: at.split, epoch: at.epoch, source });
        }
        if self.stop_at == here {
            self.interrupter.stop("test");
        }
        if at.split == Split::Train {
            self.learnt.push((at.epoch, at.iteration, at.seed));
            self.waiting = (self.waiting + 1) % self.accumulate.max(1);
        }
        let value = if self.nan_at == here { f64::NAN } else { (at.epoch * 10 + at.iteration) as f64 };
        states.push(MetricState::Numeric(MetricEntry::new("Count", "", format!("{value},1")), value));
        Ok(Some(BatchDone {
            progress: Progress::new(self.next, BATCHES),
            lr: Some(0.1),
            accumulating: self.waiting > 0,
            skipped: self.skips_from.is_some_and(|from| at.epoch >= from) && at.split == Split::Train,
        }))
    }

    fn end(&mut self, _split: Split) -> Result<(), TrainError> {
        self.waiting = 0;
        Ok(())
    }

    fn should_stop(&self, interrupter: &Interrupter) -> Result<bool, TrainError> {
        Ok(interrupter.should_stop())
    }

    fn barrier(&self) -> Result<(), TrainError> {
        Ok(())
    }

    fn keep_best(&mut self) {
        self.best = Some(self.learnt.last().map_or(0, |learnt| learnt.0));
    }

    fn return_best(&mut self) -> bool {
        self.best.is_some()
    }

    fn tree(&self, part: Part) -> Option<Node> {
        let epoch = self.learnt.last().map_or(0, |learnt| learnt.0);
        let is_nan = part == Part::Optim && self.nan_model_from.is_some_and(|from| epoch >= from);
        let value = if is_nan { f64::NAN } else { 0.0 };
        Some(Node::Map(vec![
            ("moment".to_string(), Node::Float(value)),
            ("learnt".to_string(), Node::Text(format!("{:?}", self.learnt))),
        ]))
    }
}

/// Writes trees as text.
#[derive(Debug)]
struct TextFile;

impl TreeFile for TextFile {
    fn save(&self, tree: Node, path: PathBuf) -> Result<(), RecordError> {
        std::fs::write(path.with_extension("txt"), format!("{tree:?}")).expect("the folder is there");
        Ok(())
    }

    fn load(&self, _path: PathBuf) -> Result<Node, RecordError> {
        Ok(Node::Null)
    }
}

struct Silent;

impl MetricsRenderer for Silent {
    fn update_train(&mut self, _state: MetricState) {}
    fn update_valid(&mut self, _state: MetricState) {}
    fn render_train(&mut self, _item: TrainingProgress) {}
    fn render_valid(&mut self, _item: TrainingProgress) {}
}

struct Fixture {
    folder: tempfile::TempDir,
    log: InMemoryMetricLogger,
    nan: NanPolicy,
    early_stopping: Option<crate::EarlyStopping>,
}

impl Fixture {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            log: InMemoryMetricLogger::new(),
            nan: NanPolicy::Stop,
            early_stopping: None,
        }
    }

    fn store(&self) -> CheckpointStore {
        CheckpointStore::open(self.folder.path()).unwrap()
    }

    fn run(&self, start: Start, work: &mut Counting) -> Result<MetricHistory, TrainError> {
        self.run_to_outcome(start, work).map(|(history, _)| history)
    }

    fn run_to_outcome(
        &self,
        start: Start,
        work: &mut Counting,
    ) -> Result<(MetricHistory, RunOutcome), TrainError> {
        let mut training = TrainingLoop {
            folder: None,
            epochs: 3,
            start,
            seed: 42,
            lr: None,
            steps: 0,
            history: MetricHistory::default(),
            interrupter: work.interrupter.clone(),
            renderer: Box::new(Silent),
            loggers: Loggers {
                train: Box::new(self.log.clone()),
                valid: Box::new(InMemoryMetricLogger::new()),
            },
            checkpointer: Some(Checkpointer::new(
                self.store(),
                Box::new(KeepLastNCheckpoints::new(2)),
                Box::new(TextFile),
            )),
            nan: self.nan,
            early_stopping: self.early_stopping.clone().map(|stopping| Box::new(stopping) as _),
            watchers: Watchers::default(),
            required: RequiredMetrics::default(),
            last_epoch: 0,
        };
        let end = training.run(work)?;
        let outcome = training.outcome(end, work);
        Ok((training.history, outcome))
    }
}

const BEGINNING: Start = Start { epoch: 1, batches: 0 };

#[test]
fn a_run_goes_through_both_sides_of_all_epochs() {
    let fixture = Fixture::new();
    let mut work = Counting::default();
    let history = fixture.run(BEGINNING, &mut work).unwrap();
    let events = ["Train 1", "Valid 1", "Train 2", "Valid 2", "Train 3", "Valid 3"];
    assert_eq!(*work.events.lock().unwrap(), events.map(|event| format!("{event} from 0")));
    assert_eq!(fixture.log.lines(2, "Count"), ["21,1", "22,1", "23,1", "24,1", "25,1"]);
    assert_eq!(history.stats(Split::Valid, "Count", 3).unwrap().last, 35.0);
    let kept: Vec<_> = fixture.store().complete().unwrap().iter().map(|saved| saved.state().epoch).collect();
    assert_eq!(kept, [2, 3]);
}

#[test]
fn a_run_that_is_stopped_anywhere_goes_on_as_if_it_were_not() {
    let mut whole = Counting::default();
    Fixture::new().run(BEGINNING, &mut whole).unwrap();
    for split in [Split::Train, Split::Valid] {
        for iteration in 1..=BATCHES {
            let fixture = Fixture::new();
            let mut work =
                Counting { stop_at: Some((split, 2, iteration)), accumulate: 2, ..Default::default() };
            fixture.run(BEGINNING, &mut work).unwrap();
            let saved = fixture.store().newest().unwrap().unwrap();
            assert_eq!(saved.state().epoch, 2);
            assert_eq!(saved.state().lr, Some(0.1));
            let batches = saved.state().batches.expect("the epoch is not over");
            assert_eq!(work.learnt.len(), BATCHES + batches, "{split} {iteration}");
            assert!(batches.is_multiple_of(2) || batches == BATCHES, "gradients are not left waiting");

            let mut work = Counting { learnt: work.learnt, ..Default::default() };
            fixture.run(Start { epoch: 2, batches }, &mut work).unwrap();
            assert_eq!(work.learnt, whole.learnt, "{split} {iteration}");
        }
    }
}

#[test]
fn data_that_cannot_be_read_ends_the_run_and_leaves_the_checkpoints() {
    for split in [Split::Train, Split::Valid] {
        let fixture = Fixture::new();
        let mut work = Counting { fail_at: Some((split, 2, 3)), ..Default::default() };
        let error = fixture.run(BEGINNING, &mut work).unwrap_err().to_string();
        let expected = "data of epoch 2: the dataset returned no item at index 7, below its length 9";
        assert_eq!(error, format!("{} {expected}", split.folder()));
        assert_eq!(fixture.store().newest().unwrap().unwrap().state().epoch, 1);
    }
}

#[test]
fn a_run_that_was_over_does_nothing() {
    let fixture = Fixture::new();
    let mut work = Counting::default();
    fixture.run(Start { epoch: 4, batches: 0 }, &mut work).unwrap();
    assert!(work.learnt.is_empty());
}

fn kept(fixture: &Fixture) -> Vec<usize> {
    fixture.store().complete().unwrap().iter().map(|saved| saved.state().epoch).collect()
}

#[test]
fn a_metric_that_is_nan_ends_the_run_with_its_place() {
    for split in [Split::Train, Split::Valid] {
        let mut fixture = Fixture::new();
        let mut work = Counting { nan_at: Some((split, 2, 3)), ..Default::default() };
        let error = fixture.run(BEGINNING, &mut work).unwrap_err();
        let expected = format!("{} of epoch 2, iteration 3: the metric `Count` is NaN", split.folder());
        assert!(error.to_string().starts_with(&expected), "{error}");
        assert!(matches!(error, TrainError::Nan { epoch: 2, iteration: 3, .. }));
        assert_eq!(kept(&fixture), [1]);

        fixture.nan = NanPolicy::Continue;
        let mut work = Counting { nan_at: Some((split, 2, 3)), ..Default::default() };
        fixture.run(BEGINNING, &mut work).unwrap();
        assert_eq!(kept(&fixture), [2, 3]);
    }
}

#[test]
fn a_checkpoint_that_would_hold_nan_replaces_none() {
    let mut fixture = Fixture::new();
    let mut work = Counting { nan_model_from: Some(3), ..Default::default() };
    let error = fixture.run(BEGINNING, &mut work).unwrap_err();
    assert!(
        matches!(&error, TrainError::NanCheckpoint { epoch: 3, key } if key == "optim: moment"),
        "{error}"
    );
    assert_eq!(kept(&fixture), [1, 2]);

    fixture.nan = NanPolicy::Continue;
    let mut work = Counting { nan_model_from: Some(2), ..Default::default() };
    fixture.run(BEGINNING, &mut work).unwrap();
    assert_eq!(kept(&fixture), [1, 2]);
}

#[test]
fn training_data_without_a_batch_is_an_error() {
    let fixture = Fixture::new();
    let mut work = Counting { batches: Some(0), ..Default::default() };
    let error = fixture.run(BEGINNING, &mut work).unwrap_err();
    assert!(matches!(error, TrainError::NoBatches { split: Split::Train, epoch: 1 }), "{error}");
    assert!(kept(&fixture).is_empty());
}

#[test]
fn an_epoch_of_skipped_batches_is_an_error() {
    let fixture = Fixture::new();
    let mut work = Counting { skips_from: Some(2), ..Default::default() };
    let error = fixture.run(BEGINNING, &mut work).unwrap_err();
    assert!(matches!(error, TrainError::AllSkipped { epoch: 2 }), "{error}");
    assert_eq!(kept(&fixture), [1]);
}

#[test]
fn a_run_that_stops_early_stays_over() {
    use crate::history::{Aggregate, Direction};
    let mut fixture = Fixture::new();
    let rising = crate::EarlyStopping::new("Count", Aggregate::Mean, Direction::Lowest, Split::Valid, 1);
    fixture.early_stopping = Some(rising);
    let mut work = Counting::default();
    let history = fixture.run(BEGINNING, &mut work).unwrap();
    assert!(history.stats(Split::Valid, "Count", 2).is_some());
    assert!(history.stats(Split::Valid, "Count", 3).is_none());
    assert_eq!(kept(&fixture), [1, 2]);
}

//! Time of the learner beside that of a loop that is written out, on the guide's model and batches.
//!
//! ```text
//! cargo run --release --package benches --example learner-overhead
//! ```
//!
//! Both learn from the same batches and measure loss and accuracy of every batch. The learner also keeps
//! logs, shows lines and looks for NaN. Runs take turns in one process, and the overhead is the median over
//! pairs of neighbours. The guide's model is trained twice, for ten epochs and for one, where what begins and
//! ends a run counts ten times as much. A last pair trains a model that is so small that the learner is most
//! of its step: their difference is what the learner costs a step, without the noise of long ones.
//!
//! The learner creates a file per metric and epoch. That takes 10 us on most file systems, and up to a
//! millisecond on ext4 where thousands of files were deleted in the last five minutes, since it looks at
//! their inodes one by one. The bench prints how long it takes here, and deletes 1,400 files at its end: let
//! minutes pass between two runs, or set `TMPDIR=/dev/shm`.
//!
//! `--only loop` and `--only learner` train the guide's model by one of them alone, for counters of a whole
//! process:
//!
//! ```text
//! perf stat -e instructions,page-faults,context-switches target/release/examples/learner-overhead --only learner
//! ```

use burn::backend::{Autodiff, NdArray};
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::DigitsDataset;
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::prelude::*;
use burn::train::metric::{
    AccuracyInput, AccuracyMetric, LossInput, LossMetric, Metric, MetricMetadata, Numeric,
};
use burn::train::renderer::PlainRenderer;
use burn::train::{LearnerBuilder, TrainOutput, TrainStep};
use guide::data::{MnistBatch, MnistBatcher};
use guide::model::{Model, ModelConfig};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

type B = Autodiff<NdArray>;

const RATE: f64 = 1e-3;
const BAR: f64 = 0.02;
/// The epochs of the guide.
const EPOCHS: usize = 10;

/// Sizes of a training.
#[derive(Clone, Copy)]
struct Sizes {
    rounds: usize,
    epochs: usize,
    images: usize,
    batch: usize,
    hidden: usize,
}

impl Sizes {
    fn steps(&self) -> f64 {
        (self.epochs * self.images.div_ceil(self.batch)) as f64
    }
}

/// Seconds of a run, by the clock and of the processors that worked for it.
#[derive(Clone, Copy)]
struct Run {
    clock: f64,
    processors: f64,
}

/// How a model is trained.
#[derive(Clone, Copy, Debug)]
enum Trainer {
    Loop,
    Learner,
}

impl Trainer {
    fn run(self, sizes: Sizes, folder: &Path) -> Run {
        match self {
            Trainer::Loop => written_out(sizes),
            Trainer::Learner => with_learner(sizes, folder),
        }
    }
}

/// Returns the trainer of `--only`, if there is one.
fn only() -> Option<Trainer> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--only", "loop"] => Some(Trainer::Loop),
        ["--only", "learner"] => Some(Trainer::Learner),
        _ => panic!("expected no argument, `--only loop` or `--only learner`, got {arguments:?}"),
    }
}

fn main() {
    let folder = std::env::temp_dir().join(format!("learner-overhead-{}", std::process::id()));
    // The guide's batches and model.
    let guide = Sizes { rounds: 21, epochs: EPOCHS, images: 1_438, batch: 64, hidden: 512 };
    match only() {
        Some(trainer) => alone(trainer, guide, &folder),
        None => pairs(guide, &folder),
    }
}

/// Trains by one of them.
fn alone(trainer: Trainer, sizes: Sizes, folder: &Path) {
    let runs: Vec<Run> =
        (0..sizes.rounds).map(|round| trainer.run(sizes, &folder.join(round.to_string()))).collect();
    let _ = std::fs::remove_dir_all(folder);
    let (steps, median) = (sizes.steps(), median(&runs));
    let [clock, processors] = [median.clock, median.processors].map(|seconds| 1e3 * seconds / steps);
    println!("{trainer:?}: {clock:.4} ms a step by the clock, {processors:.4} of the processors");
}

fn pairs(guide: Sizes, folder: &Path) {
    let before = file_creation(&folder.join("before"));
    let whole = compare("guide", guide, folder);
    let [before, after] = [before, file_creation(&folder.join("after"))].map(|seconds| 1e6 * seconds);
    println!("creating a file in {} took {before:.0} us before and {after:.0} us after", folder.display());
    compare("guide, one epoch", Sizes { epochs: 1, ..guide }, folder);
    // One image of a batch: two thousand short steps.
    let short = Sizes { rounds: 15, epochs: 1, images: 1_438, batch: 1, hidden: 1 };
    let each = compare("batches of one image", short, folder);
    // Nothing is left of a bench.
    let _ = std::fs::remove_dir_all(folder);
    let overhead = each.learner.processors / each.steps - each.by_hand.processors / each.steps;
    let share = overhead / (whole.by_hand.processors / whole.steps);
    println!(
        "a step of the learner costs {:.1} us more, {:.3} % of a step of the guide",
        1e6 * overhead,
        100.0 * share
    );
    assert!(share <= BAR, "{:.2} % is above the bar of {} %", 100.0 * share, 100.0 * BAR);
}

struct Medians {
    by_hand: Run,
    learner: Run,
    steps: f64,
}

fn compare(name: &str, sizes: Sizes, folder: &Path) -> Medians {
    let (mut by_hand, mut learner) = (Vec::new(), Vec::new());
    for round in 0..=sizes.rounds {
        // Each run has a folder of its own: to empty the logs of an earlier run takes milliseconds.
        let folder = &folder.join(format!("{}-{}-{round}", sizes.batch, sizes.epochs));
        // The order changes from round to round.
        let order = if round % 2 == 0 {
            [Trainer::Loop, Trainer::Learner]
        } else {
            [Trainer::Learner, Trainer::Loop]
        };
        let runs = order.map(|trainer| trainer.run(sizes, folder));
        let [hand, with] = if round % 2 == 0 { runs } else { [runs[1], runs[0]] };
        // The first round fills caches and pools.
        if round > 0 {
            by_hand.push(hand);
            learner.push(with);
        }
    }
    let steps = sizes.steps();
    let medians = Medians { by_hand: median(&by_hand), learner: median(&learner), steps };
    println!("{name}, ms a step, medians of {} runs of {steps} steps", sizes.rounds);
    for (of, at) in [("clock", (|run| run.clock) as fn(Run) -> f64), ("processors", |run| run.processors)] {
        // Neighbours have the same state of the machine.
        let mut ratios: Vec<f64> =
            by_hand.iter().zip(&learner).map(|(&by_hand, &learner)| at(learner) / at(by_hand)).collect();
        let overhead = 100.0 * (middle(&mut ratios) - 1.0);
        let (by_hand, learner) = (at(medians.by_hand) / steps, at(medians.learner) / steps);
        println!(
            "  {of:10}  loop {:8.4}  learner {:8.4}  overhead {overhead:6.2} %",
            1e3 * by_hand,
            1e3 * learner
        );
    }
    medians
}

fn loader(sizes: Sizes) -> Arc<dyn DataLoader<MnistBatch<B>>> {
    let (train, _) = DigitsDataset::train_test_mnist(42);
    let batcher = MnistBatcher::<B>::new(Default::default());
    let train = PartialDataset::new(train, 0, sizes.images);
    DataLoaderBuilder::new(batcher).batch_size(sizes.batch).shuffle(42).build(train)
}

fn model(sizes: Sizes) -> Model<B> {
    B::seed(42);
    ModelConfig::new(10, sizes.hidden).init(&Default::default())
}

fn written_out(sizes: Sizes) -> Run {
    let (mut model, mut optim, loader) = (model(sizes), AdamConfig::new().init(), loader(sizes));
    let (mut loss, mut accuracy) = (LossMetric::new(), AccuracyMetric::new());
    let metadata = MetricMetadata::default();
    let run = time(|| {
        for epoch in 1..=sizes.epochs {
            loss.clear();
            accuracy.clear();
            for batch in loader.iter_epoch(epoch) {
                let TrainOutput { grads, item } = model.step(batch);
                let grads: GradientsParams = grads;
                loss.update(&LossInput::new(item.loss.clone()), &metadata);
                accuracy.update(&AccuracyInput::new(item.output.clone(), item.targets.clone()), &metadata);
                drop(item);
                model = optim.step(RATE, model, grads);
            }
        }
        // The learner's run ends with its parts too.
        drop((model, optim));
    });
    assert!(loss.value() < 3.0 && accuracy.value() > 5.0);
    run
}

fn with_learner(sizes: Sizes, folder: &Path) -> Run {
    let (test, _) = DigitsDataset::train_test_mnist(42);
    let nothing = PartialDataset::new(test, 0, 0);
    let valid = MnistBatcher::<NdArray>::new(Default::default());
    let valid = DataLoaderBuilder::new(valid).batch_size(64).build(nothing);
    let learner = LearnerBuilder::new(folder)
        .metric_train_numeric(LossMetric::new())
        .metric_train_numeric(AccuracyMetric::new())
        .renderer(PlainRenderer::to(std::io::sink()))
        .num_epochs(sizes.epochs)
        .build(model(sizes), AdamConfig::new().init(), RATE);
    let train = loader(sizes);
    time(|| drop(learner.fit(train, valid)))
}

/// Seconds that it takes to create a file in a new folder.
fn file_creation(folder: &Path) -> f64 {
    let mut times = [0.0; 21];
    for (number, time) in times.iter_mut().enumerate() {
        let folder = folder.join(format!("probe-{number}"));
        std::fs::create_dir_all(&folder).expect("the folder of temporary files can be written");
        let start = Instant::now();
        std::fs::write(folder.join("file"), []).expect("the folder of temporary files can be written");
        *time = start.elapsed().as_secs_f64();
    }
    middle(&mut times)
}

fn time(run: impl FnOnce()) -> Run {
    let (clock, processors) = (Instant::now(), processors());
    run();
    Run { clock: clock.elapsed().as_secs_f64(), processors: (self::processors() - processors).as_secs_f64() }
}

/// Time that the processors worked for this process, all threads together.
fn processors() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

fn median(runs: &[Run]) -> Run {
    let of = |at: fn(&Run) -> f64| {
        let mut times: Vec<f64> = runs.iter().map(at).collect();
        middle(&mut times)
    };
    Run { clock: of(|run| run.clock), processors: of(|run| run.processors) }
}

fn middle(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

//! Time of the learner beside that of a loop that is written out, on the guide's model and batches.
//!
//! ```text
//! cargo run --release --package benches --example learner-overhead
//! ```
//!
//! Both learn from the same batches and measure loss and accuracy of every batch. The learner also keeps logs, shows lines and
//! looks for NaN. Rounds take turns, and the medians are compared.

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

const ROUNDS: usize = 9;
const RATE: f64 = 1e-3;

fn main() {
    let folder = std::env::temp_dir().join(format!("learner-overhead-{}", std::process::id()));
    let (mut loop_times, mut learner_times) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let (by_hand, learner) = (written_out(), with_learner(&folder));
        // The first round fills caches and pools.
        if round > 0 {
            loop_times.push(by_hand);
            learner_times.push(learner);
        }
    }
    // Nothing is left of a bench.
    let _ = std::fs::remove_dir_all(&folder);
    let (by_hand, learner) = (median(loop_times), median(learner_times));
    println!("loop     {:8.1} ms an epoch", 1e3 * by_hand.as_secs_f64());
    println!("learner  {:8.1} ms an epoch", 1e3 * learner.as_secs_f64());
    println!("overhead {:8.2} %", 100.0 * (learner.as_secs_f64() / by_hand.as_secs_f64() - 1.0));
}

fn loader() -> Arc<dyn DataLoader<MnistBatch<B>>> {
    let (train, _) = DigitsDataset::train_test_mnist(42);
    let batcher = MnistBatcher::<B>::new(Default::default());
    DataLoaderBuilder::new(batcher).batch_size(64).shuffle(42).build(train)
}

fn model() -> Model<B> {
    B::seed(42);
    ModelConfig::new(10, 512).init(&Default::default())
}

fn written_out() -> Duration {
    let (mut model, mut optim, loader) = (model(), AdamConfig::new().init(), loader());
    let (mut loss, mut accuracy) = (LossMetric::new(), AccuracyMetric::new());
    let metadata = MetricMetadata::default();
    let begin = Instant::now();
    for batch in loader.iter() {
        let TrainOutput { grads, item } = model.step(batch);
        let grads: GradientsParams = grads;
        loss.update(&LossInput::new(item.loss.clone()), &metadata);
        accuracy.update(&AccuracyInput::new(item.output.clone(), item.targets.clone()), &metadata);
        drop(item);
        model = optim.step(RATE, model, grads);
    }
    let elapsed = begin.elapsed();
    assert!(loss.value() < 2.5 && accuracy.value() > 10.0);
    elapsed
}

fn with_learner(folder: &Path) -> Duration {
    let (test, _) = DigitsDataset::train_test_mnist(42);
    let nothing = PartialDataset::new(test, 0, 0);
    let valid = MnistBatcher::<NdArray>::new(Default::default());
    let valid = DataLoaderBuilder::new(valid).batch_size(64).build(nothing);
    let learner = LearnerBuilder::new(folder)
        .metric_train_numeric(LossMetric::new())
        .metric_train_numeric(AccuracyMetric::new())
        .renderer(PlainRenderer::to(std::io::sink()))
        .build(model(), AdamConfig::new().init(), RATE);
    let train = loader();
    let begin = Instant::now();
    learner.fit(train, valid);
    begin.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

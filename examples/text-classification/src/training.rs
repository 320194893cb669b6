//! The run, and the look at test texts after it.

use crate::batch::{TextBatch, TextBatcher};
use crate::corpus::Corpus;
use crate::inference::{CONFIG_FILE, MODEL_FILE, RunConfig, TOKENIZER_FILE};
use crate::model::{TextClassifier, TextClassifierConfig};
use crate::tokenizer::SubwordTokenizer;
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::text::Article;
use burn::lr_scheduler::CosineAnnealingLrSchedulerConfig;
use burn::module::AutodiffModule;
use burn::nn::transformer::TransformerEncoderConfig;
use burn::optim::{AdamWConfig, GradientClippingConfig};
use burn::prelude::*;
use burn::record::CompactRecorder;
use burn::tensor::backend::AutodiffBackend;
use burn::train::metric::{AccuracyMetric, ConfusionMatrixMetric, FBetaMetric, LossMetric};
use burn::train::{EvaluationSummary, EvaluatorBuilder, LearnerBuilder};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// Everything that decides how a run goes.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    /// The transformer.
    pub encoder: TransformerEncoderConfig,
    /// Largest size of the vocabulary.
    #[config(default = 3000)]
    pub vocabulary: usize,
    /// The most tokens of a text.
    #[config(default = 32)]
    pub longest: usize,
    #[config(default = 6)]
    pub num_epochs: usize,
    #[config(default = 32)]
    pub batch_size: usize,
    #[config(default = 4e-3)]
    pub learning_rate: f64,
    #[config(default = 42)]
    pub seed: u64,
}

/// Trains a classifier and returns the metrics of the test texts. The run leaves its configuration, its
/// tokenizer, its logs, its checkpoints and the trained model in `artifacts`.
///
/// # Errors
/// If texts cannot be read, or the folder cannot be written.
pub fn run<B: AutodiffBackend>(
    artifacts: &Path,
    config: &TrainingConfig,
    corpus: &Corpus,
    device: &B::Device,
) -> Result<EvaluationSummary, Box<dyn Error>> {
    std::fs::create_dir_all(artifacts)?;
    B::seed(config.seed);
    let tokenizer =
        SubwordTokenizer::train(&corpus.train, config.vocabulary).map_err(|error| error.to_string())?;
    tokenizer.save(&artifacts.join(TOKENIZER_FILE)).map_err(|error| error.to_string())?;
    let (vocabulary, classes) = (tokenizer.vocabulary(), corpus.classes.len());
    let model = TextClassifierConfig::new(vocabulary, classes, config.longest, config.encoder.clone());
    RunConfig::new(model.clone(), corpus.classes.clone()).save(artifacts.join(CONFIG_FILE))?;

    let model = train::<B>(artifacts, config, corpus, &tokenizer, model.init(device))?;
    model.clone().save_file(artifacts.join(MODEL_FILE), &CompactRecorder::new())?;
    let summary = EvaluatorBuilder::new(artifacts)
        .metric_numeric(LossMetric::new())
        .metric_numeric(AccuracyMetric::new())
        .metric_numeric(FBetaMetric::new(1.0))
        .metric(ConfusionMatrixMetric::new())
        .build(model.valid())
        .try_eval(loader::<B::InnerBackend>(config, &tokenizer, corpus.test.clone(), false, device))?;
    Ok(summary)
}

fn train<B: AutodiffBackend>(
    artifacts: &Path,
    config: &TrainingConfig,
    corpus: &Corpus,
    tokenizer: &SubwordTokenizer,
    model: TextClassifier<B>,
) -> Result<TextClassifier<B>, Box<dyn Error>> {
    let device = model.devices().into_iter().next().unwrap_or_default();
    let train = loader::<B>(config, tokenizer, corpus.train.clone(), true, &device);
    let valid = loader::<B::InnerBackend>(config, tokenizer, corpus.valid.clone(), false, &device);
    let steps = config.num_epochs * train.num_batches();
    let schedule = CosineAnnealingLrSchedulerConfig::new(config.learning_rate, steps).init();
    let model = LearnerBuilder::new(artifacts)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .metric_train_numeric(AccuracyMetric::new())
        .metric_valid_numeric(AccuracyMetric::new())
        .with_file_checkpointer(CompactRecorder::new())
        .grad_clipping(GradientClippingConfig::GlobalNorm(1.0))
        .devices(vec![device])
        .num_epochs(config.num_epochs)
        .summary()
        .build(model, AdamWConfig::new().with_weight_decay(0.01).init(), schedule)
        .try_fit(train, valid)?;
    Ok(model)
}

fn loader<B: Backend>(
    config: &TrainingConfig,
    tokenizer: &SubwordTokenizer,
    texts: Arc<dyn burn::data::dataset::Dataset<Article>>,
    shuffle: bool,
    device: &B::Device,
) -> Arc<dyn DataLoader<TextBatch<B>>> {
    let batcher =
        TextBatcher::<B> { tokenizer: tokenizer.clone(), longest: config.longest, device: device.clone() };
    let builder = DataLoaderBuilder::new(batcher).batch_size(config.batch_size);
    if shuffle { builder.shuffle(config.seed).build(texts) } else { builder.build(texts) }
}

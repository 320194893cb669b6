//! The run, and what it reached.

use crate::corpus::Corpus;
use crate::model::{LanguageModel, LanguageModelConfig};
use crate::ngram::{bigram_perplexity, unigram_perplexity};
use crate::sequence::{SequenceBatch, SequenceBatcher, sequences};
use crate::tokenizer::SubwordTokenizer;
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::lr_scheduler::CosineAnnealingLrSchedulerConfig;
use burn::module::AutodiffModule;
use burn::nn::transformer::TransformerEncoderConfig;
use burn::optim::{AdamWConfig, GradientClippingConfig};
use burn::prelude::*;
use burn::record::CompactRecorder;
use burn::tensor::backend::AutodiffBackend;
use burn::train::metric::{AccuracyMetric, LossMetric, PerplexityMetric};
use burn::train::{EvaluatorBuilder, LearnerBuilder};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// The file of the tokenizer.
pub const TOKENIZER_FILE: &str = "tokenizer.json";
/// The file of the sizes of the model.
pub const CONFIG_FILE: &str = "config.json";
/// The file of the trained model, without its extension.
pub const MODEL_FILE: &str = "model";

/// Everything that decides how a run goes.
#[derive(Config, Debug)]
pub struct TrainingConfig {
    /// The transformer.
    pub transformer: TransformerEncoderConfig,
    /// Largest size of the vocabulary.
    #[config(default = 512)]
    pub vocabulary: usize,
    /// Number of tokens that the model looks back at.
    #[config(default = 64)]
    pub context: usize,
    #[config(default = 2)]
    pub num_epochs: usize,
    #[config(default = 16)]
    pub batch_size: usize,
    #[config(default = 2e-3)]
    pub learning_rate: f64,
    #[config(default = 42)]
    pub seed: u64,
}

/// A trained model, and perplexities of the test text, per token.
#[derive(Debug)]
pub struct Outcome<B: Backend> {
    pub model: LanguageModel<B>,
    pub tokenizer: SubwordTokenizer,
    /// Number of tokens of the test text.
    pub test_tokens: usize,
    /// Perplexity of the model.
    pub perplexity: f64,
    /// Perplexity of the unigram baseline.
    pub unigram: f64,
    /// Perplexity of the bigram baseline.
    pub bigram: f64,
}

/// Trains a language model and measures it with the test text. The run leaves its tokenizer, the sizes of the
/// model, its logs, its checkpoints and the trained model in `artifacts`.
///
/// # Errors
/// If a split has fewer tokens than the context, or the folder cannot be written.
pub fn run<B: AutodiffBackend>(
    artifacts: &Path,
    config: &TrainingConfig,
    corpus: &Corpus,
    device: &B::Device,
) -> Result<Outcome<B::InnerBackend>, Box<dyn Error>> {
    std::fs::create_dir_all(artifacts)?;
    B::seed(config.seed);
    let tokenizer =
        SubwordTokenizer::train(&corpus.train, config.vocabulary).map_err(|error| error.to_string())?;
    tokenizer.save(&artifacts.join(TOKENIZER_FILE)).map_err(|error| error.to_string())?;
    let sizes = LanguageModelConfig::new(tokenizer.vocabulary(), config.context, config.transformer.clone());
    sizes.save(artifacts.join(CONFIG_FILE))?;

    let encode = |text: &str| tokenizer.encode(text).map_err(|error| error.to_string());
    let (train, valid, test) = (encode(&corpus.train)?, encode(&corpus.valid)?, encode(&corpus.test)?);
    let model = fit(artifacts, config, [&train, &valid], sizes.init::<B>(device))?;
    model.clone().save_file(artifacts.join(MODEL_FILE), &CompactRecorder::new())?;
    let model = model.valid();
    let summary = EvaluatorBuilder::new(artifacts)
        .metric_numeric(PerplexityMetric::new())
        .build(model.clone())
        .try_eval(loader::<B::InnerBackend>(config, &test, None, device)?)?;
    Ok(Outcome {
        perplexity: summary.value("Perplexity").ok_or("the test text has no sequence")?,
        unigram: unigram_perplexity(&train, &test, tokenizer.vocabulary()),
        bigram: bigram_perplexity(&train, &test, tokenizer.vocabulary()),
        test_tokens: test.len(),
        model,
        tokenizer,
    })
}

fn fit<B: AutodiffBackend>(
    artifacts: &Path,
    config: &TrainingConfig,
    [train, valid]: [&[usize]; 2],
    model: LanguageModel<B>,
) -> Result<LanguageModel<B>, Box<dyn Error>> {
    let device = model.devices().into_iter().next().unwrap_or_default();
    let train = loader::<B>(config, train, Some(config.seed), &device)?;
    let valid = loader::<B::InnerBackend>(config, valid, None, &device)?;
    let steps = config.num_epochs * train.num_batches();
    let schedule = CosineAnnealingLrSchedulerConfig::new(config.learning_rate, steps).init();
    let model = LearnerBuilder::new(artifacts)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .metric_valid_numeric(PerplexityMetric::new())
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

/// Batches of sequences that follow each other in the text without an overlap, in random order if there is a
/// seed.
fn loader<B: Backend>(
    config: &TrainingConfig,
    tokens: &[usize],
    shuffle: Option<u64>,
    device: &B::Device,
) -> Result<Arc<dyn DataLoader<SequenceBatch<B>>>, String> {
    let sequences = sequences(tokens, config.context, config.context);
    if sequences.is_empty() {
        return Err(format!("a split has {} tokens; expected more than {}", tokens.len(), config.context));
    }
    let builder =
        DataLoaderBuilder::new(SequenceBatcher::<B> { device: device.clone() }).batch_size(config.batch_size);
    Ok(match shuffle {
        Some(seed) => builder.shuffle(seed).build(sequences),
        None => builder.build(sequences),
    })
}

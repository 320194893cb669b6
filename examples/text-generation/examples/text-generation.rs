//! Trains a transformer to continue text, compares it with counting, and writes.
//!
//! ```text
//! cargo run --release --package text-generation --example text-generation
//! ```

use burn::backend::{Autodiff, NdArray};
use burn::nn::transformer::{FeedForwardActivation, TransformerEncoderConfig};
use clap::Parser;
use std::error::Error;
use std::path::PathBuf;
use text_generation::corpus::Corpus;
use text_generation::sampling::{SamplingConfig, sample};
use text_generation::training::{Outcome, TrainingConfig, run};

/// Train a language model on the chapters of Moby Dick inside of the program, on a file, or on DBpedia.
#[derive(Parser, Debug)]
pub struct Args {
    /// Train on the abstracts of DBpedia.
    #[arg(long, conflicts_with = "file")]
    db_pedia: bool,
    /// Folder of `train.csv` and `test.csv` of DBpedia [default: $BURN_DBPEDIA_DIR, or the cache in the home
    /// folder].
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Number of abstracts to use.
    #[arg(long, value_name = "N", default_value_t = 40_000)]
    abstracts: usize,
    /// Train on a file of text in UTF-8.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Times to go through the training text.
    #[arg(long)]
    epochs: Option<usize>,
    /// Use a transformer that trains within seconds.
    #[arg(long)]
    small: bool,
    /// Prompt that the model continues.
    #[arg(long, default_values = ["The whale", "I went to the", "Queequeg"])]
    prompt: Vec<String>,
    /// Folder that the run writes into.
    #[arg(long, value_name = "DIR", default_value = "artifacts/text-generation")]
    artifacts: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let (outcome, samples) = train_and_write(&Args::parse())?;
    let Outcome { test_tokens, perplexity, unigram, bigram, .. } = outcome;
    println!("\nperplexity of {test_tokens} tokens that the model never saw: {perplexity:.1}");
    println!("by the frequencies of tokens:                 {unigram:.1}");
    println!("by the frequencies of pairs of tokens:        {bigram:.1}");
    for text in samples {
        println!("\n{text}");
    }
    Ok(())
}

/// Trains, and returns what was reached and a text for each prompt.
pub fn train_and_write(args: &Args) -> Result<(Outcome<NdArray>, Vec<String>), Box<dyn Error>> {
    let corpus = match &args.file {
        Some(path) => Corpus::file(path).map_err(|error| format!("{}: {error}", path.display()))?,
        None if args.db_pedia => Corpus::db_pedia(args.folder.as_deref(), args.abstracts)?,
        None => Corpus::moby_dick()?,
    };
    let device = Default::default();
    let config = config(args);
    let outcome = run::<Autodiff<NdArray>>(&args.artifacts, &config, &corpus, &device)?;
    let sampling = SamplingConfig::new();
    let write = |prompt: &String| {
        sample(&outcome.model, &outcome.tokenizer, prompt, config.context, &sampling, &device)
    };
    let samples = args.prompt.iter().map(write).collect::<Result<_, _>>()?;
    Ok((outcome, samples))
}

fn config(args: &Args) -> TrainingConfig {
    let config = if args.small {
        let transformer = TransformerEncoderConfig::new(64, 128, 4, 1)
            .with_dropout(0.0)
            .with_activation(FeedForwardActivation::Relu);
        TrainingConfig::new(transformer).with_vocabulary(300).with_context(32).with_learning_rate(4e-3)
    } else {
        let transformer = TransformerEncoderConfig::new(128, 512, 4, 3);
        TrainingConfig::new(transformer).with_vocabulary(1024).with_context(96).with_num_epochs(12)
    };
    let transformer = config.transformer.clone().with_norm_first(true).with_final_norm(true);
    let epochs = args.epochs.unwrap_or(config.num_epochs);
    TrainingConfig { transformer, ..config }.with_num_epochs(epochs)
}

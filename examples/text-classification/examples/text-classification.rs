//! Trains a transformer to classify texts, and says how often it is right for texts that it never saw.
//!
//! ```text
//! cargo run --release --package text-classification --example text-classification
//! cargo run --release --package text-classification --example text-classification -- --ag-news
//! ```

use burn::backend::{Autodiff, NdArray};
use burn::nn::transformer::{FeedForwardActivation, TransformerEncoderConfig};
use burn::train::EvaluationSummary;
use clap::Parser;
use std::error::Error;
use std::path::PathBuf;
use text_classification::corpus::Corpus;
use text_classification::training::{TrainingConfig, run};

/// Train a transformer encoder on definitions of nouns inside of the program, on AG's news, or on DBpedia.
#[derive(Parser, Debug)]
pub struct Args {
    /// Train on AG's news, 120,000 texts of four classes.
    #[arg(long, conflicts_with = "db_pedia")]
    ag_news: bool,
    /// Train on DBpedia, 560,000 texts of fourteen classes.
    #[arg(long)]
    db_pedia: bool,
    /// Folder of `train.csv` and `test.csv` [default: $BURN_AG_NEWS_DIR or $BURN_DBPEDIA_DIR, or the cache in
    /// the home folder].
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Number of training texts to use, for a quick look.
    #[arg(long, value_name = "N")]
    texts: Option<usize>,
    /// Times to go through the training texts.
    #[arg(long)]
    epochs: Option<usize>,
    /// Folder that the run writes into.
    #[arg(long, value_name = "DIR", default_value = "artifacts/text-classification")]
    artifacts: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let (corpus, summary) = train_and_test(&args)?;
    println!("\n{summary}\nalways the most frequent class: {:.2} %", 100.0 * corpus.majority_accuracy());
    println!("other texts: --example text-classification-infer -- --artifacts {}", args.artifacts.display());
    Ok(())
}

/// Trains, and returns the metrics of the test texts.
pub fn train_and_test(args: &Args) -> Result<(Corpus, EvaluationSummary), Box<dyn Error>> {
    let config = if args.ag_news || args.db_pedia {
        TrainingConfig::new(TransformerEncoderConfig::new(256, 1024, 8, 4))
            .with_vocabulary(16_000)
            .with_longest(128)
            .with_learning_rate(5e-4)
            .with_num_epochs(5)
    } else {
        let encoder =
            TransformerEncoderConfig::new(64, 128, 4, 1).with_activation(FeedForwardActivation::Relu);
        TrainingConfig::new(encoder).with_longest(32).with_learning_rate(4e-3).with_num_epochs(6)
    };
    let encoder = config.encoder.clone().with_norm_first(true).with_final_norm(true);
    let epochs = args.epochs.unwrap_or(config.num_epochs);
    let config = TrainingConfig { encoder, ..config }.with_num_epochs(epochs);
    let folder = args.folder.as_deref();
    let mut corpus = match (args.ag_news, args.db_pedia) {
        (true, _) => Corpus::ag_news(folder, config.seed)?,
        (false, true) => Corpus::db_pedia(folder, config.seed)?,
        (false, false) => Corpus::definitions()?,
    };
    if let Some(count) = args.texts {
        corpus = corpus.with_train_texts(count);
    }
    let summary = run::<Autodiff<NdArray>>(&args.artifacts, &config, &corpus, &Default::default())?;
    Ok((corpus, summary))
}

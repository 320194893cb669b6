//! Classifies texts by a model that `text-classification` has trained.
//!
//! ```text
//! cargo run --release --package text-classification --example text-classification-infer -- "a large cat of Africa"
//! ```

use burn::backend::NdArray;
use clap::Parser;
use std::error::Error;
use std::path::PathBuf;
use text_classification::inference::{Classifier, Prediction};

/// Classify texts.
#[derive(Parser, Debug)]
pub struct Args {
    /// The texts; `TITLE: TEXT` has a title.
    #[arg(default_values = [
        "kestrel: small falcon that hovers in the air while hunting",
        "risotto: rice cooked with broth and sprinkled with grated cheese",
        "carpenter: a worker who makes things of wood",
        "Bergen: a port city in southwestern Norway",
    ])]
    texts: Vec<String>,
    /// Folder of the run.
    #[arg(long, value_name = "DIR", default_value = "artifacts/text-classification")]
    artifacts: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    for (text, Prediction { class, probability }) in args.texts.iter().zip(classify(&args)?) {
        println!("{class:15} {:3.0} %  {text}", 100.0 * probability);
    }
    Ok(())
}

/// Returns the class of each text.
pub fn classify(args: &Args) -> Result<Vec<Prediction>, Box<dyn Error>> {
    let classifier = Classifier::<NdArray>::load(&args.artifacts, &Default::default())?;
    let texts: Vec<_> = args.texts.iter().map(|text| text.split_once(": ").unwrap_or(("", text))).collect();
    Ok(classifier.classify(&texts))
}

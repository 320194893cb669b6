//! Embeds sentences and prints how close each two of them are.
//!
//! ```text
//! cargo run --release --package sentence-embeddings --example sentence-embeddings -- [--model FOLDER] [SENTENCE..]
//! ```

use burn::backend::NdArray;
use sentence_embeddings::{Embedder, Error, model_folder};
use std::path::PathBuf;

type B = NdArray;

/// Sentences that are embedded when none is given.
const SENTENCES: &str = include_str!("../data/sentences.txt");

fn main() -> Result<(), Error> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut folder = None;
    if let Some(at) = arguments.iter().position(|argument| argument == "--model") {
        let values: Vec<String> = arguments.drain(at..arguments.len().min(at + 2)).collect();
        folder = Some(PathBuf::from(values.get(1).ok_or("--model needs a folder")?));
    }
    if arguments.is_empty() {
        arguments = SENTENCES.lines().map(str::to_string).collect();
    }
    let device = Default::default();
    let folder = model_folder(folder, &mut |text| println!("{text}"))?;
    let (embedder, report) = Embedder::<B>::load(&folder, &device)?;
    println!("loaded {} parameters of model.safetensors\n", report.loaded.len());

    let embeddings = embedder.embed(&arguments, &device)?;
    let cosines = embeddings.clone().matmul(embeddings.transpose()).into_data();
    let cosines: Vec<f32> = cosines.iter().collect();
    for (row, sentence) in cosines.chunks(arguments.len()).zip(&arguments) {
        let row: String = row.iter().map(|cosine| format!("{cosine:6.2}")).collect();
        println!("{row}   {sentence}");
    }
    Ok(())
}

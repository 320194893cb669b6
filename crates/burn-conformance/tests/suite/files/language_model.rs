use super::target::Target;
use burn_core::tensor::Tensor;
use burn_lm::{LanguageModel, LmError, Tokenizer};
use burn_ndarray::NdArray;
use std::path::Path;

/// A folder of its own: the names of its files are given.
const FOLDER: &str = "language-model";

fn said(error: LmError) -> String {
    error.to_string()
}

/// A model that is loaded also computes.
fn logits(model: Result<LanguageModel<NdArray>, LmError>) -> Result<(), String> {
    model
        .and_then(|model| model.forward(Tensor::from_data([[0, 1]], &Default::default())))
        .map(drop)
        .map_err(said)
}

/// A tokenizer that is loaded also encodes and decodes.
fn tokens(tokenizer: Result<Tokenizer, LmError>) -> Result<(), String> {
    let encoded = tokenizer.and_then(|tokenizer| {
        let tokens = tokenizer.encode("a text, naïve", true)?;
        Ok(tokenizer.decode(&tokens))
    });
    encoded.map(drop).map_err(said)
}

fn model_of_gguf(folder: &Path) -> Result<(), String> {
    logits(LanguageModel::from_gguf(folder.join(FOLDER).join("chat.gguf"), &Default::default()))
}

fn model_of_folder(folder: &Path) -> Result<(), String> {
    logits(LanguageModel::from_folder(folder.join(FOLDER), &Default::default()))
}

fn tokenizer_of_folder(folder: &Path) -> Result<(), String> {
    tokens(Tokenizer::from_folder(folder.join(FOLDER)))
}

fn pairs(folder: &Path) -> Result<(), String> {
    tokens(Tokenizer::from_gguf(folder.join(FOLDER).join("bpe.gguf")))
}

fn unigrams(folder: &Path) -> Result<(), String> {
    tokens(Tokenizer::from_gguf(folder.join(FOLDER).join("unigram.gguf")))
}

pub fn targets(folder: &Path) -> Vec<Target> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../burn-lm/tests/fixtures");
    let own = folder.join(FOLDER);
    std::fs::create_dir_all(&own).expect("the folder can be written");
    let copy = |from: &str, to: &str| {
        std::fs::copy(fixtures.join(from), own.join(to)).expect("the folder can be written");
    };
    for file in ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"] {
        copy(&format!("chat/{file}"), file);
    }
    for file in ["chat.gguf", "bpe.gguf", "unigram.gguf"] {
        copy(file, file);
    }
    let target = |name, file, load| Target::of_file(folder, name, file, None, load);
    vec![
        target("lm-gguf", "language-model/chat.gguf", model_of_gguf as fn(&Path) -> _),
        target("lm-config", "language-model/config.json", model_of_folder),
        target("lm-tokenizer", "language-model/tokenizer.json", tokenizer_of_folder),
        target("lm-tokenizer-config", "language-model/tokenizer_config.json", tokenizer_of_folder),
        target("lm-pairs", "language-model/bpe.gguf", pairs),
        target("lm-unigrams", "language-model/unigram.gguf", unigrams),
    ]
}

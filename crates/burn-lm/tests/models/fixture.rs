use burn_lm::LanguageModel;
use burn_ndarray::NdArray;
use std::path::PathBuf;

pub type B = NdArray;

pub const FAMILIES: [&str; 16] = [
    "llama",
    "llama-linear",
    "llama-dynamic",
    "llama-yarn",
    "llama-llama3",
    "mistral",
    "qwen2",
    "qwen3",
    "smollm3",
    "gemma",
    "gemma2",
    "gemma3",
    "phi",
    "phi3",
    "phi3-longrope",
    "gpt2",
];

/// A model, tokens, and the logits of the reference after the last three of them.
pub struct Fixture {
    pub model: LanguageModel<B>,
    pub tokens: Vec<u32>,
    pub logits: Vec<f32>,
}

pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

pub fn load(name: &str) -> Fixture {
    let folder = folder(name);
    let model = LanguageModel::from_folder(&folder, &Default::default()).unwrap();
    let expected = burn_import::safetensors::open(folder.join("logits.safetensors")).unwrap();
    let tokens = expected.read("tokens").unwrap().unwrap().iter::<i64>().map(|token| token as u32).collect();
    let logits = expected.read("logits").unwrap().unwrap().to_vec::<f32>().unwrap();
    Fixture { model, tokens, logits }
}

/// Compares the last logits with those of the reference, which are about 1 to 10.
pub fn check(name: &str, found: &[f32], expected: &[f32]) {
    assert!(found.len() >= expected.len());
    let found = &found[found.len() - expected.len()..];
    let largest = expected.iter().fold(1.0_f32, |most, x| most.max(x.abs()));
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = (found - expected).abs();
        assert!(difference <= 1e-4 * largest, "{name}: logit {index}: {found}, expected {expected}");
    }
}

/// The tokens that the references made, by name.
pub fn tokens(name: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(folder("tokens.json")).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap()[name].clone()
}

pub fn numbers(value: &serde_json::Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap() as u32).collect()
}

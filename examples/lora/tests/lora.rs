//! Adapters of small models with random weights: what training changes, and the files of PEFT.

use burn::backend::{Autodiff, NdArray};
use burn::lm::{LanguageModel, LanguageModelConfig, RopeConfig};
use burn::module::{AutodiffModule, Module};
use burn::nn::lora::{LoraConfig, LoraRecord, merge, record, remove};
use burn::prelude::*;
use burn::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
use burn::tensor::Tolerance;
use burn::weights::Weights;
use lora::fine_tuning::{FineTuningConfig, fine_tune, mean_loss};
use lora::sequences::Sequences;
use std::path::{Path, PathBuf};

type B = Autodiff<NdArray>;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../crates/burn-lm/tests/fixtures").join(name)
}

/// A text of 40 tokens that repeats.
fn sequences() -> Sequences {
    let tokens: Vec<u32> = (0..161).map(|position| position * position % 40 + 3).collect();
    Sequences::new(&tokens, 16).unwrap()
}

fn config(targets: &[&str]) -> FineTuningConfig {
    let targets = targets.iter().map(|target| target.to_string()).collect();
    let adapters = LoraConfig::new(4).with_alpha(8.0).with_targets(targets);
    FineTuningConfig::new(adapters).with_steps(40).with_learning_rate(1e-2)
}

fn tensors(folder: &Path) -> Weights {
    burn_import::safetensors::open(folder.join("adapter_model.safetensors")).unwrap()
}

fn saved_logits(folder: &Path) -> TensorData {
    let json = std::fs::read_to_string(folder.join("logits.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let values: Vec<f32> =
        json["values"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect();
    let shape: Vec<usize> =
        json["shape"].as_array().unwrap().iter().map(|x| x.as_u64().unwrap() as usize).collect();
    TensorData::new(values, shape)
}

/// Everything of a model but its adapters.
fn base_bytes(model: &LanguageModel<NdArray>) -> Vec<u8> {
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    Recorder::<NdArray>::record(&recorder, remove(model.clone()).into_record(), ()).unwrap()
}

fn logits(model: &LanguageModel<NdArray>) -> TensorData {
    let tokens = Tensor::<NdArray, 2, Int>::from_data([[5, 9, 33, 7, 8, 21, 40, 2, 3, 11]], &model.device());
    model.forward(tokens).unwrap().into_data()
}

/// The loss falls, the base keeps its bits, and adapters that are merged give the same logits.
fn check_fine_tuning(base: LanguageModel<B>, targets: &[&str], least: f64) -> LanguageModel<B> {
    let (before, sequences) = (mean_loss(&base.valid(), &sequences()).unwrap(), sequences());
    let bytes = base_bytes(&base.valid());
    let tuned = fine_tune(base, &sequences, &config(targets), |_, _| {}).unwrap();
    let after = mean_loss(&tuned.valid(), &sequences).unwrap();
    assert!(before - after > least, "{before} to {after}");
    assert!(base_bytes(&tuned.valid()) == bytes, "the base has changed");
    let merged = remove(merge(tuned.valid()));
    logits(&merged).assert_approx_eq::<f32>(&logits(&tuned.valid()), Tolerance::absolute(1e-4));
    tuned
}

#[test]
fn x_608_adapters_learn_beside_a_frozen_base_and_merge() {
    let base = LanguageModel::<B>::from_folder(fixture("llama"), &Default::default()).unwrap();
    let tuned = check_fine_tuning(base, &["query", "value", "up"], 0.2);
    assert_eq!(record(&tuned).adapters.len(), 6);
}

#[test]
fn x_608_adapters_learn_beside_a_quantized_base() {
    let base = LanguageModel::<B>::from_gguf(fixture("blocks.gguf"), &Default::default()).unwrap();
    let is_quantized =
        |model: &LanguageModel<B>| model.blocks[0].attention.query.weight.val().block_format().is_some();
    assert!(is_quantized(&base));
    let tuned = check_fine_tuning(base, &["query", "value", "output", "gate", "up", "down"], 0.2);
    assert!(is_quantized(&tuned));
}

#[test]
fn x_608_adapters_are_saved_under_the_names_of_peft_and_read_again() {
    let device = Default::default();
    let base = LanguageModel::<B>::from_folder(fixture("llama"), &device).unwrap();
    let tuned = fine_tune(base.clone(), &sequences(), &config(&["query", "down"]), |_, _| {}).unwrap();
    let folder = tempfile::tempdir().unwrap();
    tuned.save_peft_adapter(folder.path(), "some/base").unwrap();

    let json = std::fs::read_to_string(folder.path().join("adapter_config.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let expected = serde_json::json!({
        "peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": "some/base", "r": 4,
        "lora_alpha": 8.0, "lora_dropout": 0.0, "target_modules": ["down_proj", "q_proj"], "bias": "none",
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(json[name], *value, "{name}");
    }
    let weights = tensors(folder.path());
    let mut names: Vec<&str> = weights.tensors().iter().map(|tensor| tensor.name()).collect();
    names.sort_unstable();
    let mut expected = Vec::new();
    for layer in 0..2 {
        for name in ["mlp.down_proj", "self_attn.q_proj"] {
            for factor in ['A', 'B'] {
                expected.push(format!("base_model.model.model.layers.{layer}.{name}.lora_{factor}.weight"));
            }
        }
    }
    assert_eq!(names, expected);
    // PEFT's factors are weights of `torch.nn.Linear`: `[rank, d_input]` and `[d_output, rank]`.
    let adapter = &record(&tuned).adapters["blocks.1.attention.query"];
    let read = |factor: char| {
        let name = format!("base_model.model.model.layers.1.self_attn.q_proj.lora_{factor}.weight");
        weights.read(&name).unwrap().unwrap()
    };
    assert_eq!(read('A'), adapter.a.val().transpose().into_data());
    assert_eq!(read('B'), adapter.b.val().transpose().into_data());

    let loaded = base.load_peft_adapter(folder.path()).unwrap();
    let loaded_again = &record(&loaded).adapters["blocks.1.attention.query"];
    assert_eq!(loaded_again.a.val().into_data(), adapter.a.val().into_data());
    assert_eq!(loaded_again.b.val().into_data(), adapter.b.val().into_data());
    logits(&loaded.valid()).assert_approx_eq::<f32>(&logits(&tuned.valid()), Tolerance::absolute(1e-5));
}

/// GGUF files of Llama have the two halves of a head in turn; PEFT's are one after the other.
#[test]
fn x_608_rows_of_rotated_heads_have_the_order_of_hugging_face() {
    let device = Default::default();
    let config = LanguageModelConfig::new(20, 8, 1, 2, 8);
    let config = config.with_rope(Some(RopeConfig::new().with_interleaved(true)));
    let base = config.init::<NdArray>(&device).unwrap();
    let mut adapted = LoraConfig::new(1).with_targets(vec!["query".into()]).apply(base.clone());
    let mut saved: LoraRecord<NdArray> = record(&adapted);
    let rows = Tensor::<NdArray, 2>::from_data([[0.0, 4.0, 1.0, 5.0, 2.0, 6.0, 3.0, 7.0]], &device);
    // Two heads of four elements: pairs (0, 4), (1, 5) and (2, 6), (3, 7).
    saved.adapters.get_mut("blocks.0.attention.query").unwrap().b = burn::module::Param::from_tensor(rows);
    adapted = burn::nn::lora::load(adapted, saved);
    let folder = tempfile::tempdir().unwrap();
    adapted.save_peft_adapter(folder.path(), "base").unwrap();
    let b = tensors(folder.path())
        .read("base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight")
        .unwrap()
        .unwrap();
    assert_eq!(b.to_f64(), [0.0, 1.0, 4.0, 5.0, 2.0, 3.0, 6.0, 7.0]);
    let loaded = base.load_peft_adapter(folder.path()).unwrap();
    let b = record(&loaded).adapters["blocks.0.attention.query"].b.val();
    assert_eq!(b.into_data().to_f64(), [0.0, 4.0, 1.0, 5.0, 2.0, 6.0, 3.0, 7.0]);
}

#[test]
fn x_608_a_wrong_adapter_is_an_error_that_names_what_is_wrong() {
    let device = Default::default();
    let base = LanguageModel::<NdArray>::from_folder(fixture("llama"), &device).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let error = base.save_peft_adapter(folder.path(), "base").unwrap_err().to_string();
    assert_eq!(error, "wrong `model`; expected a model with adapters, got \"none\"");

    let adapted = LoraConfig::new(2).with_targets(vec!["query".into()]).apply(base.clone());
    adapted.save_peft_adapter(folder.path(), "base").unwrap();
    let config = folder.path().join("adapter_config.json");
    let text = std::fs::read_to_string(&config).unwrap();
    let fails = |from: &str, to: &str, expected: &str| {
        assert!(text.contains(from), "{text}");
        std::fs::write(&config, text.replace(from, to)).unwrap();
        let error = base.clone().load_peft_adapter(folder.path()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    fails("\"LORA\"", "\"IA3\"", "`peft_type`: expected `LORA`, got \"IA3\"");
    fails("\"r\": 2", "\"r\": 3", "expected rank 3");
    fails("\"r\": 2", "\"r\": -2", "`r`: expected a rank, got -2");
    fails("\"use_dora\": false", "\"use_dora\": true", "`use_dora`: expected no such option, got true");
    std::fs::write(&config, &text).unwrap();
    let other = LanguageModelConfig::new(20, 8, 1, 2, 8).init::<NdArray>(&device).unwrap();
    let error = other.load_peft_adapter(folder.path()).unwrap_err().to_string();
    assert!(error.contains("layers.1.self_attn.q_proj.lora_A.weight"), "{error}");
    let joint = LanguageModel::<NdArray>::from_folder(fixture("gpt2"), &device).unwrap();
    let joint = LoraConfig::new(2).with_targets(vec!["query".into()]).apply(joint);
    let error = joint.save_peft_adapter(folder.path(), "base").unwrap_err().to_string();
    assert!(error.contains("joint projections"), "{error}");
}

/// `scripts/peft_fixture.py` has an adapter that PEFT saved and the logits of its model.
#[test]
fn x_608_an_adapter_of_peft_gives_the_logits_of_peft() {
    let device = Default::default();
    let base = LanguageModel::<NdArray>::from_folder(fixture("llama"), &device).unwrap();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/peft");
    let adapted = base.load_peft_adapter(&folder).unwrap();
    let expected = saved_logits(&folder);
    let found = logits(&adapted);
    found.assert_approx_eq::<f32>(&expected, Tolerance::absolute(1e-4));
    // The adapter matters.
    let base = LanguageModel::<NdArray>::from_folder(fixture("llama"), &device).unwrap();
    let difference =
        Tensor::<NdArray, 3>::from_data(logits(&base), &device) - Tensor::from_data(found, &device);
    assert!(difference.abs().max().into_scalar() > 0.05);
}

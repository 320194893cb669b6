use crate::fixture::{B, folder};
use burn_lm::{LanguageModel, LanguageModelConfig};
use std::fs;

#[test]
fn x_602_wrong_configurations_name_file_and_field() {
    let text = fs::read_to_string(folder("llama").join("config.json")).unwrap();
    let cases = [
        ("\"model_type\": \"llama\"", "\"model_type\": \"mamba\"", "model_type", "mamba"),
        ("\"hidden_size\": 16", "\"hidden_size\": \"many\"", "hidden_size", "expected a whole number"),
        ("\"hidden_size\": 16", "\"hidden\": 16", "hidden_size", "missing"),
        ("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 9999999", "n_layers", "got 9999999"),
        ("\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3", "n_key_value_heads", "got 3"),
        ("\"hidden_act\": \"silu\"", "\"hidden_act\": \"sine\"", "hidden_act", "got `sine`"),
        ("\"rope_type\": \"default\"", "\"rope_type\": \"spiral\"", "rope_type", "got `spiral`"),
        ("\"vocab_size\": 48", "\"vocab_size\": 0", "vocabulary_size", "got 0"),
    ];
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("config.json");
    for (found, changed, field, cause) in cases {
        assert!(text.contains(found), "{found}");
        fs::write(&path, text.replace(found, changed)).unwrap();
        let error = LanguageModelConfig::from_hugging_face(&path).unwrap_err().to_string();
        assert!(error.contains("config.json") && error.contains(field) && error.contains(cause), "{error}");
    }
    fs::write(&path, "{").unwrap();
    let error = LanguageModelConfig::from_hugging_face(&path).unwrap_err().to_string();
    assert!(error.contains("not JSON"), "{error}");
}

#[test]
fn x_602_weights_that_do_not_fit_the_configuration_are_named() {
    let temporary = tempfile::tempdir().unwrap();
    let weights = temporary.path().join("model.safetensors");
    fs::copy(folder("llama").join("model.safetensors"), &weights).unwrap();
    let text = fs::read_to_string(folder("llama").join("config.json")).unwrap();
    let cases = [
        (
            "\"intermediate_size\": 24",
            "\"intermediate_size\": 25",
            "gate_proj.weight",
            "expected [25, 16], got [24, 16]",
        ),
        (
            "\"num_hidden_layers\": 2",
            "\"num_hidden_layers\": 3",
            "layers.2.input_layernorm.weight",
            "missing",
        ),
        (
            "\"num_hidden_layers\": 2",
            "\"num_hidden_layers\": 1",
            "layers.1.",
            "no layer of the configuration has it",
        ),
        (
            "\"attention_bias\": true",
            "\"attention_bias\": false",
            ".bias",
            "no layer of the configuration has it",
        ),
    ];
    for (found, changed, name, cause) in cases {
        assert!(text.contains(found), "{found}");
        fs::write(temporary.path().join("config.json"), text.replace(found, changed)).unwrap();
        let error = LanguageModel::<B>::from_folder(temporary.path(), &Default::default()).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("model.safetensors") && error.contains(name) && error.contains(cause),
            "{error}"
        );
    }
    fs::remove_file(&weights).unwrap();
    let error = LanguageModel::<B>::from_folder(temporary.path(), &Default::default()).unwrap_err();
    assert!(error.to_string().contains("neither `model.safetensors` nor"), "{error}");
    fs::write(&weights, b"\x00\x01").unwrap();
    assert!(LanguageModel::<B>::from_folder(temporary.path(), &Default::default()).is_err());
}

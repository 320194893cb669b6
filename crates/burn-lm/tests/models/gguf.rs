use crate::fixture::{B, check, folder, load};
use burn_core::tensor::{Int, Tensor, TensorData};
use burn_lm::LanguageModel;
use std::fs;

#[test]
fn x_602_models_of_gguf_files_give_the_logits_of_transformers() {
    for name in ["llama", "gemma3"] {
        let fixture = load(name);
        let path = folder(&format!("{name}.gguf"));
        let model = LanguageModel::<B>::from_gguf(path, &Default::default()).unwrap();
        let tokens: Vec<i64> = fixture.tokens.iter().map(|token| i64::from(*token)).collect();
        let count = tokens.len();
        let tokens = Tensor::<B, 2, Int>::from_data(TensorData::new(tokens, [1, count]), &Default::default());
        check(name, &model.forward(tokens).unwrap().into_data().to_vec().unwrap(), &fixture.logits);
    }
}

#[test]
fn damaged_gguf_files_are_errors() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("model.gguf");
    let bytes = fs::read(folder("gemma3.gguf")).unwrap();
    for length in (0..bytes.len()).step_by(499) {
        fs::write(&path, &bytes[..length]).unwrap();
        assert!(LanguageModel::<B>::from_gguf(&path, &Default::default()).is_err(), "{length}");
    }
    // Every byte of the metadata changed: an error or a model, never a panic.
    let head = 900.min(bytes.len());
    for index in (0..head).step_by(7) {
        let mut changed = bytes.clone();
        changed[index] ^= 0x55;
        fs::write(&path, &changed).unwrap();
        drop(LanguageModel::<B>::from_gguf(&path, &Default::default()));
    }
    let mut foreign = bytes.clone();
    let at = foreign.windows(6).position(|window| window == b"gemma3").unwrap();
    foreign[at + 5] = b'9';
    fs::write(&path, &foreign).unwrap();
    let error = LanguageModel::<B>::from_gguf(&path, &Default::default()).unwrap_err().to_string();
    assert!(error.contains("general.architecture") && error.contains("gemma9"), "{error}");
}

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

#[test]
fn x_602_quantized_matrices_stay_in_their_blocks() {
    let device = Default::default();
    let expected = burn_import::safetensors::open(folder("blocks.safetensors")).unwrap();
    let tokens = expected.read("tokens").unwrap().unwrap();
    let logits = expected.read("logits").unwrap().unwrap().to_vec::<f32>().unwrap();
    let found = |model: &LanguageModel<B>| {
        let count = tokens.shape[0];
        let tokens = Tensor::<B, 1, Int>::from_data(tokens.clone(), &device).reshape([1, count]);
        model.forward(tokens).unwrap().into_data().to_vec::<f32>().unwrap()
    };
    let floats = LanguageModel::<B>::from_gguf_dequantized(folder("blocks.gguf"), &device).unwrap();
    assert!(floats.blocks[0].attention.query.weight.val().block_format().is_none());
    check("blocks", &found(&floats), &logits);
    let blocks = LanguageModel::<B>::from_gguf(folder("blocks.gguf"), &device).unwrap();
    assert!(blocks.blocks[0].attention.query.weight.val().block_format().is_some());
    assert!(blocks.embedding.weight.val().block_format().is_some());
    // More than eight rows are products of the dequantized matrix.
    check("blocks", &found(&blocks), &logits);
    // Fewer rows are rounded to 8 bits for a product, by at most a 254th of the largest of 32.
    let ids: Vec<u32> = tokens.iter::<i64>().map(|token| token as u32).collect();
    let mut cache = burn_lm::KvCache::new(&blocks, 32).unwrap();
    let sequence = cache.start(&ids, 32).unwrap();
    let mut last = Vec::new();
    for token in &ids {
        let hidden = blocks.decode(&[(sequence, &[*token])], &mut cache).unwrap();
        last.extend(blocks.logits(hidden).into_data().to_vec::<f32>().unwrap());
    }
    let largest = logits.iter().fold(1.0_f32, |most, x| most.max(x.abs()));
    for (found, expected) in last[last.len() - logits.len()..].iter().zip(&logits) {
        assert!((found - expected).abs() < 0.05 * largest, "{found} {expected}");
    }
}

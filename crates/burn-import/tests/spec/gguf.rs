//! GGUF, its metadata and its quantized tensors.

use super::files::{close, expected, fixture, wave};
use burn::tensor::{DType, TensorData};
use burn::weights::TensorSource;
use burn_import::gguf::{self, GgufFile, MetadataArray, MetadataValue};

#[test]
fn x_404_quantized_tensors_are_those_of_the_reference() {
    let weights = gguf::open(fixture("tensors.gguf")).unwrap();
    for name in ["q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k"] {
        let found = weights.read(name).expect("it is there").unwrap();
        let expected = expected("gguf", name);
        // Both compute in single precision, and need not multiply in the same order.
        let largest = expected.iter::<f64>().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        assert!(largest > 0.01, "{name}");
        close(&found, &expected, 2e-6 * largest);
    }
}

#[test]
fn x_404_plain_tensors_have_their_types_and_shapes() {
    let file = GgufFile::open(&fixture("tensors.gguf")).unwrap();
    let info =
        |name: &str| file.tensors().iter().find(|info| info.name == name).expect("it is there").clone();
    assert_eq!((info("f16").dtype, &info("f16").shape[..]), (DType::F16, &[3, 4][..]));
    assert_eq!((info("q4_k").dtype, info("q4_k").stored_as.as_ref()), (DType::F32, "Q4_K"));
    let weights = gguf::open(fixture("tensors.gguf")).unwrap();
    let read = |name: &str| weights.read(name).expect("it is there").unwrap();
    let wave: Vec<f32> = wave(12, 0).into_iter().map(|x| x as f32).collect();
    assert_eq!(read("f32"), TensorData::new(&wave[..], [3, 4]));
    assert_eq!(read("f16"), TensorData::new(&wave[..], [3, 4]).convert_dtype(DType::F16));
    assert_eq!(read("bf16"), TensorData::new(&wave[..8], [2, 4]).convert_dtype(DType::BF16));
    assert_eq!(read("i32"), TensorData::from([[-2, -1, 0], [1, 2, 3]]));
}

#[test]
fn x_404_metadata_are_read() {
    let file = GgufFile::open(&fixture("tensors.gguf")).unwrap();
    let text = |text: &str| MetadataValue::Text(text.to_string());
    assert_eq!(file.get("general.architecture"), Some(&text("llama")));
    assert_eq!(file.get("general.name"), Some(&text("waves")));
    assert_eq!(file.get("llama.context_length"), Some(&MetadataValue::UInt(2048)));
    assert_eq!(file.get("llama.rope.freq_base"), Some(&MetadataValue::Float(10000.0)));
    assert_eq!(file.get("tokenizer.ggml.add_bos_token"), Some(&MetadataValue::Bool(true)));
    assert_eq!(file.get("test.negative"), Some(&MetadataValue::Int(-5)));
    let tokens = ["<s>", "a", "\u{e9}"].map(str::to_string).to_vec();
    assert_eq!(file.get("tokenizer.ggml.tokens"), Some(&MetadataValue::Array(MetadataArray::Text(tokens))));
    let scores = vec![0.0, -1.5, 2.25];
    assert_eq!(file.get("tokenizer.ggml.scores"), Some(&MetadataValue::Array(MetadataArray::Float(scores))));
}

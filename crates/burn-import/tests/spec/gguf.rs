//! GGUF, its metadata and its quantized tensors.

use super::files::{B, CPU, close, expected, fixture, wave};
use burn::backend::{Autodiff, NdArray};
use burn::module::{Module, Param};
use burn::record::{BinBytesRecorder, HalfPrecisionSettings, Recorder};
use burn::tensor::quantization::BlockFormat;
use burn::tensor::{Backend, DType, Tensor, TensorData};
use burn::weights::{Strictness, TensorSource};
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

#[test]
fn quantized_matrices_stay_the_blocks_of_the_file() {
    let file = GgufFile::open(&fixture("tensors.gguf")).unwrap();
    for (index, info) in file.tensors().iter().enumerate() {
        let packed = file.read_packed(index).unwrap();
        let format = BlockFormat::ALL.into_iter().find(|format| format.name() == info.stored_as);
        assert_eq!(packed.as_ref().map(|packed| packed.format), format, "{}", info.name);
        let Some(packed) = packed else { continue };
        let floats = file.read(index).unwrap();
        let matrix = Tensor::<B, 2>::from_blocks(packed, CPU);
        assert_eq!((matrix.shape(), matrix.block_format()), (info.shape.clone(), format));
        assert_eq!(matrix.clone().dequantize().into_data(), floats);
        // The transpose is the same bytes, and selecting rows dequantizes no others.
        let transposed = matrix.clone().transpose();
        assert_eq!(transposed.block_format(), format);
        let dense = Tensor::<B, 2>::from_data(floats, CPU);
        assert_eq!(transposed.dequantize().into_data(), dense.clone().transpose().into_data());
        let rows = Tensor::from_data([info.shape[0] as i64 - 1, 0], CPU);
        assert_eq!(matrix.select(0, rows.clone()).into_data(), dense.select(0, rows).into_data());
    }
}

#[derive(Module, Debug)]
struct Layers<B: Backend> {
    q8_0: Param<Tensor<B, 2>>,
    q4_k: Param<Tensor<B, 2>>,
    f32: Param<Tensor<B, 2>>,
}

#[test]
fn modules_keep_quantized_matrices_where_they_are_asked_to() {
    let weights = gguf::open(fixture("tensors.gguf")).unwrap();
    let empty = || {
        let of = |name: &str| {
            let tensor = weights.tensors().iter().find(|tensor| tensor.name() == name);
            let [rows, columns] = tensor.expect("it is there").shape()[..] else { panic!("a matrix") };
            Param::from_tensor(Tensor::zeros([rows, columns], CPU))
        };
        Layers::<B> { q8_0: of("q8_0"), q4_k: of("q4_k"), f32: of("f32") }
    };
    let (floats, _) = weights.load_into(empty(), Strictness::Lenient).unwrap();
    assert!(!floats.q4_k.is_quantized());
    let (kept, report) = weights.clone().keep_quantized().load_into(empty(), Strictness::Lenient).unwrap();
    assert_eq!(report.loaded, ["q8_0", "q4_k", "f32"]);
    assert_eq!(kept.q8_0.block_format(), Some(BlockFormat::Q8_0));
    assert_eq!(kept.q4_k.block_format(), Some(BlockFormat::Q4K));
    assert!(!kept.f32.is_quantized() && !kept.q4_k.is_require_grad());
    assert_eq!(kept.q4_k.val().dequantize().into_data(), floats.q4_k.val().into_data());

    // A record holds the blocks too.
    let recorder = BinBytesRecorder::<HalfPrecisionSettings>::new();
    let bytes = Recorder::<B>::record(&recorder, kept.into_record(), ()).unwrap();
    let again = empty().load_record(Recorder::<B>::load(&recorder, bytes, CPU).unwrap());
    assert_eq!(again.q4_k.block_format(), Some(BlockFormat::Q4K));
    assert_eq!(again.q4_k.val().dequantize().into_data(), floats.q4_k.val().into_data());
}

#[test]
fn gradients_flow_through_products_with_quantized_matrices_to_the_other_side() {
    type A = Autodiff<NdArray>;
    let file = GgufFile::open(&fixture("tensors.gguf")).unwrap();
    for (index, _) in file.tensors().iter().enumerate() {
        let Some(packed) = file.read_packed(index).unwrap() else { continue };
        let weight = Tensor::<A, 2>::from_blocks(packed, CPU);
        let [rows, columns] = weight.dims();
        let x = Tensor::<A, 2>::ones([2, columns], CPU).require_grad();
        let y = x.clone().matmul(weight.clone().transpose());
        assert_eq!(y.dims(), [2, rows]);
        let grads = (y * 2.0).sum().backward();
        let found = x.grad(&grads).expect("x is tracked").into_data();
        // The gradient of each row is twice the sum of the rows of the weight.
        let sums = (weight.clone().inner().dequantize().sum_dim(0) * 2.0).expand([2, columns]).into_data();
        let largest = sums.iter::<f64>().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        close(&found, &sums.convert::<f64>(), 1e-5 * largest);
        assert!(!weight.is_require_grad() && weight.grad(&grads).is_none());
    }
}

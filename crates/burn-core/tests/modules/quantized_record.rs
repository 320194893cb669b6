//! Records of quantized tensors: whatever else they hold is an error.

use burn_core::module::{MinMaxCalibration, Module, Param, Quantizer};
use burn_core::record::{
    BinBytesRecorder, FullPrecisionSettings, IntoNode, KeyPath, Node, Record, RecordError, Recorder,
};
use burn_core::tensor::quantization::{QuantizationScheme, QuantizationType};
use burn_core::tensor::{DType, Int, Tensor, bf16, f16};
use burn_ndarray::NdArray;

type B = NdArray;

const SCHEME: QuantizationScheme =
    QuantizationScheme::PerTensorAffine(QuantizationType::QInt8).per_channel(0);

fn weight() -> Tensor<B, 2> {
    // Rows with steps of 1 and of 2, and zero points of -128 and 127.
    Tensor::<B, 2>::from_data([[0.0, 255.0, 7.0], [-510.0, 0.0, -2.0]], &Default::default())
        .quantize_dynamic(&SCHEME)
}

fn node() -> Node {
    weight().into_node()
}

fn read(node: Node) -> Result<Tensor<B, 2>, RecordError> {
    Tensor::from_node(node, &KeyPath::ROOT.key("weight"), &Default::default())
}

/// The node with another value in a field, or none.
fn with(key: &str, value: Option<Node>) -> Node {
    let Node::Map(mut fields) = node() else { panic!("it has fields") };
    fields.retain(|(name, _)| name != key);
    fields.extend(value.map(|value| (key.to_string(), value)));
    Node::Map(fields)
}

#[test]
fn quantized_tensor_is_written_as_it_is() {
    let Node::Map(fields) = node() else { panic!("it has fields") };
    let text = |text: &str| Node::Text(text.to_string());
    let expected = [
        ("quantized", text("QInt8")),
        ("mode", text("affine")),
        ("level", text("channel")),
        ("size", Node::UInt(0)),
        ("shape", Node::List([Node::UInt(2), Node::UInt(3)].into())),
        ("dtype", text("f32")),
        // By hand: 0, 255 and 7 less 128; -510, 0 and -2 halved, plus 127; two numbers that fill the word.
        ("values", Node::Bytes([0x80, 0x7F, 0x87, 0x80, 0x7F, 0x7E, 0, 0].into())),
        ("scale", Node::Bytes([1.0_f32.to_le_bytes(), 2.0_f32.to_le_bytes()].concat())),
        ("zero", Node::Bytes([(-128_i32).to_le_bytes(), 127_i32.to_le_bytes()].concat())),
    ];
    assert_eq!(fields, expected.map(|(key, value)| (key.to_string(), value)));
    let loaded = read(node()).expect("nothing is changed");
    assert_eq!(loaded.quantization(), Some(SCHEME));
    assert_eq!(loaded.into_data().to_f64(), [0.0, 255.0, 7.0, -510.0, 0.0, -2.0]);
}

#[test]
fn quantized_tensor_with_damaged_parts_is_an_error() {
    let text = |text: &str| Some(Node::Text(text.to_string()));
    let list = |sizes: &[u64]| Some(Node::List(sizes.iter().map(|&size| Node::UInt(size)).collect()));
    let bytes = |count: usize| Some(Node::Bytes(vec![1; count]));
    let half = f16::ONE.to_le_bytes().len();
    let damaged = [
        ("quantized", text("QInt16"), "unknown type"),
        ("quantized", Some(Node::UInt(8)), "unknown type"),
        ("mode", text("odd"), "unknown mode"),
        ("mode", None, "unknown mode"),
        ("mode", text("symmetric"), "no zero points"),
        ("level", text("row"), "unknown level"),
        ("level", None, "unknown level"),
        ("level", text("tensor"), "unknown level"),
        ("level", text("block"), "blocks of 0"),
        ("size", Some(Node::Int(-1)), "unknown level"),
        ("size", Some(Node::UInt(2)), "dimension 2"),
        ("size", Some(Node::UInt(u64::MAX)), "dimension"),
        ("size", Some(Node::UInt(1)), "scales of shape [3]"),
        ("shape", None, "without a shape"),
        ("shape", Some(Node::List([Node::Int(-2)].into())), "without a shape"),
        ("shape", list(&[6]), "rank 2"),
        ("shape", list(&[2, 30]), "words of shape [15]"),
        ("shape", list(&[1 << 40, 1 << 40]), "than memory can hold"),
        ("shape", list(&[2, 0]), "words of shape [0]"),
        ("dtype", text("i32"), "unknown type"),
        ("dtype", text("f128"), "unknown type"),
        ("dtype", text("f64"), "scales of shape [2]"),
        ("values", bytes(4), "words of shape [2]"),
        ("values", bytes(12), "words of shape [2]"),
        ("values", bytes(7), "bytes"),
        ("values", None, "missing"),
        ("values", text("12345678"), "expected bytes"),
        ("scale", bytes(4), "scales of shape [2]"),
        ("scale", bytes(4 + half), "bytes"),
        ("zero", bytes(0), "zero points of shape [2]"),
        ("zero", None, "needs zero points"),
        ("more", text("?"), "unexpected: weight.more"),
    ];
    for (key, value, expected) in damaged {
        let error = read(with(key, value.clone())).expect_err("it is damaged").to_string();
        assert!(error.contains("weight") && error.contains(expected), "{key} {value:?}: {error}");
    }
}

#[test]
fn quantized_tensor_is_no_tensor_of_another_kind() {
    let root = KeyPath::ROOT;
    assert!(Tensor::<B, 2, Int>::from_node(node(), &root, &Default::default()).is_err());
    assert!(Tensor::<B, 1>::from_node(node(), &root, &Default::default()).is_err());
}

#[test]
fn scales_have_the_element_type_of_the_backend() {
    fn loaded<E: burn_core::tensor::FloatElement>() -> (DType, Vec<f64>)
    where
        NdArray<E>: burn_core::tensor::Backend<Device = burn_ndarray::NdArrayDevice>,
    {
        let x = Tensor::<NdArray<E>, 2>::from_node(node(), &KeyPath::ROOT, &Default::default());
        let x = x.expect("the node is whole");
        assert!(x.is_quantized());
        (x.dtype(), x.into_data().to_f64())
    }
    let expected = vec![0.0, 255.0, 7.0, -510.0, 0.0, -2.0];
    assert_eq!(loaded::<f64>(), (DType::F64, expected.clone()));
    assert_eq!(loaded::<f16>(), (DType::F16, expected.clone()));
    assert_eq!(loaded::<bf16>().0, DType::BF16);
}

#[test]
fn quantized_parameter_with_flipped_bits_is_an_error_of_the_checksum() {
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let weight: Param<Tensor<B, 2>> = Param::from_tensor(weight().dequantize());
    let weight =
        weight.quantize_weights(&mut Quantizer { calibration: MinMaxCalibration {}, scheme: SCHEME });
    let bytes: Vec<u8> = Recorder::<B>::record(&recorder, weight, ()).expect("it can be saved");
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        let loaded: Result<Param<Tensor<B, 2>>, _> =
            Recorder::<B>::load(&recorder, damaged, &Default::default());
        assert!(loaded.is_err(), "byte {place}");
    }
    for length in 0..bytes.len() {
        let loaded: Result<Param<Tensor<B, 2>>, _> =
            Recorder::<B>::load(&recorder, bytes[..length].to_vec(), &Default::default());
        assert!(loaded.is_err(), "{length} bytes");
    }
}

#[test]
fn a_quantized_shape_that_no_tensor_can_have_is_an_error() {
    let sizes = |sizes: [u64; 2]| Some(Node::List(sizes.map(Node::UInt).into()));
    let largest = (usize::MAX / 2) as u64;
    for shape in [[0, largest], [largest, 0], [largest, largest]] {
        let error = read(with("shape", sizes(shape))).unwrap_err().to_string();
        assert!(error.contains("more elements than memory can hold"), "{error}");
    }
}

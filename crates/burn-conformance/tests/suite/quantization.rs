//! Quantized tensors by hand.

use burn_backend::{
    Backend, IntegerMatmulArgs, Packed, QuantizationScheme, QuantizationType, QuantizeArgs,
    QuantizedMatmulArgs, Shape, TensorData, block_on,
};
use burn_ndarray::NdArray;
use minimal_backend::Toy;

fn upload<B: Backend>(data: impl Into<TensorData>) -> B::Tensor {
    B::from_data(data.into(), &B::Device::default())
}

fn read<B: Backend>(x: B::Tensor) -> TensorData {
    block_on(B::into_data(x)).expect("tests may wait").expect("the device works")
}

/// `[[1, -2, 3, 4], [5, 6, -7, 8]]`, each column with a scale.
fn weight<B: Backend>() -> Packed<B::Tensor> {
    let words = [0x0403_FE01_u32, 0x08F9_0605].map(|word| word as i32);
    Packed {
        values: upload::<B>(words),
        scale: upload::<B>([1.0_f32, 0.5, 2.0, 0.25]),
        zero: None,
        scheme: QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8).per_channel(1),
        shape: Shape::new([2, 4]),
    }
}

fn bytes<B: Backend>() {
    let x = [-100.0, -63.5, -0.75, -0.25, 0.25, 0.75, 1.0, 100.0, f32::NAN];
    let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
    let (x, scale) = (upload::<B>(x), upload::<B>([0.5_f32]));
    let values = B::quantize(QuantizeArgs { x, scale: scale.clone(), zero: None, scheme });
    assert_eq!(read::<B>(values.clone()), TensorData::from([0x00FE_8181, 0x7F02_0200, 0]));
    let x = B::dequantize(Packed { values, scale, zero: None, scheme, shape: Shape::new([3, 3]) });
    let expected = [[-63.5_f32, -63.5, -1.0], [0.0, 0.0, 1.0], [1.0, 63.5, 0.0]];
    assert_eq!(read::<B>(x), TensorData::from(expected));
}

fn nibbles<B: Backend>() {
    let x = upload::<B>([-30.0_f32, -22.0, -6.0, 0.0, 2.0, 7.0, 8.0, 50.0]);
    let scheme = QuantizationScheme::PerTensorAffine(QuantizationType::QInt4);
    let (scale, zero) = (upload::<B>([2.0_f32]), Some(upload::<B>([3_i32])));
    let values = B::quantize(QuantizeArgs { x, scale: scale.clone(), zero: zero.clone(), scheme });
    assert_eq!(read::<B>(values.clone()), TensorData::from([0x7774_3088]));
    let x = B::dequantize(Packed { values, scale, zero, scheme, shape: Shape::new([8]) });
    let expected = [-22.0_f32, -22.0, -6.0, 0.0, 2.0, 8.0, 8.0, 8.0];
    assert_eq!(read::<B>(x), TensorData::from(expected));
}

fn products<B: Backend>() {
    let lhs = upload::<B>([[1.0_f32, 2.0]]);
    let product = B::quantized_matmul(QuantizedMatmulArgs { lhs, rhs: weight::<B>() });
    assert_eq!(read::<B>(product), TensorData::from([[11.0_f32, 5.0, -22.0, 5.0]]));
    // 3 and 0, less a zero point of 1.
    let lhs = Packed {
        values: upload::<B>([3_i32]),
        scale: upload::<B>([0.5_f32]),
        zero: Some(upload::<B>([1_i32])),
        scheme: QuantizationScheme::PerTensorAffine(QuantizationType::QInt8),
        shape: Shape::new([1, 2]),
    };
    let product = B::integer_matmul(IntegerMatmulArgs { lhs, rhs: weight::<B>() });
    assert_eq!(read::<B>(product), TensorData::from([[-1.5_f32, -2.5, 13.0, 0.0]]));
}

#[test]
fn quantize_rounds_halves_to_the_even_number_and_ends_at_the_range() {
    bytes::<NdArray>();
    bytes::<Toy>();
    nibbles::<NdArray>();
    nibbles::<Toy>();
}

#[test]
fn products_are_those_of_what_numbers_stand_for() {
    products::<NdArray>();
    products::<Toy>();
}

//! Quantized tensors stay on the device. In a process of its own: another test would be counted.

mod device;

use burn_backend::TypedCalls;
use burn_backend::{
    Backend, BinaryOp, DType, HasSpec, IntegerMatmulArgs, Packed, QuantizationScheme, QuantizationType,
    QuantizeArgs, QuantizedMatmulArgs, TensorSpec, block_on,
};
use burn_wgpu::{Wgpu, WgpuDevice};

#[test]
fn quantized_tensors_stay_on_the_device() {
    device::require();
    type B = Wgpu<f32, i32>;
    let device = WgpuDevice::default();
    let full =
        |shape: &[usize], value: f32| B::full(TensorSpec::new(shape, DType::F32), value.into(), &device);
    let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
    let packed = |x: <B as Backend>::Tensor| {
        let (scale, shape) = (full(&[1], 0.25), x.shape());
        let values = B::quantize(QuantizeArgs { x, scale: scale.clone(), zero: None, scheme });
        Packed { values, scale, zero: None, scheme, shape }
    };
    let x = full(&[4, 32], 0.5);
    let engine = x.engine();
    let before = engine.reads();
    let rhs = packed(full(&[32, 8], 1.5));
    let float = B::quantized_matmul(QuantizedMatmulArgs { lhs: x.clone(), rhs: rhs.clone() });
    let whole = B::integer_matmul(IntegerMatmulArgs { lhs: packed(x), rhs: rhs.clone() });
    let both = B::binary(BinaryOp::Add, float, whole);
    let sum =
        B::binary(BinaryOp::Add, both, B::slice(B::dequantize(rhs), [(0..4).into()].into_iter().collect()));
    assert_eq!(engine.reads(), before, "nothing is read before it is asked for");
    // 32 products of 0.5 and 1.5, twice, and 1.5.
    let data = block_on(B::into_data(sum)).unwrap().unwrap();
    assert_eq!(data.to_f64(), [49.5; 32]);
}

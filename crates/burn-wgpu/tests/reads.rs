//! Nothing comes back to the host but what is asked for.

mod device;

use burn_backend::{
    Backend, BinaryOp, DType, Dims, Distribution, HasSpec, IntegerMatmulArgs, Packed, QuantizationScheme,
    QuantizationType, QuantizeArgs, QuantizedMatmulArgs, ReduceOp, Shape, TensorSpec, UnaryOp, block_on,
};
use burn_wgpu::{Wgpu, WgpuDevice};

#[test]
fn only_into_data_reads() {
    if device::is_missing() {
        return;
    }
    let device = WgpuDevice::default();
    let random = |shape: [usize; 2]| {
        Wgpu::<f32, i32>::random(TensorSpec::new(shape, DType::F32), Distribution::Default, &device)
    };
    let (x, y) = (random([64, 32]), random([32, 48]));
    let engine = x.engine();
    let before = engine.reads();
    let product = Wgpu::<f32, i32>::matmul(x, y);
    let sorted = Wgpu::<f32, i32>::sort(product, 1, true);
    let softmax = Wgpu::<f32, i32>::softmax(sorted, 1);
    let flat = Wgpu::<f32, i32>::reshape(softmax, Shape::from([64 * 48]));
    let sum = Wgpu::<f32, i32>::reduce(ReduceOp::Sum, flat, Dims::from([0]));
    let result =
        Wgpu::<f32, i32>::binary(BinaryOp::Add, sum.clone(), Wgpu::<f32, i32>::unary(UnaryOp::Exp, sum));
    assert_eq!(engine.reads(), before, "nothing is read before it is asked for");
    let data = block_on(Wgpu::<f32, i32>::into_data(result)).unwrap().unwrap();
    assert_eq!(engine.reads(), before + 1);
    // 64 rows that sum to 1 each.
    let expected = 64.0 + 64.0_f64.exp();
    assert!((data.to_f64()[0] / expected - 1.0).abs() < 1e-3, "{data}");
}

#[test]
fn quantized_tensors_stay_on_the_device() {
    if device::is_missing() {
        return;
    }
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

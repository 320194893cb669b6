//! Tensors of candle are ours, and back, without a copy.

use burn::backend::candle::{CandleTensor, candle_core};
use burn::backend::{Autodiff, Candle};
use burn::tensor::{Bool, Int, Tensor};
use candle_core::Device;

type B = Candle<f32, i64>;

#[test]
fn bk_009_a_tensor_of_candle_is_ours_and_back_without_a_copy() {
    let theirs = candle_core::Tensor::arange(0_f32, 6.0, &Device::Cpu)
        .and_then(|x| x.reshape((2, 3)))
        .expect("it fits");
    let handle = CandleTensor::from_candle(theirs.t().expect("a matrix")).expect("floats");
    let address = handle.address();
    let ours = Tensor::<B, 2>::from_handle(handle);
    assert_eq!(ours.dims(), [3, 2]);
    assert_eq!(ours.clone().into_data().to_f64(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let back = ours.into_handle();
    assert_eq!(back.address(), address);
    assert_eq!(back.into_candle().to_vec2::<f32>().expect("a matrix"), [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]);
}

#[test]
fn a_tensor_of_candle_gets_gradients_here() {
    let theirs = candle_core::Tensor::new(&[1.0_f32, 2.0], &Device::Cpu).expect("it fits");
    let inner = Tensor::<B, 1>::from_handle(CandleTensor::from_candle(theirs).expect("floats"));
    let x = Tensor::<Autodiff<B>, 1>::from_inner(inner).require_grad();
    let gradients = x.clone().powf_scalar(3.0).sum().backward();
    let grad = x.grad(&gradients).expect("it is tracked").into_handle().into_candle();
    assert_eq!(grad.to_vec1::<f32>().expect("a list"), [3.0, 12.0]);
}

#[test]
fn integers_and_masks_of_candle_have_their_kinds() {
    let list = |x: candle_core::Result<candle_core::Tensor>| {
        CandleTensor::from_candle(x.expect("it fits")).expect("a type of ours")
    };
    let ids = Tensor::<B, 1, Int>::from_handle(list(candle_core::Tensor::new(&[2_u32, 0], &Device::Cpu)));
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
    assert_eq!(x.clone().select(0, ids).into_data().to_f64(), [3.0, 1.0]);
    let mask = list(candle_core::Tensor::new(&[0_u8, 7, 1], &Device::Cpu)).to_bool().expect("bytes");
    let mask = Tensor::<B, 1, Bool>::from_handle(mask);
    assert_eq!(x.mask_fill(mask, 0).into_data().to_f64(), [1.0, 0.0, 0.0]);
}

/// Element types that candle lacks are stored as wider ones, and wrap around at their own width.
#[test]
fn narrow_and_wide_integers_wrap_around_in_their_own_type() {
    use burn::tensor::DType;
    let sums =
        [(DType::I8, 127, -128), (DType::U16, 65_535, 0), (DType::U8, 255, 0), (DType::I16, 32_767, -32_768)];
    for (dtype, largest, expected) in sums {
        let x = Tensor::<B, 1, Int>::from_data([largest], &Default::default()).cast(dtype);
        let next = x.clone() + 1;
        assert_eq!(next.dtype(), dtype);
        assert_eq!(next.into_data().to_f64(), [f64::from(expected)], "{dtype}");
        assert_eq!(
            (x.clone() * x).into_data().to_f64()[0],
            (i64::from(largest).pow(2) % (1 << (8 * dtype.size()))) as f64,
            "{dtype}"
        );
    }
    let x = Tensor::<B, 1, Int>::from_data([-1], &Default::default()).cast(DType::U64);
    assert!(x.clone().greater_elem(0).into_data().as_slice::<bool>().expect("bools")[0], "the largest u64");
    assert_eq!((x / 3).into_data(), burn::tensor::TensorData::from([u64::MAX / 3]));
}

/// Candle walks several tensors along eight dimensions at most.
#[test]
fn tensors_of_more_dimensions_than_candle_walks_along_broadcast() {
    let x = Tensor::<B, 9>::ones([2, 1, 2, 1, 2, 1, 2, 1, 2], &Default::default());
    let y = Tensor::<B, 9>::ones([1, 2, 1, 2, 1, 2, 1, 2, 1], &Default::default());
    let sum = x.clone() + y.clone();
    assert_eq!((sum.dims(), sum.clone().sum().into_data().to_f64()), ([2; 9], vec![1024.0]));
    assert_eq!(sum.mask_fill(x.equal(y), 3).sum().into_data().to_f64(), [1536.0]);
}

//! Tensors of LibTorch are ours, and back, without a copy.

use burn::backend::libtorch::{TchTensor, tch};
use burn::backend::{Autodiff, LibTorch};
use burn::tensor::{Bool, DType, Int, Tensor, TensorData};

type B = LibTorch;

#[test]
fn bk_008_a_tensor_of_libtorch_is_ours_and_back_without_a_copy() {
    let theirs = tch::Tensor::arange(6, (tch::Kind::Float, tch::Device::Cpu)).view([2, 3]);
    let handle = TchTensor::from_tch(theirs.tr()).expect("floats");
    let address = handle.address();
    let ours = Tensor::<B, 2>::from_handle(handle);
    assert_eq!(ours.dims(), [3, 2]);
    assert_eq!(ours.clone().into_data().to_f64(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let back = ours.into_handle();
    assert_eq!(back.address(), address);
    assert_eq!(back.into_tch(), theirs.tr());
}

#[test]
fn a_tensor_of_libtorch_gets_gradients_here() {
    let theirs = tch::Tensor::from_slice(&[1.0_f32, 2.0]);
    let inner = Tensor::<B, 1>::from_handle(TchTensor::from_tch(theirs).expect("floats"));
    let x = Tensor::<Autodiff<B>, 1>::from_inner(inner).require_grad();
    let gradients = x.clone().powf_scalar(3.0).sum().backward();
    let grad = x.grad(&gradients).expect("it is tracked").into_handle().into_tch();
    assert_eq!(grad, tch::Tensor::from_slice(&[3.0_f32, 12.0]));
}

#[test]
fn integers_and_masks_of_libtorch_have_their_kinds() {
    let list = |x: tch::Tensor| TchTensor::from_tch(x).expect("a type of ours");
    let ids = Tensor::<B, 1, Int>::from_handle(list(tch::Tensor::from_slice(&[2_i64, 0])));
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
    assert_eq!(x.clone().select(0, ids).into_data().to_f64(), [3.0, 1.0]);
    let mask = Tensor::<B, 1, Bool>::from_handle(list(tch::Tensor::from_slice(&[false, true, true])));
    assert_eq!(x.mask_fill(mask, 0).into_data().to_f64(), [1.0, 0.0, 0.0]);
}

/// Element types that LibTorch lacks are stored as wider ones, and wrap around at their own width.
#[test]
fn narrow_and_wide_integers_wrap_around_in_their_own_type() {
    let sums = [
        (DType::I8, 127_i64, -128),
        (DType::U32, 4_294_967_295, 0),
        (DType::U16, 65_535, 0),
        (DType::U8, 255, 0),
        (DType::I16, 32_767, -32_768),
    ];
    for (dtype, largest, expected) in sums {
        let x = Tensor::<B, 1, Int>::from_data([largest], &Default::default()).cast(dtype);
        let next = x.clone() + 1;
        assert_eq!(next.dtype(), dtype);
        assert_eq!(next.into_data().to_f64(), [f64::from(expected)], "{dtype}");
        let sum = Tensor::cat(vec![x.clone(), x], 0).sum();
        assert_eq!(
            sum.into_data().to_f64()[0],
            if dtype.is_signed() { -2.0 } else { largest as f64 - 1.0 },
            "{dtype}"
        );
    }
    let x = Tensor::<B, 1, Int>::from_data([-1], &Default::default()).cast(DType::U64);
    assert!(x.clone().greater_elem(0).into_data().as_slice::<bool>().expect("bools")[0], "the largest u64");
    assert_eq!((x / 3).into_data(), TensorData::from([u64::MAX / 3]));
}

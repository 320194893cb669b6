//! Views share a buffer, the last handle writes over it, and no other handle sees a write.

use burn::tensor::Tensor;
use burn_backend::TypedCalls;
use burn_backend::{Backend, DType, TensorData};
use burn_conformance::library_backend;
use burn_tch::{LibTorch, TchTensor, tch};

type B = LibTorch;

fn tensor() -> Tensor<B, 2> {
    Tensor::from_data([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &Default::default())
}

/// The handle goes before the tensor is used up: it would be a second holder.
fn address(x: &Tensor<B, 2>) -> usize {
    x.clone().into_handle().address()
}

#[test]
fn views_are_views_of_libtorch() {
    let x = tensor();
    library_backend::views_share_their_buffer(&x, address);
    // Dimensions that are contiguous in a view are joined without a copy.
    let (start, rows) = (address(&x), x.clone().slice([0..2, 0..2]).unsqueeze::<3>());
    assert_eq!(rows.reshape([2, 2]).into_handle().address(), start);
    assert_ne!(address(&x.clone().transpose().reshape([2, 3])), start);
}

#[test]
fn the_last_holder_of_a_buffer_writes_over_it() {
    let calls: [fn(Tensor<B, 2>) -> Tensor<B, 2>; 8] = [
        |x| x.exp(),
        |x| x.sqrt(),
        |x| x + 1,
        |x| x * Tensor::from_data([[2.0, 3.0, 4.0]], &Default::default()),
        |x| Tensor::from_data([[2.0, 3.0, 4.0]], &Default::default()) - x,
        |x| x.clamp(2, 3),
        |x| x.mask_fill(Tensor::from_data([[true, false, true]], &Default::default()), 0),
        |x| x.slice_assign([0..1, 0..3], Tensor::from_data([[9.0, 8.0, 7.0]], &Default::default())),
    ];
    for (number, call) in calls.into_iter().enumerate() {
        let x = tensor();
        let start = address(&x);
        let expected = call(x.clone() + 0);
        let held = x.clone().transpose();
        assert_ne!(address(&call(x.clone())), start, "{number}: the view still looks");
        assert_eq!(held.into_data(), tensor().transpose().into_data(), "{number}");
        let result = call(x);
        assert_eq!(address(&result), start, "{number}");
        assert_eq!(result.into_data(), expected.into_data(), "{number}");
    }
}

#[test]
fn a_buffer_that_libtorch_holds_is_not_written() {
    let held = tch::Tensor::from_slice2(&[[1.0_f32, 2.0], [3.0, 4.0]]);
    let x = Tensor::<B, 2>::from_handle(TchTensor::from_tch(held.shallow_clone()).expect("floats"));
    drop(x + 1);
    assert_eq!(held, tch::Tensor::from_slice2(&[[1.0_f32, 2.0], [3.0, 4.0]]));
    // And after it was handed out.
    let x = tensor();
    let lent = x.clone().into_handle().into_tch();
    drop(x - 1);
    assert_eq!(lent.double_value(&[0, 0]), 1.0);
}

#[test]
fn results_that_look_like_their_operand_are_no_second_owner_of_its_buffer() {
    library_backend::results_are_no_second_owner::<B>(&[|x| x.reshape([2, 3])]);
    let wide = B::from_data(TensorData::from([1_u64, u64::MAX]), &Default::default());
    let signed = B::cast(wide.clone(), DType::I64);
    drop(B::unary(burn_backend::UnaryOp::Neg, signed));
    let wide = burn_backend::block_on(B::into_data(wide)).expect("no wait").expect("data");
    assert_eq!(wide, TensorData::from([1_u64, u64::MAX]));
}

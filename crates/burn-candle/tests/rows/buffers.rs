//! Views share a buffer, and a write through one handle changes no other.

use burn::tensor::Tensor;
use burn_backend::TypedCalls;
use burn_backend::{Backend, TensorData};
use burn_candle::{Candle, CandleTensor, candle_core};
use burn_conformance::library_backend;

type B = Candle<f32, i64>;

fn tensor() -> Tensor<B, 2> {
    Tensor::from_data([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &Default::default())
}

fn address(x: &Tensor<B, 2>) -> usize {
    x.clone().into_handle().address().expect("it is on the host")
}

#[test]
fn views_are_views_of_candle() {
    library_backend::views_share_their_buffer(&tensor(), address);
}

#[test]
fn a_part_is_written_in_place_by_the_last_holder_alone() {
    let x = tensor();
    let (start, view) = (address(&x), x.clone().transpose());
    let part = Tensor::<B, 2>::from_data([[9.0, 8.0, 7.0]], &Default::default());
    let y = x.slice_assign([0..1, 0..3], part.clone());
    assert_ne!(address(&y), start, "the view still looks");
    assert_eq!(view.into_data(), TensorData::from([[1.0_f32, 4.0], [2.0, 5.0], [3.0, 6.0]]));
    let start = address(&y);
    let z = y.slice_assign([1..2, 0..3], part);
    assert_eq!(address(&z), start);
    assert_eq!(z.into_data(), TensorData::from([[9.0_f32, 8.0, 7.0], [9.0, 8.0, 7.0]]));
}

#[test]
fn what_candle_holds_is_not_written() {
    let held =
        candle_core::Tensor::new(&[[1.0_f32, 2.0], [3.0, 4.0]], &candle_core::Device::Cpu).expect("it fits");
    let x = Tensor::<B, 2>::from_handle(CandleTensor::from_candle(held.clone()).expect("a float of 32 bits"));
    let part = Tensor::<B, 2>::from_data([[9.0, 8.0]], &Default::default());
    drop(x.slice_assign([0..1, 0..2], part.clone()));
    assert_eq!(held.to_vec2::<f32>().expect("a matrix"), [[1.0, 2.0], [3.0, 4.0]]);
    // And after it was handed out.
    let x = tensor();
    let lent = x.clone().into_handle().into_candle();
    drop(x.slice_assign([0..1, 0..3], Tensor::from_data([[0.0; 3]], &Default::default())));
    assert_eq!(lent.to_vec2::<f32>().expect("a matrix")[0], [1.0, 2.0, 3.0]);
}

#[test]
fn results_that_look_like_their_operand_are_no_second_owner_of_its_buffer() {
    library_backend::results_are_no_second_owner::<B>(&[]);
    let bools = B::from_data(TensorData::from([true, false]), &Default::default());
    let bytes = B::cast(bools.clone(), burn_backend::DType::U8);
    drop(bools);
    assert_eq!(
        burn_backend::block_on(B::into_data(bytes)).expect("no wait").expect("data"),
        TensorData::from([1_u8, 0])
    );
}

//! bits of integers, logic, and elements picked by a mask.

use crate::expect::{exactly, panics};
use crate::given::{B, CPU, bool, float, int};
use burn::tensor::{DType, Int, Tensor};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

#[test]
fn x_010_bits() {
    let (x, y) = (|| int::<1>([0b1100, -1, 5]), || int::<1>([0b1010, 6, -2]));
    exactly(x().bitwise_and(y()), [0b1000, 6, 4]);
    exactly(x().bitwise_or(y()), [0b1110, -1, -1]);
    exactly(x().bitwise_xor(y()), [0b0110, -7, -5]);
    exactly(x().bitwise_not(), [-13, 0, -6]);
    exactly(x().bitwise_and_scalar(6), [4, 6, 4]);
    exactly(x().bitwise_or_scalar(3), [15, -1, 7]);
    exactly(x().bitwise_xor_scalar(-1), [-13, 0, -6]);
    exactly(int::<2>([[1], [2]]).bitwise_or(int([[4, 8]])), [[5, 9], [6, 10]]);
    let bytes = Tensor::<B, 1, Int>::from_data([200, 1], (CPU, DType::U8));
    exactly(bytes.bitwise_not(), [55, 254]);
    let message = panics(|| x().bitwise_and_scalar(0.5));
    assert!(message.starts_with("bitwise_and_scalar: the number 0.5"), "{message}");
}

#[test]
fn x_010_shifts() {
    exactly(int::<1>([5, -5, 1]).bitwise_left_shift(int([1, 63, 64])), [10, i64::MIN, 0]);
    exactly(int::<1>([5, -5, -5]).bitwise_right_shift(int([1, 1, 64])), [2, -3, -1]);
    exactly(int::<1>([5, -5]).bitwise_left_shift_scalar(3), [40, -40]);
    exactly(int::<1>([5, -5]).bitwise_right_shift_scalar(1), [2, -3]);
    let narrow = Tensor::<B, 1, Int>::from_data([100, -100], (CPU, DType::I8));
    exactly(narrow.bitwise_left_shift_scalar(1), [-56, 56]);
    assert!(int::<1>([1, 2]).try_bitwise_left_shift(int([1, 2, 3])).is_err());
}

#[test]
fn x_011_logic() {
    let (x, y) = (|| bool::<2>([[true], [false]]), || bool::<2>([[true, false]]));
    exactly(x().bool_and(y()), [[true, false], [false, false]]);
    exactly(x().bool_or(y()), [[true, true], [true, false]]);
    exactly(x().bool_xor(y()), [[false, true], [true, false]]);
    assert!(x().try_bool_and(bool([[true], [true], [true]])).is_err());
}

#[test]
fn x_011_elements_picked_by_a_mask() {
    let x = || float::<2>([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    exactly(x().mask_select(x().greater_elem(2.5)), [3.0, 4.0, 5.0, 6.0]);
    exactly(x().mask_select(bool([[true, false, true]])), [1.0, 3.0, 4.0, 6.0]);
    exactly(float::<2>([[7.0], [8.0]]).mask_select(bool([[true, true]])), [7.0, 7.0, 8.0, 8.0]);
    assert_eq!(x().mask_select(x().greater_elem(9)).dims(), [0]);
    exactly(bool::<1>([true, false]).mask_select(bool([false, true])), [false]);
    let message = panics(|| x().mask_select(bool([[true, false]])));
    assert!(message.starts_with("mask_select: ") && message.contains("dimension 1"), "{message}");
    let mut picked = pin!(x().mask_select_async(x().lower_elem(2.5)));
    let Poll::Ready(picked) = picked.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("this backend computes at once");
    };
    exactly(picked.expect("fits"), [1.0, 2.0]);
    crate::slopes::agree([0.5, -1.0, 2.0], |x: Tensor<_, 1>| {
        x.clone().mask_select(x.lower_elem(1)).sum().reshape([1])
    });
}

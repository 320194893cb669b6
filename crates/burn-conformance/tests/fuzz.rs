//! A few thousand random calls, and those that once went wrong. `cargo xtask fuzz` goes on for longer.

use burn_backend::dynamic::DynamicDevice;
use burn_backend::{Backend, DType};
use burn_conformance::fuzz::{METHODS, Outcome, Random, check, check_method, parse, random_call};
use burn_ndarray::NdArray;
use burn_tensor::{Int, PadMode, Tensor, activation, signal};

fn device() -> DynamicDevice {
    DynamicDevice::new::<NdArray>(Default::default())
}

fn finish(failures: &[String]) {
    let shown = failures.len().min(12);
    assert!(failures.is_empty(), "{} calls went wrong\n  {}", failures.len(), failures[..shown].join("\n  "));
}

#[test]
fn random_operations_are_refused_or_run() {
    let (mut random, device) = (Random::new(20_011), device());
    let (mut failures, mut run, mut refused) = (Vec::new(), 0, 0);
    for _ in 0..10_000 {
        match check(&random_call(&mut random), &device) {
            Ok(Outcome::Run) => run += 1,
            Ok(Outcome::Refused) => refused += 1,
            Ok(Outcome::LeftOut) => {}
            Err(error) => failures.push(error),
        }
    }
    finish(&failures);
    // Neither kind is rare.
    assert!(run > 2500 && refused > 2500, "{run} run, {refused} refused");
}

#[test]
fn random_methods_give_an_error_or_a_result() {
    let (mut random, device) = (Random::new(20_011), device());
    let numbers = (0..3 * METHODS).map(|number| number % METHODS);
    let failures: Vec<String> =
        numbers.filter_map(|number| check_method(number, &mut random, &device).err()).collect();
    finish(&failures);
}

#[test]
fn what_once_went_wrong_does_not_any_more() {
    let device = device();
    let cases = include_str!("fuzz.jsonl").lines().map(|line| parse(line).expect("the call can be read"));
    let failures: Vec<String> = cases.filter_map(|op| check(&op, &device).err()).collect();
    finish(&failures);
}

/// Each of these panicked, in index arithmetic or half way through a composition.
#[test]
fn methods_that_once_panicked_give_an_error() {
    let device = Default::default();
    let floats = |shape: [usize; 2]| Tensor::<NdArray, 2>::zeros(shape, &device);
    let error = floats([2, 3]).try_slice([0..=isize::MAX]).unwrap_err();
    assert_eq!(error.operation(), "slice");
    let error = floats([2, 3]).try_slice_assign([0..=isize::MAX], floats([2, 3])).unwrap_err();
    assert_eq!(error.operation(), "slice_assign");
    for mode in [PadMode::Constant(0.into()), PadMode::Edge] {
        let error = floats([0, 3]).try_pad([(usize::MAX, usize::MAX)], mode).unwrap_err();
        assert_eq!(error.operation(), "pad");
    }
    let error = signal::try_rfft(floats([0, 3]), 1, Some(usize::MAX)).unwrap_err();
    assert_eq!(error.operation(), "rfft");
    let classes = Tensor::<NdArray, 1, Int>::zeros([0], &device);
    let error = classes.try_one_hot::<2>(usize::MAX).unwrap_err();
    assert_eq!(error.operation(), "one_hot");
}

/// Classes of a narrow dtype are told apart beyond what it holds.
#[test]
fn one_hot_of_bytes_counts_beyond_them() {
    let narrow = NdArray::<f32>::cast(
        Tensor::<NdArray, 1, Int>::from_ints([1, 255], &Default::default()).into_handle(),
        DType::U8,
    );
    let classes = Tensor::<NdArray, 1, Int>::from_handle(narrow).try_one_hot::<2>(300).expect("it fits");
    let sums = classes.clone().sum_dim(1).into_data().to_f64();
    assert_eq!(sums, [1.0, 1.0]);
    assert_eq!(classes.argmax(1).into_data().to_f64(), [1.0, 255.0]);
}

#[test]
fn prelu_of_two_dtypes_is_no_panic() {
    let x = Tensor::<NdArray, 2>::zeros([2, 3], &Default::default());
    let alpha = Tensor::<NdArray, 1>::zeros([3], &Default::default()).cast(DType::BF16);
    match activation::try_prelu(x, alpha) {
        Ok(y) => assert_eq!(y.dims(), [2, 3]),
        Err(error) => assert_eq!(error.operation(), "mul"),
    }
}

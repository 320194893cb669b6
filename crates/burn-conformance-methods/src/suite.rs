//! One line in a backend's test file.

use crate::{check_gradient, check_method, check_refusal, gradients, methods, refusals};
use burn_backend::Backend;
use burn_backend::dynamic::DynamicDevice;
use burn_conformance::fuzz::{Outcome, Random, assert_no_failure, check, check_view, random_call};
use burn_tensor::AutodiffBackend;

/// Makes the tests of random calls of one backend, on its default device.
///
/// ```ignore
/// burn_conformance_methods::random_suite!(
///     NdArray,
///     fusion = Fusion<NdArray>,
///     twice = Autodiff<Autodiff<NdArray>>
/// );
/// ```
#[macro_export]
macro_rules! random_suite {
    ($backend:ty, fusion = $fusion:ty, twice = $twice:ty) => {
        #[test]
        fn random_operations_are_refused_or_run() {
            $crate::suite::operations::<$backend>();
        }

        #[test]
        fn random_methods_give_an_error_or_a_result() {
            $crate::suite::methods_of::<$backend>();
        }

        #[test]
        fn results_beyond_memory_are_errors_that_say_how_much_was_asked() {
            $crate::suite::refusals_of::<$backend>();
        }

        #[test]
        fn random_derivatives_give_an_error_or_a_result() {
            $crate::suite::derivatives::<$backend, $twice>();
        }

        #[test]
        fn random_views_have_the_bits_of_their_copies_fused_or_not() {
            $crate::suite::views::<$backend, $fusion>();
        }
    };
}

fn device<B: Backend>() -> DynamicDevice {
    DynamicDevice::new::<B>(Default::default())
}

fn assert_none(failures: impl Iterator<Item = String>) {
    assert_no_failure(&failures.collect::<Vec<_>>());
}

/// # Panics
/// When a random operation is neither refused nor run as it should, or most of them are one or the other.
pub fn operations<B: Backend>() {
    let (mut random, device) = (Random::new(20_011), device::<B>());
    let (mut failures, mut run, mut refused) = (Vec::new(), 0, 0);
    for _ in 0..10_000 {
        match check(&random_call(&mut random), &device) {
            Ok(Outcome::Run) => run += 1,
            Ok(Outcome::Refused) => refused += 1,
            Ok(Outcome::LeftOut) => {}
            Err(error) => failures.push(error),
        }
    }
    assert_no_failure(&failures);
    // Neither kind is rare.
    assert!(run > 2500 && refused > 2500, "{run} run, {refused} refused");
}

/// # Panics
/// When a method with random arguments panics or gives a wrong error.
pub fn methods_of<B: Backend>() {
    let (mut random, device) = (Random::new(20_011), device::<B>());
    assert_none((0..6 * methods()).filter_map(|number| check_method(number, &mut random, &device).err()));
}

/// Every operation that takes sizes or makes as many elements as its operand has.
///
/// # Panics
/// When a result beyond memory is no error that says how much was asked for.
pub fn refusals_of<B: Backend>() {
    let (mut random, device) = (Random::new(20_011), device::<B>());
    assert_none((0..3 * refusals()).filter_map(|number| check_refusal(number, &mut random, &device).err()));
}

/// # Panics
/// When a derivative with random arguments panics or gives a wrong error.
pub fn derivatives<B: Backend, T: AutodiffBackend<InnerBackend: AutodiffBackend>>() {
    let (mut random, device) = (Random::new(20_011), device::<B>());
    let numbers = 0..30 * gradients::<T>();
    assert_none(numbers.filter_map(|number| check_gradient::<T>(number, &mut random, &device).err()));
}

/// # Panics
/// When an operation on a view has other bits than on its copy, or with fusion `F` others than without.
pub fn views<B: Backend, F: Backend>() {
    let devices = [device::<B>(), device::<F>()];
    let mut random = Random::new(20_023);
    assert_none((0..1_500).filter_map(|_| check_view(&mut random, &devices).err()));
}

use burn_autodiff::Autodiff;
use burn_backend::dynamic::DynamicDevice;
use burn_candle::Candle;
use burn_conformance::fuzz::{Outcome, Random, check, check_view, random_call};
use burn_conformance_methods::{check_gradient, check_method, check_refusal, gradients, methods, refusals};
use burn_fusion::Fusion;

fn device() -> DynamicDevice {
    DynamicDevice::new::<Candle>(Default::default())
}

#[track_caller]
fn finish(failures: impl Iterator<Item = String>) {
    let failures: Vec<String> = failures.collect();
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
    finish(failures.into_iter());
    // Neither kind is rare.
    assert!(run > 2500 && refused > 2500, "{run} run, {refused} refused");
}

#[test]
fn random_methods_give_an_error_or_a_result() {
    let (mut random, device) = (Random::new(20_011), device());
    finish((0..6 * methods()).filter_map(|number| check_method(number, &mut random, &device).err()));
}

#[test]
fn results_beyond_memory_are_errors_that_say_how_much_was_asked() {
    let (mut random, device) = (Random::new(20_011), device());
    finish((0..3 * refusals()).filter_map(|number| check_refusal(number, &mut random, &device).err()));
}

#[test]
fn random_derivatives_give_an_error_or_a_result() {
    type Twice = Autodiff<Autodiff<Candle>>;
    let (mut random, device) = (Random::new(20_011), device());
    let numbers = 0..30 * gradients::<Twice>();
    finish(numbers.filter_map(|number| check_gradient::<Twice>(number, &mut random, &device).err()));
}

#[test]
fn random_views_have_the_bits_of_their_copies_fused_or_not() {
    let devices = [device(), DynamicDevice::new::<Fusion<Candle>>(Default::default())];
    let mut random = Random::new(20_023);
    finish((0..1_500).filter_map(|_| check_view(&mut random, &devices).err()));
}

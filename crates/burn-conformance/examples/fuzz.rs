//! Random calls for some minutes: `cargo xtask fuzz`.

use burn_autodiff::Autodiff;
use burn_backend::dynamic::DynamicDevice;
use burn_conformance::fuzz::{Random, check, check_view, random_call};
use burn_conformance_methods::{check_gradient, check_method, gradients, methods};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use fuzz_run::FuzzRun;
use std::process::ExitCode;

type Twice = Autodiff<Autodiff<NdArray>>;

fn main() -> ExitCode {
    let run = FuzzRun::start();
    // A panic that is caught is reported with the call.
    std::panic::set_hook(Box::new(|_| {}));
    let device = DynamicDevice::new::<NdArray>(Default::default());
    let both = [device.clone(), DynamicDevice::new::<Fusion<NdArray>>(Default::default())];
    let mut random = Random::new(run.seed);
    let (methods, gradients) = (methods(), gradients::<Twice>());
    let (mut calls, mut failures) = (0, 0);
    while run.goes_on(failures) {
        for _ in 0..50 {
            let number = random.below(methods);
            let mut outcomes = vec![
                check(&random_call(&mut random), &device).map(drop),
                check_method(number, &mut random, &device),
            ];
            if random.chance(20) {
                outcomes.push(check_view(&mut random, &both));
            }
            if random.chance(5) {
                let number = random.below(gradients);
                outcomes.push(check_gradient::<Twice>(number, &mut random, &device));
            }
            calls += outcomes.len();
            for error in outcomes.into_iter().filter_map(Result::err) {
                failures += 1;
                println!("{error}");
            }
        }
    }
    println!("{calls} calls, {failures} went wrong");
    FuzzRun::exit_code(failures)
}

//! Averages of modules beyond the values of the fixtures.

use burn_autodiff::Autodiff;
use burn_core::module::{AutodiffModule, Module, Param, RunningState};
use burn_core::tensor::{AutodiffBackend, Backend, Tensor, bf16};
use burn_ndarray::NdArray;
use burn_optim::*;

#[derive(Module, Debug)]
struct Normed<B: Backend> {
    weight: Param<Tensor<B, 1>>,
    frozen: Param<Tensor<B, 1>>,
    mean: RunningState<B, 1>,
}

fn normed<B: AutodiffBackend>() -> Normed<B> {
    let param = |value: f64| Param::from_data([value], &Default::default());
    let frozen: Param<Tensor<B, 1>> = param(5.0);
    Normed { weight: param(0.0), frozen: frozen.set_require_grad(false), mean: RunningState::new(param(0.0)) }
}

fn with(module: Normed<Autodiff<NdArray>>, value: f64) -> Normed<Autodiff<NdArray>> {
    let Normed { weight, frozen, mean } = module;
    mean.update(|_| Tensor::from_data([value], &Default::default()));
    Normed { weight: weight.map(|_| Tensor::from_data([value], &Default::default())), frozen, mean }
}

fn run(mut average: ModuleAverage) -> [f64; 3] {
    let mut module = normed();
    for value in [1.0, 3.0] {
        module = with(module, value);
        average.update(&module);
    }
    assert_eq!(average.updates(), 2);
    let before = module.weight.val().into_data();
    let averaged = average.average(module.clone());
    assert_eq!(module.weight.val().into_data(), before, "the module that is trained stays as it is");
    assert!(averaged.weight.is_require_grad() && !averaged.frozen.is_require_grad());
    let valid = averaged.valid();
    [valid.weight.val(), valid.frozen.val(), valid.mean.value()].map(|x| x.into_data().to_f64()[0])
}

#[test]
fn averages_leave_buffers_unless_they_are_asked_for() {
    assert_eq!(run(SwaConfig::new().init()), [2.0, 5.0, 3.0]);
    assert_eq!(run(SwaConfig::new().with_use_buffers(true).init()), [2.0, 5.0, 2.0]);
    assert_eq!(run(EmaConfig::new().with_decay(0.25).init()), [2.5, 5.0, 3.0]);
    // The decay of the second update is at most 2 / 11.
    let warm = run(EmaConfig::new().with_decay(0.25).with_warm_up(true).init());
    assert!((warm[0] - (2.0 / 11.0 + 3.0 * 9.0 / 11.0)).abs() < 1e-6, "{warm:?}");
}

#[test]
fn averages_of_half_precision_parameters_are_single_precision() {
    type B = Autodiff<NdArray<bf16>>;
    let mut x: Param<Tensor<B, 1>> = Param::from_data([1.0], &Default::default());
    let mut ema = EmaConfig::new().with_decay(0.999).init();
    ema.update(&x);
    x = x.map(|_| Tensor::from_data([2.0], &Default::default()));
    for _ in 0..1000 {
        ema.update(&x);
    }
    // Alone, each change of at most a thousandth is lost in bf16.
    let found = ema.average(x).val().into_data().to_f64()[0];
    let expected = 2.0 - 0.999_f64.powi(1000);
    assert!((found - expected).abs() < 2.0 / 256.0, "{found} {expected}");
}

#[test]
fn an_average_of_another_module_is_an_error_that_names_the_path() {
    type B = Autodiff<NdArray>;
    let module = normed::<B>();
    let mut ema = EmaConfig::new().init();
    ema.update(&module);
    let Normed { weight, frozen, mean } = module;
    let weight = Param::initialized(weight.id(), Tensor::zeros([2], &Default::default()));
    let other: Normed<B> = Normed { weight, frozen, mean };
    let error = EmaConfig::new().init().try_load_record(ema.to_record(), &other).unwrap_err();
    let mismatch = error.mismatch().unwrap();
    assert_eq!(mismatch.shapes[0].key, "weight.average");
    assert_eq!((&mismatch.shapes[0].expected[..], &mismatch.shapes[0].found[..]), (&[2][..], &[1][..]));

    let stranger = normed::<B>();
    let error = EmaConfig::new().init().try_load_record(ema.to_record(), &stranger).unwrap_err();
    assert_eq!(error.mismatch().unwrap().unexpected, [other.weight.id().to_string()]);
}

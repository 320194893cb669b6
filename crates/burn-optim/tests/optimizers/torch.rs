//! Optimizers and schedulers agree with PyTorch, step by step (`scripts/optim_fixtures.py`).

use burn_autodiff::Autodiff;
use burn_core::module::{Module, Param};
use burn_core::tensor::{Backend, Tensor, TensorData};
use burn_ndarray::NdArray;
use burn_optim::lr_scheduler::*;
use burn_optim::*;
use serde_json::Value;

/// The fixtures are of float64, so that only the formula can differ.
type Inner = NdArray<f64>;
type B = Autodiff<Inner>;

#[derive(Module, Debug)]
struct One<B: Backend> {
    x: Param<Tensor<B, 2>>,
}

fn fixture() -> Value {
    serde_json::from_str(include_str!("torch.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn data(value: &Value) -> TensorData {
    TensorData::new(numbers(value), [2, 3])
}

#[track_caller]
fn check<R: UpdateRule + Clone>(name: &str, mut optimizer: OptimizerAdaptor<R>) {
    let (fixture, device) = (fixture(), Default::default());
    let mut module: One<B> = One { x: Param::from_data(data(&fixture["start"]), &device) };
    let lr = fixture["lr"].as_f64().unwrap();
    let steps =
        fixture["grads"].as_array().unwrap().iter().zip(fixture["optimizers"][name].as_array().unwrap());
    for (step, (grad, expected)) in steps.enumerate() {
        let mut grads = GradientsParams::new();
        grads.register(module.x.id(), Tensor::<Inner, 2>::from_data(data(grad), &device));
        module = optimizer.step(lr, module, grads);
        if step == 1 {
            // Goes on from its record.
            let record = optimizer.to_record();
            optimizer = optimizer.load_record(record);
        }
        for (found, expected) in module.x.val().into_data().to_f64().iter().zip(numbers(expected)) {
            assert!((found - expected).abs() < 1e-12, "{name}, step {step}: {found}, PyTorch has {expected}");
        }
    }
}

#[test]
fn adam_agrees_with_torch() {
    check("adam", AdamConfig::new().with_epsilon(1e-5).init());
    let decay = Some(WeightDecayConfig { penalty: 0.1 });
    check("adam_decay", AdamConfig::new().with_beta_1(0.8).with_beta_2(0.95).with_weight_decay(decay).init());
}

#[test]
fn adamw_agrees_with_torch() {
    check("adamw", AdamWConfig::new().with_weight_decay(0.2).init());
}

#[test]
fn sgd_agrees_with_torch() {
    let decay = |penalty| Some(WeightDecayConfig { penalty });
    check("sgd", SgdConfig::new().init());
    check("sgd_decay", SgdConfig::new().with_weight_decay(decay(0.1)).init());
    let momentum = MomentumConfig { momentum: 0.9, dampening: 0.2, nesterov: false };
    check("sgd_momentum", SgdConfig::new().with_momentum(Some(momentum)).init());
    let momentum = MomentumConfig { momentum: 0.9, dampening: 0.0, nesterov: true };
    check(
        "sgd_nesterov",
        SgdConfig::new().with_momentum(Some(momentum)).with_weight_decay(decay(0.05)).init(),
    );
}

#[test]
fn rms_prop_agrees_with_torch() {
    check("rms_prop", RmsPropConfig::new().with_alpha(0.9).init());
    let config = RmsPropConfig::new().with_alpha(0.9).with_centered(true).with_momentum(0.8);
    let decay = Some(WeightDecayConfig { penalty: 0.05 });
    check("rms_prop_centered", config.with_weight_decay(decay).init());
}

#[test]
fn clipping_agrees_with_torch() {
    let clipped = |clipping| SgdConfig::new().with_grad_clipping(Some(clipping)).init();
    check("clip_value", clipped(GradientClippingConfig::Value(0.5)));
    check("clip_norm", clipped(GradientClippingConfig::GlobalNorm(1.0)));
    // With one parameter the norm of each is the norm of all.
    check("clip_norm", clipped(GradientClippingConfig::Norm(1.0)));
}

#[track_caller]
fn check_rates(name: &str, mut scheduler: impl LrScheduler) {
    for (step, expected) in numbers(&fixture()["schedulers"][name]).into_iter().enumerate() {
        let found = scheduler.step();
        assert!((found - expected).abs() < 1e-12, "{name}, step {step}: {found}, PyTorch has {expected}");
    }
}

#[test]
fn schedulers_agree_with_torch() {
    check_rates("linear", LinearLrSchedulerConfig::new(0.1, 0.5, 5).init());
    let cosine = CosineAnnealingLrSchedulerConfig::new(0.5, 6).with_min_lr(0.1);
    check_rates("cosine", cosine.clone().init());
    check_rates("cosine_restarts", cosine.with_num_iters(3).with_restarts(true).with_period_factor(2).init());
    check_rates("exponential", ExponentialLrSchedulerConfig::new(0.5, 0.9).init());
    check_rates("step", StepLrSchedulerConfig::new(0.5, 3).with_gamma(0.3).init());
    check_rates("multi_step", MultiStepLrSchedulerConfig::new(0.5, vec![2, 5]).with_gamma(0.3).init());
    check_rates("one_cycle", OneCycleLrSchedulerConfig::new(0.5, 13).init());
}

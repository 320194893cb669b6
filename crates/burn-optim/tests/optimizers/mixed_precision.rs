//! Half-precision parameters: master weights, norms and the gradient scaler.

use burn_autodiff::Autodiff;
use burn_core::module::Param;
use burn_core::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
use burn_core::tensor::{AutodiffBackend, DType, Tensor, bf16, f16};
use burn_ndarray::NdArray;
use burn_optim::*;

type Half = Autodiff<NdArray<bf16>>;
type Single = Autodiff<NdArray<f32>>;

fn param<B: AutodiffBackend>(values: [f64; 3]) -> Param<Tensor<B, 1>> {
    Param::from_data(values, &Default::default())
}

fn grads<B: AutodiffBackend>(x: &Param<Tensor<B, 1>>, values: [f64; 3]) -> GradientsParams {
    let mut grads = GradientsParams::new();
    grads.register(x.id(), Tensor::<B::InnerBackend, 1>::from_data(values, &Default::default()));
    grads
}

/// Values that bf16 has exactly, so that both precisions are given the same.
const START: [f64; 3] = [1.0, -0.5, 2.0];
const GRADS: [[f64; 3]; 3] = [[0.5, -1.0, 0.25], [0.125, 2.0, -0.5], [1.0, 0.5, 0.0]];

#[test]
fn master_weights_are_those_of_a_single_precision_module() {
    follows_single_precision(None);
}

/// The factor is multiplied in `f32` too, and not rounded in between.
#[test]
fn clipped_master_weights_are_those_of_a_single_precision_module() {
    follows_single_precision(Some(GradientClippingConfig::GlobalNorm(0.7)));
}

fn follows_single_precision(clipping: Option<GradientClippingConfig>) {
    type Bytes = BinBytesRecorder<FullPrecisionSettings>;
    let new = || AdamWConfig::new().with_grad_clipping(clipping).init();
    let (mut half, mut single) = (param::<Half>(START), param::<Single>(START));
    let (mut of_half, mut of_single) = (new().with_master_weights(true), new());
    for step in 0..60 {
        let values = GRADS[step % 3];
        let (of_x, of_y) = (grads(&half, values), grads(&single, values));
        half = of_half.step(1e-3, half, of_x);
        single = of_single.step(1e-3, single, of_y);
        if step == 30 {
            let bytes = Recorder::<Half>::record(&Bytes::new(), of_half.to_record(), ()).unwrap();
            let record = Recorder::<Half>::load(&Bytes::new(), bytes, &Default::default()).unwrap();
            of_half = new().with_master_weights(true).try_load_record(record, &half).unwrap();
        }
        assert_eq!(half.val().dtype(), DType::BF16);
        let rounded = single.val().into_data().convert_dtype(DType::BF16);
        assert_eq!(half.val().into_data(), rounded, "step {step}");
    }
}

#[test]
fn small_updates_are_lost_without_master_weights_only() {
    let run = |master_weights| {
        let (mut x, mut sgd) = (param::<Half>(START), SgdConfig::new().init());
        sgd = sgd.with_master_weights(master_weights);
        for _ in 0..100 {
            let grads = grads(&x, [1.0; 3]);
            x = sgd.step(1e-3, x, grads);
        }
        x.val().into_data().to_f64()
    };
    // Half a unit in the last place of 1.0, downwards, is 0.002.
    assert_eq!(run(false)[0], 1.0);
    assert!((run(true)[0] - 0.9).abs() < 1.0 / 256.0, "{:?}", run(true));
}

#[test]
fn norms_of_half_precision_gradients_do_not_overflow() {
    type B = Autodiff<NdArray<f16>>;
    let x = param::<B>(START);
    let mut clipped = grads(&x, [3000.0, 4000.0, 0.0]);
    assert!((clipped.clip_by_global_norm(1.0) - 5000.0).abs() < 1.0);
    let found = clipped.get::<NdArray<f16>, 1>(x.id()).unwrap().into_data().to_f64();
    assert!((found[0] - 0.6).abs() < 1e-3 && (found[1] - 0.8).abs() < 1e-3, "{found:?}");

    let mut each = grads(&x, [3000.0, 4000.0, 0.0]);
    each.clip_by_norm(1.0);
    let found = each.get::<NdArray<f16>, 1>(x.id()).unwrap().into_data().to_f64();
    assert!((found[0] - 0.6).abs() < 1e-3 && (found[1] - 0.8).abs() < 1e-3, "{found:?}");
}

/// Gradients that are 0 in f16 reach f32 master weights when the loss is scaled.
#[test]
fn scaled_gradients_do_not_vanish() {
    type B = Autodiff<NdArray<f16>>;
    let config = GradScalerConfig::new().with_initial_scale(1024.0);
    let run = |is_scaled: bool| {
        let mut x: Param<Tensor<B, 1>> = Param::from_data([0.0], &Default::default());
        let mut scaler = config.init();
        let mut sgd = SgdConfig::new().init().with_master_weights(true);
        for _ in 0..10 {
            let loss = (x.val() * 1e-4).sum();
            let loss = if is_scaled { scaler.scale(loss) } else { loss } * 1e-4;
            let grads = GradientsParams::from_grads(loss.backward(), &x);
            x = if is_scaled { scaler.step(&mut sgd, 1e4, x, grads) } else { sgd.step(1e4, x, grads) };
        }
        assert_eq!(scaler.skipped_steps(), 0);
        x.val().into_data().to_f64()[0]
    };
    assert_eq!(run(false), 0.0);
    assert!((run(true) + 1e-3).abs() < 1e-5, "{}", run(true));
}

#[test]
fn grad_scaler_configs_refuse_values_out_of_range_by_field() {
    let text = |config: GradScalerConfig| config.try_init().unwrap_err().to_string();
    let config = GradScalerConfig::new();
    let expected = "GradScalerConfig: invalid `backoff_factor`; expected a number in (0, 1), got 1.0";
    assert_eq!(text(config.clone().with_backoff_factor(1.0)), expected);
    let expected = "GradScalerConfig: invalid `growth_factor`; expected a finite number above 1, got 0.5";
    assert_eq!(text(config.clone().with_growth_factor(0.5)), expected);
    assert!(config.clone().with_initial_scale(0.0).try_init().is_err());
    assert!(config.with_growth_interval(0).try_init().is_err());
}

/// One step of `optimizer` from `[1, -0.5, 2]` in f16 and in f32, with gradients whose squares f16 has not.
fn steps_alike<R: UpdateRule + Clone>(name: &str, lr: f64, new: impl Fn() -> OptimizerAdaptor<R>) {
    type F16 = Autodiff<NdArray<f16>>;
    for values in [[300.0, -300.0, 1000.0], [1e-4, -1e-4, 2e-4]] {
        let (mut half, mut single) = (param::<F16>(START), param::<Single>(START));
        let (mut of_half, mut of_single) = (new(), new());
        for step in 0..3 {
            let (of_x, of_y) = (grads(&half, values), grads(&single, values));
            half = of_half.step(lr, half, of_x);
            single = of_single.step(lr, single, of_y);
            let (found, expected) = (half.val().into_data().to_f64(), single.val().into_data().to_f64());
            for (found, expected) in found.iter().zip(&expected) {
                // The parameter is rounded in each of three steps; a gradient is rounded once.
                let bound = 2e-3 * expected.abs().max(1.0);
                assert!(
                    (found - expected).abs() < bound,
                    "{name}, {values:?}, step {step}: {found} {expected}"
                );
            }
        }
        let moved = single.val().into_data().to_f64().iter().zip(START).any(|(x, y)| (x - y).abs() > 0.02);
        // The first steps of RAdam go by the gradient itself, which may be small.
        assert!(moved || values[0] < 1.0, "{name}: a step that f16 shows");
    }
}

/// The step of Adam with a constant gradient is the learning rate, whatever the gradient.
#[test]
fn second_moments_of_half_precision_gradients_are_single_precision() {
    type B = Autodiff<NdArray<f16>>;
    let (mut x, mut adam) = (param::<B>(START), AdamConfig::new().init());
    let of_x = grads(&x, [300.0, -300.0, 300.0]);
    x = adam.step(0.125, x, of_x);
    assert_eq!(x.val().into_data().to_f64(), [0.875, -0.375, 1.875]);
}

#[test]
fn optimizers_step_half_precision_parameters_as_single_precision_ones() {
    steps_alike("Adam", 0.1, || AdamConfig::new().init());
    steps_alike("AMSGrad", 0.1, || AdamConfig::new().with_amsgrad(true).init());
    steps_alike("AdamW", 0.1, || AdamWConfig::new().init());
    steps_alike("Adamax", 0.1, || AdamaxConfig::new().init());
    steps_alike("NAdam", 0.1, || NAdamConfig::new().init());
    steps_alike("RAdam", 0.1, || RAdamConfig::new().init());
    steps_alike("Adan", 0.1, || AdanConfig::new().init());
    steps_alike("Adagrad", 0.1, || AdagradConfig::new().init());
    steps_alike("Adadelta", 100.0, || AdadeltaConfig::new().init());
    steps_alike("RmsProp", 0.1, || RmsPropConfig::new().init());
    steps_alike("Lamb", 0.1, || LambConfig::new().init());
    steps_alike("Adafactor", 0.1, || AdafactorConfig::new().init());
}

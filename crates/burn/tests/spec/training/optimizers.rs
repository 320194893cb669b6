//! and LR-005: optimizers beyond the first two, groups, averages, mixed precision, and
//! schedules.

use crate::expect::{exactly, nearly};
use crate::torch;
use burn::backend::amp::BFloat;
use burn::backend::{Amp, Autodiff, NdArray};
use burn::lr_scheduler::*;
use burn::module::{AutodiffModule, Module, Param};
use burn::optim::*;
use burn::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{DType, Tensor, bf16};

type A = Autodiff<NdArray>;
type A64 = Autodiff<NdArray<f64>>;

#[derive(Module, Debug)]
struct Weight<B: Backend> {
    weight: Param<Tensor<B, 2>>,
}

impl<B: Backend> Weight<B> {
    /// The sum of fourth powers.
    fn loss(&self) -> Tensor<B, 1> {
        self.weight.val().square().square().sum()
    }
}

/// The weight that `scripts/spec_fixtures.py` starts with.
const START: [[f64; 3]; 2] = [[-1.25, 0.5, -0.5], [1.25, 0.25, -0.75]];

fn start<B: Backend>() -> Weight<B> {
    Weight { weight: Param::from_data(START, &Default::default()) }
}

fn three_steps<B: AutodiffBackend>(
    lr: f64,
    mut optimizer: impl Optimizer<Weight<B>, B>,
) -> Tensor<B::InnerBackend, 2> {
    let mut module = start();
    for _ in 0..3 {
        let grads = GradientsParams::from_grads(module.loss().backward(), &module);
        module = optimizer.step(lr, module, grads);
    }
    module.valid().weight.val()
}

#[test]
fn x_203_optimizers_agree_with_pytorch() {
    nearly(three_steps::<A64>(0.1, AdamWConfig::new().init()), torch::ADAMW);
    nearly(three_steps::<A64>(0.1, AdamaxConfig::new().init()), torch::ADAMAX);
    nearly(three_steps::<A64>(0.1, NAdamConfig::new().init()), torch::NADAM);
    nearly(three_steps::<A64>(0.1, RAdamConfig::new().init()), torch::RADAM);
    nearly(three_steps::<A64>(0.1, RmsPropConfig::new().init()), torch::RMS_PROP);
    nearly(three_steps::<A64>(0.1, AdagradConfig::new().init()), torch::ADAGRAD);
    nearly(three_steps::<A64>(0.1, AdadeltaConfig::new().init()), torch::ADADELTA);
    let adafactor = AdafactorConfig::new().with_epsilon_1(Some(1e-7));
    nearly(three_steps::<A64>(0.1, adafactor.init()), torch::ADAFACTOR);
    nearly(three_steps::<A64>(0.1, MuonConfig::new().init()), torch::MUON);
    let nesterov = MomentumConfig { momentum: 0.9, dampening: 0.0, nesterov: true };
    let sgd = SgdConfig::new().with_momentum(Some(nesterov)).init();
    nearly(three_steps::<A64>(0.1, sgd), torch::SGD_NESTEROV);
}

#[test]
fn x_203_lbfgs_agrees_with_pytorch() {
    let mut lbfgs = LbfgsConfig::new().with_line_search(Some(LineSearch::StrongWolfe)).init();
    let mut module = start::<A64>();
    for _ in 0..3 {
        (module, _) = lbfgs.step(1.0, module, Weight::loss);
    }
    nearly(module.valid().weight.val(), torch::LBFGS);
}

/// Three steps of an update of one matrix at a time, in f64: the rule is given all elements, gradients and
/// the step.
fn by_hand(mut rule: impl FnMut(&mut [f64; 6], [f64; 6], i32)) -> [[f64; 3]; 2] {
    let mut x: [f64; 6] = std::array::from_fn(|k| START[k / 3][k % 3]);
    for t in 1..=3 {
        let grads = x.map(|x| 4.0 * x * x * x);
        rule(&mut x, grads, t);
    }
    std::array::from_fn(|row| std::array::from_fn(|column| x[row * 3 + column]))
}

#[test]
fn x_203_lion_moves_by_the_sign_of_the_interpolated_momentum() {
    let mut momentum = [0.0; 6];
    let expected = by_hand(|x, grads, _| {
        (0..6).for_each(|k| {
            let direction: f64 = 0.9 * momentum[k] + 0.1 * grads[k];
            x[k] -= 0.1 * (direction.signum() + 0.5 * x[k]);
            momentum[k] = 0.99 * momentum[k] + 0.01 * grads[k];
        });
    });
    nearly(three_steps::<A64>(0.1, LionConfig::new().with_weight_decay(0.5).init()), expected);
}

#[test]
fn x_203_lamb_scales_adam_by_the_ratio_of_norms() {
    let (mut m, mut v) = ([0.0; 6], [0.0; 6]);
    let norm = |x: &[f64; 6]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let expected = by_hand(|x, grads, t| {
        let update: [f64; 6] = std::array::from_fn(|k| {
            m[k] = 0.9 * m[k] + 0.1 * grads[k];
            v[k] = 0.999 * v[k] + 0.001 * grads[k] * grads[k];
            let (m, v) = (m[k] / (1.0 - 0.9_f64.powi(t)), v[k] / (1.0 - 0.999_f64.powi(t)));
            m / (v.sqrt() + 1e-6) + 0.01 * x[k]
        });
        let ratio = norm(&*x) / norm(&update);
        (0..6).for_each(|k| x[k] -= 0.1 * ratio * update[k]);
    });
    nearly(three_steps::<A64>(0.1, LambConfig::new().init()), expected);
}

#[test]
fn x_203_adan_looks_ahead_by_the_difference_of_gradients() {
    let (mut m, mut v, mut n) = ([0.0; 6], [0.0; 6], [0.0; 6]);
    let mut previous: Option<[f64; 6]> = None;
    let expected = by_hand(|x, grads, t| {
        let correction = |beta: f64| 1.0 - beta.powi(t);
        (0..6).for_each(|k| {
            let change = grads[k] - previous.map_or(grads[k], |previous| previous[k]);
            m[k] = 0.98 * m[k] + 0.02 * grads[k];
            v[k] = 0.92 * v[k] + 0.08 * change;
            n[k] = 0.99 * n[k] + 0.01 * (grads[k] + 0.92 * change).powi(2);
            let direction = m[k] / correction(0.98) + 0.92 * v[k] / correction(0.92);
            x[k] -= 0.1 * direction / ((n[k] / correction(0.99)).sqrt() + 1e-8);
        });
        previous = Some(grads);
    });
    nearly(three_steps::<A64>(0.1, AdanConfig::new().init()), expected);
}

fn grads<B: AutodiffBackend>(module: &Weight<B>, values: [[f64; 3]; 2]) -> GradientsParams {
    let mut grads = GradientsParams::new();
    let grad = Tensor::<B::InnerBackend, 2>::from_data(values, &Default::default());
    grads.register(module.weight.id(), grad);
    grads
}

#[test]
fn x_204_clipping_by_value_and_by_norm() {
    let module = start::<A>();
    let id = module.weight.id();
    let mut clipped = grads(&module, [[3.0, -4.0, 0.5], [0.0, 0.0, 0.0]]);
    clipped.clip_by_value(1.0);
    exactly(clipped.get::<NdArray, 2>(id).unwrap(), [[1.0, -1.0, 0.5], [0.0, 0.0, 0.0]]);
    let mut clipped = grads(&module, [[3.0, -4.0, 0.0], [0.0, 0.0, 0.0]]);
    clipped.clip_by_norm(2.5);
    nearly(clipped.get::<NdArray, 2>(id).unwrap(), [[1.5, -2.0, 0.0], [0.0, 0.0, 0.0]]);
    let clipping = Some(GradientClippingConfig::Norm(2.5));
    let mut sgd = SgdConfig::new().with_grad_clipping(clipping).init();
    let grads = grads(&module, [[3.0, -4.0, 0.0], [0.0, 0.0, 0.0]]);
    let module = sgd.step(1.0, module, grads);
    nearly(module.valid().weight.val(), [[-2.75, 2.5, -0.5], [1.25, 0.25, -0.75]]);
}

#[test]
fn x_204_clipping_by_the_global_norm_returns_it() {
    let pair = (start::<A>(), start::<A>());
    let mut all = grads(&pair.0, [[3.0, -4.0, 0.0], [0.0, 0.0, 0.0]]);
    let other = Tensor::<NdArray, 2>::from_data([[0.0, 0.0, 0.0], [0.0, 12.0, 0.0]], &Default::default());
    all.register(pair.1.weight.id(), other);
    assert_eq!(all.clip_by_global_norm(6.5), 13.0);
    nearly(all.get::<NdArray, 2>(pair.0.weight.id()).unwrap(), [[1.5, -2.0, 0.0], [0.0, 0.0, 0.0]]);
    nearly(all.get::<NdArray, 2>(pair.1.weight.id()).unwrap(), [[0.0, 0.0, 0.0], [0.0, 6.0, 0.0]]);
}

#[derive(Module, Debug)]
struct Pair<B: Backend> {
    body: Weight<B>,
    head: Weight<B>,
}

#[test]
fn x_205_groups_by_path_have_their_own_rate_decay_and_optimizer() {
    let decayed = SgdConfig::new().with_weight_decay(Some(WeightDecayConfig::new(2.0))).init();
    let mut optimizer = ParameterGroups::new(LionConfig::new().init())
        .with_group("head.*", ParameterGroup::new(decayed).with_lr_factor(0.5));
    let pair = Pair { body: start::<A>(), head: start::<A>() };
    let ones = |module: &Weight<A>| grads(module, [[1.0; 3]; 2]);
    let mut all = ones(&pair.body);
    let of_head = ones(&pair.head).remove::<NdArray, 2>(pair.head.weight.id()).unwrap();
    all.register(pair.head.weight.id(), of_head);
    let pair = optimizer.step(0.25, pair, all);
    nearly(pair.body.weight.val(), START.map(|row| row.map(|x| x - 0.25)));
    nearly(pair.head.weight.val(), START.map(|row| row.map(|x| x - 0.125 * (1.0 + 2.0 * x))));
}

#[test]
fn x_205_parameters_are_frozen_by_path() {
    let pair = freeze(Pair { body: start::<A>(), head: start::<A>() }, "body.**");
    let loss = pair.body.loss() + pair.head.loss();
    let grads = GradientsParams::from_grads(loss.backward(), &pair);
    assert_eq!(grads.ids().collect::<Vec<_>>(), [pair.head.weight.id()]);
    let pair = SgdConfig::new().init().step(0.1, pair, grads);
    exactly(pair.body.weight.val(), START);
    let error = try_freeze(pair, "tail").unwrap_err().to_string();
    assert!(error.contains("body.weight, head.weight"), "{error}");
}

fn averaged(mut average: ModuleAverage) -> Tensor<NdArray, 2> {
    let mut module = start::<A>();
    for value in [1.0, 2.0, 6.0] {
        let Weight { weight } = module;
        module = Weight { weight: weight.map(|x| x.ones_like() * value) };
        average.update(&module);
    }
    average.average(module).valid().weight.val()
}

#[test]
fn x_206_the_moving_average_of_a_module() {
    // 0.5 (0.5 * 1 + 0.5 * 2) + 0.5 * 6
    exactly(averaged(EmaConfig::new().with_decay(0.5).init()), [[3.75; 3]; 2]);
}

#[test]
fn x_206_the_mean_of_a_module_over_its_training() {
    nearly(averaged(SwaConfig::new().init()), [[3.0; 3]; 2]);
    let mut swa = SwaConfig::new().init();
    swa.update(&start::<A>());
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let bytes = Recorder::<A>::record(&recorder, swa.to_record(), ()).unwrap();
    let record = Recorder::<A>::load(&recorder, bytes, &Default::default()).unwrap();
    assert_eq!(SwaConfig::new().init().load_record(record).updates(), 1);
}

#[test]
fn x_207_a_policy_computes_in_half_precision_with_single_precision_weights() {
    type Mixed = Autodiff<Amp<NdArray, BFloat>>;
    let device = Default::default();
    let weight: Param<Tensor<Mixed, 2>> = Param::from_data([[257.0]], &device);
    let x = Tensor::<Mixed, 2>::from_data([[1.0]], &device);
    // 257 has nine digits, bf16 eight.
    let y = x.matmul(weight.val());
    assert_eq!((y.dtype(), weight.val().dtype()), (DType::F32, DType::F32));
    exactly(y.clone(), [[256.0]]);
    let grads = GradientsParams::from_grads(y.sum().backward(), &weight);
    let weight = SgdConfig::new().init().step(0.125, weight, grads);
    exactly(weight.val(), [[256.875]]);
}

#[test]
fn x_207_half_precision_weights_have_single_precision_masters() {
    type Half = Autodiff<NdArray<bf16>>;
    let run = |master_weights| {
        let mut x: Param<Tensor<Half, 1>> = Param::from_data([1.0], &Default::default());
        let mut sgd = SgdConfig::new().init().with_master_weights(master_weights);
        for _ in 0..64 {
            let grads = GradientsParams::from_grads(x.val().sum().backward(), &x);
            x = sgd.step(1.0 / 1024.0, x, grads);
        }
        x.val()
    };
    exactly(run(false), [1.0]);
    exactly(run(true), [1.0 - 64.0 / 1024.0]);
}

#[test]
fn x_207_a_gradient_scaler_skips_and_backs_off() {
    let config = GradScalerConfig::new().with_initial_scale(8.0).with_growth_interval(2);
    let (mut scaler, mut sgd) = (config.init(), SgdConfig::new().init());
    let mut x: Param<Tensor<A, 1>> = Param::from_data([1.0], &Default::default());
    let mut scales = Vec::new();
    for factor in [1.0, f32::INFINITY, 1.0, 1.0, f32::NAN] {
        let loss = scaler.scale((x.val() * factor).sum());
        let grads = GradientsParams::from_grads(loss.backward(), &x);
        x = scaler.step(&mut sgd, 0.125, x, grads);
        scales.push(scaler.current_scale());
    }
    assert_eq!(scales, [8.0, 4.0, 4.0, 8.0, 4.0]);
    assert_eq!(scaler.skipped_steps(), 2);
    exactly(x.val(), [1.0 - 3.0 * 0.125]);
}

/// The learning rates of the first steps, going on from a record after each.
fn rates<S: LrScheduler>(new: impl Fn() -> S, count: usize) -> Vec<f64> {
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let mut scheduler = new();
    let mut step = || {
        let rate = scheduler.step();
        let bytes = Recorder::<A>::record(&recorder, scheduler.to_record::<A>(), ()).unwrap();
        let record = Recorder::<A>::load(&recorder, bytes, &Default::default()).unwrap();
        scheduler = new().load_record::<A>(record);
        rate
    };
    (0..count).map(|_| step()).collect()
}

#[track_caller]
fn has_rates<S: LrScheduler>(new: impl Fn() -> S, expected: &[f64]) {
    let found = rates(new, expected.len());
    let is_close = found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12);
    assert!(is_close, "{found:?} {expected:?}");
}

#[test]
fn lr_005_schedules_follow_their_formulas() {
    has_rates(|| ConstantLrConfig::new(0.5).init(), &[0.5, 0.5]);
    has_rates(|| LinearLrSchedulerConfig::new(1.0, 0.0, 4).init(), &[1.0, 0.75, 0.5, 0.25, 0.0, 0.0]);
    let cosine = CosineAnnealingLrSchedulerConfig::new(1.0, 2);
    has_rates(|| cosine.init(), &[1.0, 0.5, 0.0, 0.0]);
    has_rates(|| cosine.clone().with_restarts(true).init(), &[1.0, 0.5, 1.0, 0.5]);
    has_rates(|| ExponentialLrSchedulerConfig::new(1.0, 0.5).init(), &[1.0, 0.5, 0.25]);
    has_rates(|| StepLrSchedulerConfig::new(1.0, 2).init(), &[1.0, 1.0, 0.1, 0.1, 0.01]);
    let milestones = || MultiStepLrSchedulerConfig::new(1.0, vec![1, 3]).with_gamma(0.5).init();
    has_rates(milestones, &[1.0, 0.5, 0.5, 0.25]);
    let noam = || NoamLrSchedulerConfig::new(4.0).with_warmup_steps(4).with_model_size(16).init();
    has_rates(noam, &[0.125, 0.25, 0.375, 0.5, 5_f64.sqrt().recip()]);
    let one_cycle = || {
        OneCycleLrSchedulerConfig::new(1.0, 6)
            .with_pct_start(0.5)
            .with_div_factor(2.0)
            .with_final_div_factor(5.0)
            .with_anneal_strategy(AnnealStrategy::Linear)
            .init()
    };
    has_rates(one_cycle, &[0.5, 0.75, 1.0, 0.7, 0.4, 0.1]);
    let polynomial = || PolynomialLrSchedulerConfig::new(1.0, 4).with_power(2.0).init();
    has_rates(polynomial, &[1.0, 0.5625, 0.25, 0.0625, 0.0, 0.0]);
    let cyclic = || CyclicLrSchedulerConfig::new(0.0, 1.0).with_step_size_up(2).init();
    has_rates(cyclic, &[0.0, 0.5, 1.0, 0.5, 0.0, 0.5]);
    let linear = AnnealStrategy::Linear;
    let swa = || SwaLrSchedulerConfig::new(1.0, 0.5).with_num_iters(2).with_anneal_strategy(linear).init();
    has_rates(swa, &[1.0, 0.75, 0.5, 0.5]);
}

#[test]
fn lr_005_schedules_are_put_together() {
    let warm_up = LinearLrSchedulerConfig::new(0.0, 1.0, 2);
    let cosine = CosineAnnealingLrSchedulerConfig::new(1.0, 2);
    let parts = [warm_up.into(), cosine.into()];
    let sequential = || SequentialLrSchedulerConfig::new(parts.to_vec(), vec![2]).init();
    has_rates(sequential, &[0.0, 0.5, 1.0, 0.5, 0.0]);
    let parts = [ConstantLrConfig::new(0.5).into(), ExponentialLrSchedulerConfig::new(1.0, 0.5).into()];
    let composed = ComposedLrSchedulerConfig::new(parts.to_vec());
    has_rates(|| composed.init(), &[0.5, 0.25, 0.125]);
    has_rates(|| composed.clone().with_reduction(LrReduction::Sum).init(), &[1.5, 1.0, 0.75]);
}

#[test]
fn lr_005_the_rate_is_reduced_on_a_plateau_of_a_metric() {
    let new = || ReduceOnPlateauLrSchedulerConfig::new(1.0).with_factor(0.5).with_patience(1).init();
    let mut scheduler = new();
    let mut found = Vec::new();
    for loss in [3.0, 2.0, 2.0, 2.5, 2.0, 1.0] {
        scheduler.report(loss);
        scheduler = new().load_record::<A>(scheduler.to_record::<A>());
        found.push(scheduler.step());
    }
    assert_eq!(found, [1.0, 1.0, 1.0, 0.5, 0.5, 0.5]);
}

#[test]
fn lr_005_nonsense_is_refused_by_field() {
    let text = LinearLrSchedulerConfig::new(1.0, f64::NAN, 4).try_init().unwrap_err().to_string();
    let expected =
        "LinearLrSchedulerConfig: invalid `final_lr`; expected a finite number of at least 0, got NaN";
    assert_eq!(text, expected);
    assert!(PolynomialLrSchedulerConfig::new(1.0, 0).try_init().is_err());
    assert!(CyclicLrSchedulerConfig::new(1.0, -1.0).try_init().is_err());
    assert!(ReduceOnPlateauLrSchedulerConfig::new(1.0).with_factor(1.5).try_init().is_err());
}

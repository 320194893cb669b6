//! OP, LR: optimizers and learning rates.

use crate::expect::{exactly, nearly};
use crate::given::CPU;
use crate::torch;
use burn::backend::{Autodiff, NdArray};
use burn::config::Config;
use burn::lr_scheduler::LrScheduler;
use burn::module::{AutodiffModule, Initializer, Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{
    AdamConfig, GradientsAccumulator, GradientsParams, MomentumConfig, Optimizer, SgdConfig,
    WeightDecayConfig,
};
use burn::record::{BinBytesRecorder, CompactRecorder, FullPrecisionSettings, Recorder};
use burn::tensor::Tensor;
use burn::tensor::backend::{AutodiffBackend, Backend};

type A = Autodiff<NdArray>;

#[derive(Module, Debug)]
struct Weight<B: Backend> {
    weight: Param<Tensor<B, 2>>,
}

/// The weight that `scripts/spec_fixtures.py` starts with.
const START: [[f64; 3]; 2] = [[-1.25, 0.5, -0.5], [1.25, 0.25, -0.75]];

fn start<B: Backend>() -> Weight<B> {
    Weight { weight: Param::from_data(START, &Default::default()) }
}

/// The gradients of the sum of fourth powers.
fn gradients<B: AutodiffBackend>(module: &Weight<B>) -> GradientsParams {
    let square = module.weight.val() * module.weight.val();
    GradientsParams::from_grads((square.clone() * square).sum().backward(), module)
}

fn three_steps<B: AutodiffBackend>(
    mut optimizer: impl Optimizer<Weight<B>, B>,
) -> Tensor<B::InnerBackend, 2> {
    let mut module = start();
    for _ in 0..3 {
        let gradients = gradients(&module);
        module = optimizer.step(0.1, module, gradients);
    }
    module.valid().weight.val()
}

#[test]
fn op_001_step_gives_the_module_one_step_further() {
    fn minimise<B: AutodiffBackend, O: Optimizer<Weight<B>, B>>(mut optimizer: O) -> Weight<B> {
        let module = start();
        let gradients = gradients(&module);
        optimizer.step(0.01, module, gradients)
    }
    let module = minimise::<A, _>(SgdConfig::new().init());
    // w - 0.01 * 4 w^3
    nearly(module.valid().weight.val(), START.map(|row| row.map(|w| w - 0.04 * w * w * w)));
}

#[test]
fn op_002_adam_agrees_with_pytorch() {
    let config = AdamConfig::new().with_beta_1(0.9).with_beta_2(0.999).with_epsilon(1e-8);
    nearly(three_steps::<A>(config.init()), torch::ADAM);
    nearly(three_steps::<A>(AdamConfig::new().init()), torch::ADAM);
}

#[test]
fn op_003_weight_decay_under_both_names() {
    let none = AdamConfig::new().with_weight_decay_config(None);
    nearly(three_steps::<A>(none.init()), torch::ADAM);
    let decay = || Some(WeightDecayConfig::new(0.1));
    let first = three_steps::<A>(AdamConfig::new().with_weight_decay_config(decay()).init());
    let second = three_steps::<A>(AdamConfig::new().with_weight_decay(decay()).init());
    assert_eq!(first.to_data(), second.into_data());
    nearly(first, torch::ADAM_DECAY);
}

#[test]
fn op_004_sgd_and_its_momentum_agree_with_pytorch() {
    nearly(three_steps::<A>(SgdConfig::new().init()), torch::SGD);
    let momentum = burn::optim::MomentumConfig { momentum: 0.9, dampening: 0.1, nesterov: false };
    nearly(three_steps::<A>(SgdConfig::new().with_momentum(Some(momentum)).init()), torch::SGD_MOMENTUM);
    let nesterov = burn::optim::momentum::MomentumConfig { momentum: 0.9, dampening: 0.0, nesterov: true };
    nearly(three_steps::<A>(SgdConfig::new().with_momentum(Some(nesterov)).init()), torch::SGD_NESTEROV);
}

#[test]
fn op_005_one_init_serves_any_module_and_backend() {
    let optimizer = AdamConfig::new().init();
    nearly(three_steps::<A>(optimizer.clone()), torch::ADAM);
    nearly(three_steps::<Autodiff<NdArray<f64>>>(optimizer.clone()), torch::ADAM);
    let linear = LinearConfig::new(2, 1).init::<A>(CPU);
    let loss = linear.forward(Tensor::<A, 2>::ones([1, 2], CPU)).sum();
    let gradients = GradientsParams::from_grads(loss.backward(), &linear);
    let before = linear.weight.val().into_data();
    let mut optimizer = optimizer;
    let after = Optimizer::<Linear<A>, A>::step(&mut optimizer, 0.1, linear, gradients);
    assert_ne!(after.weight.val().into_data(), before);
}

#[derive(Module, Debug)]
struct Pair<B: Backend> {
    first: Weight<B>,
    second: Weight<B>,
}

fn pair() -> (Pair<A>, <A as AutodiffBackend>::Gradients) {
    let one = || Weight::<A> { weight: Initializer::Ones.init([1, 1], CPU) };
    let pair = Pair { first: one(), second: one() };
    let gradients = (pair.first.weight.val() * 2 + pair.second.weight.val() * 3).sum().backward();
    (pair, gradients)
}

#[test]
fn op_006_from_grads_takes_what_is_left() {
    let (pair, mut gradients) = pair();
    let taken = pair.first.weight.val().grad_remove(&mut gradients);
    exactly(taken.unwrap(), [[2.0]]);
    let rest = GradientsParams::from_grads(gradients, &pair);
    assert!(rest.get::<NdArray, 2>(pair.first.weight.id()).is_none());
    exactly(rest.get::<NdArray, 2>(pair.second.weight.id()).unwrap(), [[3.0]]);
}

#[test]
fn op_007_from_module_takes_the_gradients_of_a_part() {
    let (pair, mut gradients) = pair();
    let first = GradientsParams::from_module(&mut gradients, &pair.first);
    exactly(first.get::<NdArray, 2>(pair.first.weight.id()).unwrap(), [[2.0]]);
    assert!(first.get::<NdArray, 2>(pair.second.weight.id()).is_none());
    exactly(pair.second.weight.val().grad(&gradients).unwrap(), [[3.0]]);
    assert!(pair.first.weight.val().grad(&gradients).is_none(), "it was taken");
}

#[test]
fn op_008_from_params_takes_those_that_are_named() {
    let (pair, mut gradients) = pair();
    let id = pair.second.weight.id();
    let second = GradientsParams::from_params(&mut gradients, &pair, &[id]);
    exactly(second.get::<NdArray, 2>(id).unwrap(), [[3.0]]);
    assert!(second.get::<NdArray, 2>(pair.first.weight.id()).is_none());
}

#[test]
fn op_008_the_identifier_of_a_parameter_is_a_public_field() {
    let model = burn::nn::LinearConfig::new(2, 1).init::<A>(CPU);
    let bias = model.bias.as_ref().expect("a linear layer has a bias");
    let mut grads = model.forward(Tensor::<A, 2>::ones([3, 2], CPU)).sum().backward();
    let of_bias = GradientsParams::from_params(&mut grads, &model, &[bias.id]);
    exactly(of_bias.get::<NdArray, 1>(bias.id).unwrap(), [3.0]);
    assert!(of_bias.get::<NdArray, 2>(model.weight.id).is_none());
    assert_eq!(of_bias.ids().collect::<Vec<_>>(), [bias.id]);
}

#[test]
fn op_009_parts_are_stepped_at_rates_and_by_optimizers_of_their_own() {
    let (pair, mut gradients) = pair();
    let first = GradientsParams::from_module(&mut gradients, &pair.first);
    let second = GradientsParams::from_module(&mut gradients, &pair.second);
    let (mut sgd, mut adam) = (SgdConfig::new().init(), AdamConfig::new().init());
    let pair = sgd.step(0.25, pair, first);
    let pair: Pair<A> = adam.step(0.125, pair, second);
    exactly(pair.first.weight.val(), [[0.5]]);
    // The first step of Adam is as long as the rate.
    nearly(pair.second.weight.val(), [[0.875]]);
}

#[test]
fn op_010_gradients_accumulate() {
    let mut accumulator = GradientsAccumulator::new();
    let module = Weight::<A> { weight: Initializer::Ones.init([1, 1], CPU) };
    for factor in [2.0, 5.0] {
        let loss = (module.weight.val() * factor).sum();
        accumulator.accumulate(&module, GradientsParams::from_grads(loss.backward(), &module));
    }
    let sum = accumulator.grads();
    exactly(sum.get::<NdArray, 2>(module.weight.id()).unwrap(), [[7.0]]);
    assert!(accumulator.grads().is_empty(), "taken, so that the next steps begin anew");
}

#[test]
fn op_011_gradients_do_not_pile_up() {
    // Two steps of the same loss are as long as each other: nothing was to be set to zero between them.
    let mut optimizer = SgdConfig::new().init();
    let mut module = Weight::<A> { weight: Initializer::Zeros.init([1, 1], CPU) };
    for expected in [-0.5, -1.0] {
        let loss = module.weight.val().sum();
        let gradients = GradientsParams::from_grads(loss.backward(), &module);
        module = optimizer.step(0.5, module, gradients);
        exactly(module.weight.val(), [[expected]]);
    }
}

#[test]
fn op_012_the_state_of_an_optimizer_is_a_record() {
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let mut optimizer = AdamConfig::new().init();
    let module: Weight<A> = start();
    let module: Weight<A> = optimizer.step(0.1, module.clone(), gradients(&module));

    let record = Optimizer::<Weight<A>, A>::to_record(&optimizer);
    let bytes = Recorder::<A>::record(&recorder, record, ()).unwrap();
    let record = Recorder::<A>::load(&recorder, bytes, CPU).unwrap();
    let mut resumed = Optimizer::<Weight<A>, A>::load_record(AdamConfig::new().init(), record);
    let mut resumed_module = module.clone();
    for _ in 0..2 {
        let gradients = gradients(&resumed_module);
        resumed_module = resumed.step(0.1, resumed_module, gradients);
    }
    nearly(resumed_module.valid().weight.val(), torch::ADAM);
}

/// The state is a record on every backend, so that the recorder is given none.
#[test]
fn op_012_the_state_is_recorded_without_naming_a_backend() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("optim");
    let mut optimizer = AdamConfig::new().init();
    let module: Weight<A> = start();
    let module: Weight<A> = optimizer.step(0.1, module.clone(), gradients(&module));

    let recorder = CompactRecorder::new();
    recorder.record(optimizer.to_record(), path.clone()).unwrap();
    recorder
        .record((optimizer.to_record(), module.clone().into_record()), folder.path().join("both"))
        .unwrap();
    let bytes = BinBytesRecorder::<FullPrecisionSettings>::new().record(optimizer.to_record(), ()).unwrap();

    let of_file = Recorder::<A>::load(&recorder, path, CPU).unwrap();
    let of_bytes =
        Recorder::<A>::load(&BinBytesRecorder::<FullPrecisionSettings>::new(), bytes, CPU).unwrap();
    for record in [of_file, of_bytes] {
        let mut resumed = AdamConfig::new().init().load_record(record);
        let next: Weight<A> = resumed.step(0.1, module.clone(), gradients(&module));
        let expected: Weight<A> = optimizer.clone().step(0.1, module.clone(), gradients(&module));
        exactly(next.weight.val().inner(), expected.weight.val().into_data());
    }
}

#[derive(Config)]
struct TrainingConfig {
    optimizer: AdamConfig,
    #[config(default = "SgdConfig::new().with_momentum(Some(MomentumConfig::new()))")]
    other: SgdConfig,
}

#[test]
fn op_013_optimizers_are_a_part_of_a_config() {
    let config = TrainingConfig::new(AdamConfig::new().with_beta_1(0.5));
    let loaded = TrainingConfig::from_json(&config.to_json()).unwrap();
    assert_eq!(loaded.to_json(), config.to_json());
    assert_eq!(loaded.optimizer.beta_1, 0.5);
    assert_eq!(loaded.other.momentum.map(|momentum| momentum.momentum), Some(0.9));
}

#[test]
fn lr_001_a_number_is_a_constant_rate() {
    fn rates(mut scheduler: impl LrScheduler) -> [f64; 3] {
        std::array::from_fn(|_| scheduler.step())
    }
    assert_eq!(rates(1e-3), [1e-3; 3]);
}

#[test]
fn lr_004_the_rate_is_an_argument_of_the_step() {
    let mut optimizer = SgdConfig::new().init();
    let mut module = Weight::<A> { weight: Initializer::Zeros.init([1, 1], CPU) };
    for (rate, expected) in [(1.0, -1.0), (0.5, -1.5)] {
        let gradients = GradientsParams::from_grads(module.weight.val().sum().backward(), &module);
        module = optimizer.step(rate, module, gradients);
        exactly(module.weight.val(), [[expected]]);
    }
}

#[test]
fn op_006_gradients_move_to_a_device_of_the_backend_with_gradients() {
    let device = *CPU;
    let weight: Param<Tensor<A, 1>> = Param::from_data([1.0, 2.0], CPU);
    let grads = GradientsParams::from_grads((weight.val() * 3.0).sum().backward(), &weight);
    let moved = grads.to_device::<A>(&device).to_device::<NdArray>(&device);
    exactly(moved.get::<NdArray, 1>(weight.id()).expect("the gradient of the weight"), [3.0, 3.0]);
    let weight = SgdConfig::new().init().step(1.0, weight, moved);
    exactly(weight.val(), [-2.0, -1.0]);
}

//! Optimizers on modules: the updates, and saving and loading of the state.

use burn_autodiff::Autodiff;
use burn_core::module::{Module, Param};
use burn_core::record::{BinBytesRecorder, CompactRecorder, FullPrecisionSettings, Recorder};
use burn_core::tensor::backend::{AutodiffBackend, Backend};
use burn_core::tensor::{Int, Tensor, TensorData, Tolerance};
use burn_ndarray::NdArray;
use burn_nn::loss::{CrossEntropyLossConfig, MseLoss, Reduction};
use burn_nn::{Linear, LinearConfig, Relu};
use burn_optim::*;

type B = Autodiff<NdArray>;

#[derive(Module, Debug)]
struct Mlp<B: Backend> {
    first: Linear<B>,
    second: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Mlp<B> {
    fn new(d_input: usize, hidden: usize, d_output: usize, device: &B::Device) -> Self {
        Mlp {
            first: LinearConfig::new(d_input, hidden).init(device),
            second: LinearConfig::new(hidden, d_output).init(device),
            activation: Relu::new(),
        }
    }

    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.second.forward(self.activation.forward(self.first.forward(x)))
    }
}

fn values<B: Backend>(model: &Mlp<B>) -> Vec<TensorData> {
    let (first, second) = (&model.first, &model.second);
    [&first.weight, &second.weight].map(|weight| weight.val().into_data()).into()
}

fn loss<B: Backend>(model: &Mlp<B>) -> Tensor<B, 1> {
    let x = Tensor::from_data([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]], &Default::default());
    let y = model.forward(x);
    MseLoss::new().forward(y.clone(), y.ones_like(), Reduction::Mean)
}

fn grads(model: &Mlp<B>) -> GradientsParams {
    GradientsParams::from_grads(loss(model).backward(), model)
}

/// A training loop is generic over backend and optimizer, and needs no annotation.
fn train<B: AutodiffBackend, O: Optimizer<Mlp<B>, B>>(
    mut model: Mlp<B>,
    mut optimizer: O,
    lr: f64,
) -> [f64; 2] {
    use burn_core::tensor::ElementConversion;
    let before = loss(&model).into_scalar().elem::<f64>();
    for _ in 0..10 {
        let grads = GradientsParams::from_grads(loss(&model).backward(), &model);
        model = optimizer.step(lr, model, grads);
    }
    [before, loss(&model).into_scalar().elem::<f64>()]
}

#[test]
fn every_optimizer_lowers_the_loss() {
    let device = Default::default();
    let model: Mlp<B> = Mlp::new(2, 8, 2, &device);
    let momentum = MomentumConfig { momentum: 0.5, dampening: 0.0, nesterov: false };
    let groups =
        ParameterGroups::new(LionConfig::new().init()).with_group("*.weight", MuonConfig::new().init());
    let runs = [
        train(model.clone(), AdamConfig::new().with_weight_decay_config(None).init(), 0.02),
        train(model.clone(), AdamWConfig::new().init(), 0.02),
        train(model.clone(), SgdConfig::new().with_momentum(Some(momentum)).init(), 0.01),
        train(model.clone(), RmsPropConfig::new().init(), 0.01),
        train(model, groups, 0.005),
    ];
    for [before, after] in runs {
        assert!(after < before, "{before} {after}");
    }
}

#[test]
fn one_optimizer_steps_modules_of_several_types() {
    let device = Default::default();
    let mut optimizer = AdamConfig::new().init();
    let model: Mlp<B> = Mlp::new(2, 4, 1, &device);
    let gradients = grads(&model);
    let first = optimizer.step(0.1, model.first.clone(), gradients.clone());
    let model = optimizer.step(0.1, model, gradients);
    assert_ne!(first.weight.val().into_data(), model.first.weight.val().into_data());
}

#[test]
fn saved_state_goes_on_as_if_nothing_happened() {
    let device = Default::default();
    let model: Mlp<B> = Mlp::new(2, 4, 1, &device);
    let mut optimizer = AdamConfig::new().init();
    let step = |optimizer: &mut OptimizerAdaptor<Adam>, model: Mlp<B>| {
        let gradients = grads(&model);
        optimizer.step(0.1, model, gradients)
    };
    let model = (0..3).fold(model, |model, _| step(&mut optimizer, model));

    // Half precision is for the parameters; states are not rounded.
    let folder = std::env::temp_dir().join(format!("burn-optim-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let recorder = CompactRecorder::new();
    Recorder::<B>::record(&recorder, optimizer.to_record(), folder.join("optim-1")).unwrap();
    let record = Recorder::<B>::load(&recorder, folder.join("optim-1"), &device).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    let mut loaded = AdamConfig::new().init().load_record(record);

    let (with, without) = (step(&mut loaded, model.clone()), step(&mut optimizer, model));
    assert_eq!(values(&with), values(&without));
    let (with, without) = (step(&mut loaded, with), step(&mut optimizer, without));
    assert_eq!(values(&with), values(&without));
}

type Bytes = BinBytesRecorder<FullPrecisionSettings>;

fn saved(optimizer: &OptimizerAdaptor<Adam>) -> Vec<u8> {
    Recorder::<B>::record(&Bytes::new(), optimizer.to_record(), ()).unwrap()
}

#[test]
fn state_of_another_optimizer_or_shape_is_an_error() {
    let device = Default::default();
    let model: Mlp<B> = Mlp::new(2, 4, 1, &device);
    let mut adam = AdamConfig::new().init();
    let gradients = grads(&model);
    let model = adam.step(0.1, model, gradients);

    let wrong =
        Recorder::<B>::load::<OptimizerRecord<Sgd>>(&Bytes::new(), saved(&adam), &device).unwrap_err();
    let text = wrong.to_string();
    assert!(text.contains("moment_1") && text.contains("velocity"), "{text}");

    // The same identifier with another shape.
    let id = model.first.weight.id();
    let weight = Param::initialized(id, Tensor::zeros([3, 5], &device));
    let other: Linear<B> = Linear::new(weight, None);
    let load = || Recorder::<B>::load(&Bytes::new(), saved(&adam), &device).unwrap();
    let error = AdamConfig::new().init().try_load_record(load(), &other).unwrap_err();
    let mismatch = error.mismatch().unwrap();
    assert_eq!(mismatch.shapes.len(), 2);
    assert_eq!(mismatch.shapes[0].key, "weight.moment_1");
    assert_eq!((&mismatch.shapes[0].expected[..], &mismatch.shapes[0].found[..]), (&[3, 5][..], &[2, 4][..]));
    assert!(AdamConfig::new().init().try_load_record(load(), &model).is_ok());

    // A module whose record was not loaded has other identifiers.
    let stranger: Mlp<B> = Mlp::new(2, 4, 1, &device);
    let error = AdamConfig::new().init().try_load_record(load(), &stranger).unwrap_err();
    assert_eq!(error.mismatch().unwrap().unexpected.len(), 4);
}

#[test]
#[should_panic(expected = "keeps moment_1 of shape [2] for a parameter of shape [3]")]
fn a_step_with_the_state_of_another_shape_panics() {
    let mut adam = AdamConfig::new().init();
    let step = |adam: &mut OptimizerAdaptor<Adam>, size: usize| {
        let mut grads = GradientsParams::new();
        grads.register(1.into(), Tensor::<NdArray, 1>::ones([size], &Default::default()));
        let param: Param<Tensor<B, 1>> =
            Param::initialized(1.into(), Tensor::zeros([size], &Default::default()));
        adam.step(0.1, param, grads)
    };
    step(&mut adam, 2);
    step(&mut adam, 3);
}

#[test]
fn what_has_no_gradient_or_wants_none_stays() {
    let device = Default::default();
    let model: Mlp<B> = Mlp::new(2, 4, 1, &device);
    let mut sgd = SgdConfig::new().init();

    let mut of_loss = loss(&model).backward();
    let of_first = GradientsParams::from_module(&mut of_loss, &model.first);
    assert_eq!(of_first.len(), 2);
    let bias = model.second.bias.as_ref().unwrap().id();
    let of_bias = GradientsParams::from_params(&mut of_loss, &model, &[bias]);
    assert_eq!(of_bias.ids().collect::<Vec<_>>(), [bias]);
    assert_eq!(GradientsParams::from_grads(of_loss, &model).len(), 1);

    // Groups of parameters with rates of their own.
    let before = values(&model);
    let stepped = sgd.step(0.5, model.clone(), of_first);
    let stepped = sgd.step(0.1, stepped, of_bias);
    assert_ne!(values(&stepped)[0], before[0]);
    assert_eq!(values(&stepped)[1], before[1]);

    let gradients = grads(&model);
    let Mlp { first, second, activation } = model;
    let frozen = Mlp { first: first.no_grad(), second, activation };
    let frozen = sgd.step(0.5, frozen, gradients);
    assert_eq!(values(&frozen)[0], before[0]);
    assert_ne!(values(&frozen)[1], before[1]);
    assert!(grads(&frozen).get::<NdArray, 2>(frozen.first.weight.id()).is_none());
}

#[test]
fn a_parameter_that_is_there_twice_stays_one() {
    let device = Default::default();
    let first: Linear<B> = LinearConfig::new(2, 2).init(&device);
    // Two layers of the same values, each with a gradient of its own.
    let copy = LinearConfig::new(2, 2).init(&device).load_record(first.clone().into_record());
    let apart = Mlp { second: copy, first: first.clone(), activation: Relu::new() };
    let of_loss = loss(&apart).backward();
    let [one, other] = [&apart.first, &apart.second].map(|layer| layer.weight.grad(&of_loss).unwrap());
    let model = Mlp { second: first.clone(), first, activation: Relu::new() };
    let gradients = GradientsParams::from_grads(loss(&model).backward(), &model);
    let sum: Tensor<NdArray, 2> = gradients.get(model.first.weight.id()).unwrap();
    sum.into_data().assert_approx_eq::<f64>(&(one + other).into_data(), Tolerance::rel_abs(1e-6, 1e-6));
    let mut adam = AdamConfig::new().init();
    let model = adam.step(0.1, model, gradients);
    let model = {
        let gradients = grads(&model);
        adam.step(0.1, model, gradients)
    };
    let [first, second] = &values(&model)[..] else { panic!("two weights") };
    assert_eq!(first, second);
}

#[test]
fn accumulated_gradients_are_those_of_the_larger_batch() {
    let device = Default::default();
    let model: Linear<B> = LinearConfig::new(2, 3).init(&device);
    let logits = Tensor::<B, 2>::from_data([[1.0, 2.0], [-1.0, 0.5], [0.0, 3.0], [2.0, -2.0]], &device);
    let targets = Tensor::<B, 1, Int>::from_data([0, 2, 1, 1], &device);
    let entropy = CrossEntropyLossConfig::new().init(&device);
    let of = |start, length| {
        let y = model.forward(logits.clone().narrow(0, start, length));
        let loss = entropy.forward(y, targets.clone().narrow(0, start, length)) * length as f64;
        GradientsParams::from_grads(loss.backward(), &model)
    };
    let mut accumulator = GradientsAccumulator::new();
    accumulator.accumulate(&model, of(0, 1));
    accumulator.accumulate(&model, of(1, 3));
    let (sum, whole) = (accumulator.grads(), of(0, 4));
    let weight = |grads: &GradientsParams| grads.get::<NdArray, 2>(model.weight.id()).unwrap().into_data();
    weight(&sum).assert_approx_eq::<f64>(&weight(&whole), Tolerance::rel_abs(1e-6, 1e-6));
    assert!(accumulator.grads().is_empty());
}

#[test]
fn gradients_cross_threads() {
    let device = Default::default();
    let model: Mlp<B> = Mlp::new(2, 4, 1, &device);
    // Made once, so that the copies share it.
    let _ = loss(&model);
    let copy = model.fork(&device);
    let other = copy.clone();
    let gradients = std::thread::spawn(move || grads(&other)).join().unwrap();
    let weight = gradients.get::<NdArray, 2>(copy.first.weight.id()).unwrap();
    let own = grads(&copy).remove::<NdArray, 2>(copy.first.weight.id()).unwrap();
    assert_eq!(weight.into_data(), own.into_data());
}

/// Runs some steps and returns whether the weight stays where the first step left it.
fn is_stepped_in_place<R: UpdateRule + Clone>(optimizer: OptimizerAdaptor<R>) -> bool {
    let addresses = addresses(optimizer);
    addresses[1..].iter().all(|address| *address == addresses[1])
}

/// Where the weight lies after each of some steps.
fn addresses<R: UpdateRule + Clone>(mut optimizer: OptimizerAdaptor<R>) -> Vec<usize> {
    let device = Default::default();
    let mut weight: Param<Tensor<B, 2>> = Param::from_tensor(Tensor::ones([64, 64], &device));
    let mut addresses = Vec::new();
    for _ in 0..16 {
        let loss = (weight.val() * Tensor::ones([64, 64], &device)).sum();
        let grads = GradientsParams::from_grads(loss.backward(), &weight);
        weight = optimizer.step(0.1, weight, grads);
        addresses.push(weight.handle().primitive.address());
    }
    addresses
}

#[test]
fn a_step_changes_parameters_and_states_in_place() {
    macro_rules! rules {
        ($($config:ident)*) => {$(
            assert!(is_stepped_in_place($config::new().init()), stringify!($config));
        )*};
    }
    rules! {
        AdamConfig AdamWConfig AdamaxConfig NAdamConfig RAdamConfig SgdConfig RmsPropConfig AdagradConfig
        AdadeltaConfig RpropConfig AsgdConfig AdafactorConfig MuonConfig LionConfig LambConfig
    }
    // The gradient is kept, so the buffer of the one before is free: those of five kept tensors and a
    // gradient take turns.
    let mut adan = addresses(AdanConfig::new().init());
    adan.sort();
    adan.dedup();
    assert!(adan.len() <= 6, "{adan:?}");
    assert!(is_stepped_in_place(AdamConfig::new().with_amsgrad(true).init()));
    let clipped = |clipping| AdamWConfig::new().with_grad_clipping(Some(clipping)).init();
    assert!(is_stepped_in_place(clipped(GradientClippingConfig::GlobalNorm(1.0))));
}

#[test]
fn optimizer_configs_refuse_values_out_of_range_by_field() {
    use burn_core::config::ConfigError;
    fn refused<T: std::fmt::Debug>(made: Result<T, ConfigError>, text: &str) {
        assert_eq!(made.unwrap_err().to_string(), text);
    }
    let beta = "AdamConfig: invalid `beta_2`; expected a number in [0, 1), got 1.0";
    refused(AdamConfig::new().with_beta_2(1.0).try_init(), beta);
    let epsilon = "AdamWConfig: invalid `epsilon`; expected a finite number of at least 0, got NaN";
    refused(AdamWConfig::new().with_epsilon(f64::NAN).try_init(), epsilon);
    let alpha = "RmsPropConfig: invalid `alpha`; expected a number in [0, 1), got -0.5";
    refused(RmsPropConfig::new().with_alpha(-0.5).try_init(), alpha);
    let penalty =
        "SgdConfig: invalid `weight_decay.penalty`; expected a finite number of at least 0, got -1.0";
    refused(SgdConfig::new().with_weight_decay(Some(WeightDecayConfig::new(-1.0))).try_init(), penalty);
    let nesterov = MomentumConfig { momentum: 0.9, dampening: 0.5, nesterov: true };
    let text =
        "SgdConfig: invalid `momentum.nesterov`; expected false without momentum or with dampening, got true";
    refused(SgdConfig::new().with_momentum(Some(nesterov)).try_init(), text);
    let norm = GradientClippingConfig::Norm(-1.0);
    let text = "SgdConfig: invalid `grad_clipping`; expected a threshold above 0, got Norm(-1.0)";
    refused(SgdConfig::new().with_grad_clipping(Some(norm)).try_init(), text);
    let threshold = "AdafactorConfig: invalid `clipping_threshold`; expected a number of at least 1, got 0.5";
    refused(AdafactorConfig::new().with_clipping_threshold(0.5).try_init(), threshold);
    let steps = "MuonConfig: invalid `ns_steps`; expected less than 100, got 100";
    refused(MuonConfig::new().with_ns_steps(100).try_init(), steps);
    let eta = "RpropConfig: invalid `eta_plus`; expected a finite number above 1, got 1.0";
    refused(RpropConfig::new().with_eta_plus(1.0).try_init(), eta);
    let size = "RpropConfig: invalid `max_step_size`; expected a finite number of at least `min_step_size`, got 1e-9";
    refused(RpropConfig::new().with_max_step_size(1e-9).try_init(), size);
    let history = "LbfgsConfig: invalid `history_size`; expected at least 1, got 0";
    refused(LbfgsConfig::new().with_history_size(0).try_init(), history);
    let decay = "EmaConfig: invalid `decay`; expected a number in [0, 1], got 1.5";
    refused(EmaConfig::new().with_decay(1.5).try_init(), decay);
    let rho = "AdadeltaConfig: invalid `rho`; expected a number in [0, 1), got 1.0";
    refused(AdadeltaConfig::new().with_rho(1.0).try_init(), rho);
}

/// Records are checked against the shapes that a rule reduces too.
#[test]
fn factored_state_of_another_shape_is_an_error() {
    let device = Default::default();
    let mut adafactor = AdafactorConfig::new().init();
    let weight: Param<Tensor<B, 2>> = Param::from_tensor(Tensor::ones([2, 3], &device));
    let grads = GradientsParams::from_grads(weight.val().square().sum().backward(), &weight);
    let weight = adafactor.step(0.1, weight, grads);
    let bytes = Recorder::<B>::record(&Bytes::new(), adafactor.to_record(), ()).unwrap();
    let load = || Recorder::<B>::load::<OptimizerRecord<Adafactor>>(&Bytes::new(), bytes.clone(), &device);
    assert!(AdafactorConfig::new().init().try_load_record(load().unwrap(), &weight).is_ok());
    let other: Param<Tensor<B, 2>> = Param::initialized(weight.id(), Tensor::ones([3, 3], &device));
    let error = AdafactorConfig::new().init().try_load_record(load().unwrap(), &other).unwrap_err();
    let mismatch = error.mismatch().unwrap();
    // The columns fit: they are means over the rows.
    assert_eq!(mismatch.shapes.len(), 1);
    assert_eq!(mismatch.shapes[0].key, "row_moment");
    assert_eq!((&mismatch.shapes[0].expected[..], &mismatch.shapes[0].found[..]), (&[3, 1][..], &[2, 1][..]));
}

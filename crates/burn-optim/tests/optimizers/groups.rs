//! Groups of parameters, and freezing.

use burn_autodiff::Autodiff;
use burn_core::module::{Module, Param};
use burn_core::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
use burn_core::tensor::{Backend, Tensor};
use burn_ndarray::NdArray;
use burn_nn::{Linear, LinearConfig};
use burn_optim::*;

type B = Autodiff<NdArray>;
type Bytes = BinBytesRecorder<FullPrecisionSettings>;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    encoder: Vec<Linear<B>>,
    head: Linear<B>,
}

fn model() -> Model<B> {
    let device = Default::default();
    let layer = || {
        let Linear { weight, bias, .. } = LinearConfig::new(1, 1).init::<B>(&device);
        let one = |param: Param<Tensor<B, 2>>| param.map(|_| Tensor::ones([1, 1], &device));
        Linear::new(one(weight), bias.map(|bias| bias.map(|_| Tensor::ones([1], &device))))
    };
    Model { encoder: vec![layer(), layer()], head: layer() }
}

/// Gradients of 1 for every parameter.
fn ones(model: &Model<B>) -> GradientsParams {
    let sum = |layer: &Linear<B>| layer.weight.val().sum() + layer.bias.as_ref().unwrap().val().sum();
    let loss = model.encoder.iter().fold(sum(&model.head), |loss, layer| loss + sum(layer));
    GradientsParams::from_grads(loss.backward(), model)
}

/// The weight and the bias of each layer; the head is the last.
fn values(model: &Model<B>) -> Vec<[f64; 2]> {
    let layers = model.encoder.iter().chain([&model.head]);
    let value = |data: burn_core::tensor::TensorData| data.to_f64()[0];
    let of = |layer: &Linear<B>| {
        let bias = layer.bias.as_ref().unwrap().val().into_data();
        [value(layer.weight.val().into_data()), value(bias)]
    };
    layers.map(of).collect()
}

fn sgd() -> OptimizerAdaptor<Sgd> {
    SgdConfig::new().init()
}

#[test]
fn groups_have_their_own_rate_decay_and_optimizer() {
    let decayed = SgdConfig::new().with_weight_decay(Some(WeightDecayConfig::new(1.0))).init();
    let mut optimizer = ParameterGroups::new(sgd())
        .with_frozen("encoder.0.*")
        .with_group("encoder.**.weight", decayed)
        .with_group("head.bias", ParameterGroup::new(sgd()).with_lr_factor(2.0))
        .with_group("head.**", LionConfig::new().init());
    let model = model();
    assert!(optimizer.try_check(&model).is_ok());
    let grads = ones(&model);
    let model = optimizer.step(0.25, model, grads);
    // Frozen; 1 - 0.25 (1 + 1) and the default; the sign and twice the rate.
    assert_eq!(values(&model), [[1.0, 1.0], [0.5, 0.75], [0.75, 0.5]]);
}

#[test]
fn the_norm_of_clipping_is_over_all_groups_that_are_updated() {
    let clipping = Some(GradientClippingConfig::GlobalNorm(1.0));
    let mut optimizer = ParameterGroups::new(sgd())
        .with_frozen("encoder.0.*")
        .with_group("head.**", sgd())
        .with_grad_clipping(clipping);
    let model = model();
    let grads = ones(&model);
    let model = optimizer.step(1.0, model, grads);
    // Four gradients of 1 have the norm 2.
    let found = values(&model).concat();
    let expected = [1.0, 1.0, 0.5, 0.5, 0.5, 0.5];
    assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-5), "{found:?}");
}

#[test]
fn groups_go_on_from_their_record() {
    let new = || {
        ParameterGroups::new(AdamConfig::new().init())
            .with_group("**.weight", MuonConfig::new().init())
            .with_group("head.bias", NAdamConfig::new().init())
    };
    let mut optimizer = new();
    let step = |optimizer: &mut ParameterGroups, model: Model<B>| {
        let grads = ones(&model);
        optimizer.step(0.01, model, grads)
    };
    let model = (0..3).fold(model(), |model, _| step(&mut optimizer, model));
    let record = Optimizer::<Model<B>, B>::to_record(&optimizer);
    let bytes = Recorder::<B>::record(&Bytes::new(), record.clone(), ()).unwrap();
    let loaded = Recorder::<B>::load(&Bytes::new(), bytes.clone(), &Default::default()).unwrap();
    let mut resumed = new().try_load_record(loaded, &model).unwrap();
    let expected = values(&step(&mut optimizer, model.clone()));
    assert_eq!(values(&step(&mut resumed, model.clone())), expected);
    // Without a recorder between them.
    let mut resumed = Optimizer::<Model<B>, B>::load_record(new(), record);
    assert_eq!(values(&step(&mut resumed, model.clone())), expected);

    // Another rule for the group.
    let other = ParameterGroups::new(AdamConfig::new().init())
        .with_group("**.weight", AdagradConfig::new().init())
        .with_group("head.*", NAdamConfig::new().init());
    let loaded = Recorder::<B>::load(&Bytes::new(), bytes, &Default::default()).unwrap();
    let error = other.try_load_record(loaded, &model).unwrap_err();
    let mismatch = error.mismatch().unwrap();
    let muon = format!("**.weight.{}.momentum", model.encoder[0].weight.id());
    assert!(mismatch.values.iter().any(|(key, _)| *key == muon), "{error}");
    assert_eq!(mismatch.missing, ["head.*"]);
    assert_eq!(mismatch.unexpected, ["head.bias"]);
}

#[test]
fn a_pattern_that_leaves_a_group_empty_is_an_error_with_the_paths() {
    let optimizer = ParameterGroups::new(sgd()).with_group("encodr.**", sgd());
    let text = optimizer.try_check(&model()).unwrap_err().to_string();
    assert!(text.contains("\"encodr.**\"") && text.contains("encoder.0.weight, encoder.1.bias"), "{text}");
    let covered = ParameterGroups::new(sgd()).with_group("**", sgd()).with_group("head.bias", sgd());
    assert!(covered.try_check(&model()).is_err());
    assert!(ParameterGroups::new(sgd()).try_with_group("a..b", sgd()).is_err());
}

#[test]
#[should_panic(expected = "ParameterGroups: invalid `pattern`; expected a pattern of a parameter")]
fn the_first_step_panics_when_a_group_is_empty() {
    let mut optimizer = ParameterGroups::new(sgd()).with_group("tail.**", sgd());
    let model = model();
    let grads = ones(&model);
    let _ = optimizer.step(0.1, model, grads);
}

#[test]
#[should_panic(expected = "Muon: wrong rank of a parameter; expected a matrix, got shape [1]")]
fn muon_refuses_what_is_no_matrix() {
    let model = model();
    let grads = ones(&model);
    let _ = MuonConfig::new().init().step(0.1, model, grads);
}

#[test]
fn frozen_parameters_get_no_gradients_and_stay() {
    let model = freeze(model(), "encoder.**");
    let grads = ones(&model);
    assert_eq!(grads.len(), 2);
    let model = sgd().step(0.25, model, grads);
    assert_eq!(values(&model), [[1.0, 1.0], [1.0, 1.0], [0.75, 0.75]]);
    let model = unfreeze(model, "encoder.1.bias");
    assert_eq!(ones(&model).len(), 3);
    let error = try_freeze(model, "encoder").unwrap_err().to_string();
    let expected = "freeze: invalid `pattern`; expected a pattern of one of the parameters encoder.0.bias";
    assert!(error.starts_with(expected), "{error}");
}

use burn::backend::{Autodiff, NdArray};
use burn::module::AutodiffModule;
use burn::nn::{Linear, LinearConfig};
use burn::optim::*;
use burn::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
use burn::tensor::Tensor;

type B = Autodiff<NdArray>;

fn model() -> Vec<Linear<B>> {
    let device = Default::default();
    vec![LinearConfig::new(2, 8).init(&device), LinearConfig::new(8, 1).init(&device)]
}

#[expect(clippy::ptr_arg, reason = "L-BFGS gives the module as it is")]
fn loss(model: &Vec<Linear<B>>) -> Tensor<B, 1> {
    let x = Tensor::<B, 2>::from_data([[0.0, 1.0], [1.0, 0.5], [-1.0, 2.0]], &Default::default());
    let y = model.iter().fold(x, |x, layer| layer.forward(x).tanh());
    (y - 0.5).square().mean()
}

#[test]
fn a_step_lowers_the_loss() {
    let mut model = model();
    let before = loss(&model).into_scalar();
    let mut optimizer = AdamWConfig::new().with_weight_decay(0.05).init();
    for _ in 0..10 {
        let loss = loss(&model);
        let grads = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(1e-2, model, grads);
    }
    assert!(loss(&model).into_scalar() < before);
}

#[test]
fn clipping_returns_the_norm() {
    let model = model();
    let loss = loss(&model);
    // ANCHOR: clipping
    let mut grads = GradientsParams::from_grads(loss.backward(), &model);
    let norm = grads.clip_by_global_norm(1.0);
    if norm.is_finite() {
        println!("norm before clipping: {norm}");
    }
    // ANCHOR_END: clipping
    assert!(norm > 0.0 && grads.global_norm() <= 1.0 + 1e-5);
}

#[test]
fn groups_are_chosen_by_path() {
    let model = model();
    // ANCHOR: groups
    let adam = AdamWConfig::new();
    let mut optimizer = ParameterGroups::new(adam.init())
        // No decay of biases.
        .with_group("**.bias", adam.with_weight_decay(0.0).init())
        // The last layer ten times faster.
        .with_group("1.*", ParameterGroup::new(SgdConfig::new().init()).with_lr_factor(10.0));
    optimizer.try_check(&model).expect("every pattern has a parameter");
    // ANCHOR_END: groups
    let grads = GradientsParams::from_grads(loss(&model).backward(), &model);
    let before = model[1].weight.val().into_data();
    let model = optimizer.step(1e-3, model, grads);
    assert_ne!(model[1].weight.val().into_data(), before);
}

#[test]
fn layers_are_frozen_by_path() {
    let model = model();
    // ANCHOR: freeze
    let model = freeze(model, "0.**");
    let grads = GradientsParams::from_grads(loss(&model).backward(), &model);
    assert_eq!(grads.len(), 2); // those of the last layer
    // ANCHOR_END: freeze
}

#[test]
fn lbfgs_is_given_the_loss() {
    let mut model = model();
    let before = loss(&model).into_scalar();
    // ANCHOR: lbfgs
    let mut lbfgs = LbfgsConfig::new().with_line_search(Some(LineSearch::StrongWolfe)).init();
    for _ in 0..3 {
        let (stepped, loss_before) = lbfgs.step(1.0, model, loss);
        model = stepped;
        println!("{loss_before}");
    }
    // ANCHOR_END: lbfgs
    assert!(loss(&model).into_scalar() < before);
}

#[test]
fn averages_are_put_into_a_module() {
    let mut model = model();
    let mut optimizer = SgdConfig::new().init();
    // ANCHOR: average
    let mut ema = EmaConfig::new().with_decay(0.9).init();
    for _ in 0..10 {
        let grads = GradientsParams::from_grads(loss(&model).backward(), &model);
        model = optimizer.step(0.1, model, grads);
        ema.update(&model);
    }
    // The clone shares its tensors with the model, which is trained on.
    let averaged = ema.average(model.clone()).valid();
    // ANCHOR_END: average
    assert_eq!(ema.updates(), 10);
    assert_ne!(averaged[0].weight.val().into_data(), model[0].weight.val().into_data());
}

#[test]
fn steps_that_overflow_are_skipped() {
    let mut model = model();
    let mut optimizer = AdamConfig::new().init();
    // ANCHOR: scaler
    let mut scaler = GradScalerConfig::new().init();
    for _ in 0..5 {
        let loss = scaler.scale(loss(&model));
        let grads = GradientsParams::from_grads(loss.backward(), &model);
        model = scaler.step(&mut optimizer, 1e-3, model, grads);
    }
    // ANCHOR_END: scaler
    assert_eq!(scaler.skipped_steps(), 0);
}

#[test]
fn an_optimizer_goes_on_from_its_record() {
    let model = model();
    let mut optimizer = AdamConfig::new().init();
    let grads = GradientsParams::from_grads(loss(&model).backward(), &model);
    let model = optimizer.step(1e-3, model, grads);
    // ANCHOR: record
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let bytes = recorder.record(optimizer.to_record(), ()).expect("it is in memory");

    let record = Recorder::<B>::load(&recorder, bytes, &Default::default()).expect("it was just written");
    let optimizer = AdamConfig::new().init().try_load_record(record, &model).expect("it is of this model");
    // ANCHOR_END: record
    let _ = optimizer;
}

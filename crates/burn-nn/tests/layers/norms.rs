use crate::fixture::{B, Case};
use burn_core::module::AutodiffModule;
use burn_nn::*;

fn batch_norm(case: &Case) -> BatchNorm<B> {
    let norm = BatchNormConfig::new(3).with_epsilon(1e-3).with_momentum(0.2).init(&Default::default());
    BatchNorm { gamma: case.param("gamma"), beta: case.param("beta"), ..norm }
}

#[test]
fn batch_norm_in_training_agrees_with_torch() {
    let (case, x) = (Case::of("batch_norm_train"), Case::of("batch_norm_train").x::<4>());
    let layer = batch_norm(&case);
    let gradients = case.backward(layer.forward(x.clone()));
    case.gradient("x", &x, &gradients);
    case.gradient("gamma", &layer.gamma, &gradients);
    case.gradient("beta", &layer.beta, &gradients);
    case.close("running_mean", layer.running_mean.value().inner());
    case.close("running_var", layer.running_var.value().inner());
}

#[test]
fn batch_norm_in_validation_agrees_with_torch() {
    let case = Case::of("batch_norm_eval");
    let layer = BatchNorm {
        running_mean: case.state("running_mean"),
        running_var: case.state("running_var"),
        ..batch_norm(&case)
    };
    case.close("y", layer.valid().forward(case.x::<3>().inner()));
}

#[test]
fn layer_norm_agrees_with_torch() {
    let (case, x) = (Case::of("layer_norm"), Case::of("layer_norm").x::<3>());
    let layer: LayerNorm<B> = LayerNormConfig::new(6).init(&Default::default());
    let layer = LayerNorm { gamma: case.param("gamma"), beta: Some(case.param("beta")), ..layer };
    let gradients = case.backward(layer.forward(x.clone()));
    case.gradient("x", &x, &gradients);
    case.gradient("gamma", &layer.gamma, &gradients);
    case.gradient("beta", layer.beta.as_ref().unwrap(), &gradients);
}

#[test]
fn group_norm_agrees_with_torch() {
    let (case, x) = (Case::of("group_norm"), Case::of("group_norm").x::<4>());
    let layer: GroupNorm<B> = GroupNormConfig::new(2, 4).init(&Default::default());
    let (gamma, beta) = (Some(case.param("gamma")), Some(case.param("beta")));
    let layer = GroupNorm { gamma, beta, ..layer };
    let gradients = case.backward(layer.forward(x.clone()));
    case.gradient("x", &x, &gradients);
    case.gradient("gamma", layer.gamma.as_ref().unwrap(), &gradients);
    case.gradient("beta", layer.beta.as_ref().unwrap(), &gradients);
}

#[test]
fn rms_norm_agrees_with_torch() {
    let (case, x) = (Case::of("rms_norm"), Case::of("rms_norm").x::<3>());
    let layer: RmsNorm<B> = RmsNormConfig::new(6).init(&Default::default());
    let layer = RmsNorm { gamma: case.param("gamma"), ..layer };
    let gradients = case.backward(layer.forward(x.clone()));
    case.gradient("x", &x, &gradients);
    case.gradient("gamma", &layer.gamma, &gradients);
}

#[test]
fn instance_norm_agrees_with_torch() {
    let (case, x) = (Case::of("instance_norm"), Case::of("instance_norm").x::<4>());
    let layer: InstanceNorm<B> = InstanceNormConfig::new(4).init(&Default::default());
    let (gamma, beta) = (Some(case.param("gamma")), Some(case.param("beta")));
    let layer = InstanceNorm { gamma, beta, ..layer };
    let gradients = case.backward(layer.forward(x.clone()));
    case.gradient("x", &x, &gradients);
    case.gradient("gamma", layer.gamma.as_ref().unwrap(), &gradients);
    case.gradient("beta", layer.beta.as_ref().unwrap(), &gradients);
}

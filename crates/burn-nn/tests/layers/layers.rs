use crate::fixture::{B, Case};
use burn_core::tensor::Tensor;
use burn_nn::*;

#[test]
fn linear_agrees_with_torch() {
    let (case, x) = (Case::of("linear"), Case::of("linear").x::<3>());
    let layer = Linear::<B> { weight: case.param("weight"), bias: Some(case.param("bias")) };
    let gradients = case.backward(layer.forward(x.clone()));
    case.gradient("x", &x, &gradients);
    case.gradient("weight", &layer.weight, &gradients);
    case.gradient("bias", layer.bias.as_ref().unwrap(), &gradients);
}

fn without_parameters<const D: usize>(name: &str, forward: impl Fn(Tensor<B, D>) -> Tensor<B, D>) {
    let (case, x) = (Case::of(name), Case::of(name).x::<D>());
    let gradients = case.backward(forward(x.clone()));
    case.gradient("x", &x, &gradients);
}

#[test]
fn embedding_agrees_with_torch() {
    let case = Case::of("embedding");
    let layer = Embedding::<B> { weight: case.param("weight") };
    let gradients = case.backward(layer.forward(case.int("x")));
    case.gradient("weight", &layer.weight, &gradients);
}

#[test]
fn leaky_activations_agree_with_torch() {
    let layer = LeakyReluConfig::new().with_negative_slope(0.2).init();
    without_parameters::<2>("leaky_relu", |x| layer.forward(x));
    let (case, x) = (Case::of("prelu"), Case::of("prelu").x::<3>());
    let layer = PRelu::<B> { alpha: case.param("alpha") };
    let gradients = case.backward(layer.forward(x.clone()));
    case.gradient("x", &x, &gradients);
    case.gradient("alpha", &layer.alpha, &gradients);
}

//! The two ways to bound the slope of a critic, beside differences.

use burn::backend::{Autodiff, NdArray};
use burn::module::{Module, ModuleVisitor, ParamId};
use burn::prelude::*;
use burn::tensor::{Distribution, Tolerance};
use wgan::critic::{Critic, CriticConfig};
use wgan::gradient_penalty::gradient_penalty;
use wgan::weight_clipping::WeightClipping;

type Plain = NdArray<f64>;
type B = Autodiff<Plain>;

fn critic() -> Critic<B> {
    CriticConfig::new(3).with_d_hidden(5).init(&Default::default())
}

fn images() -> Tensor<B, 2> {
    Tensor::random([2, 3], Distribution::Normal(0.0, 1.0), &Default::default())
}

/// The score of the first image, moved along one pixel.
fn score(critic: &Critic<B>, image: &Tensor<B, 2>, pixel: usize, by: f64) -> f64 {
    let mut moved = [[0.0; 3]];
    moved[0][pixel] = by;
    let moved = image.clone() + Tensor::from_data(moved, &Default::default());
    critic.forward(moved).into_scalar().elem()
}

#[test]
fn the_penalty_is_that_of_differences() {
    let (critic, real, fake) = (critic(), images(), images());
    let mix = Tensor::<B, 2>::from_data([[0.25], [0.75]], &Default::default());
    let penalty: f64 =
        gradient_penalty(&critic, real.clone(), fake.clone(), mix.clone()).into_scalar().elem();
    let between = fake.clone() + (real - fake) * mix;
    let squares: f64 = (0..2)
        .map(|row| {
            let image = between.clone().narrow(0, row, 1);
            let slope =
                |pixel| (score(&critic, &image, pixel, 1e-6) - score(&critic, &image, pixel, -1e-6)) / 2e-6;
            let length = (0..3).map(|pixel| slope(pixel).powi(2)).sum::<f64>().sqrt();
            (length - 1.0).powi(2)
        })
        .sum();
    assert!((penalty - squares / 2.0).abs() < 1e-7, "{penalty} {}", squares / 2.0);
}

/// Adds a number to the first element of the first parameter.
struct Nudge(Option<f64>);

impl burn::module::ModuleMapper<B> for Nudge {
    fn map_float<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D>) -> Tensor<B, D> {
        let Some(by) = self.0.take() else { return tensor };
        let mut data = tensor.to_data();
        data.as_mut_slice::<f64>().expect("it is f64")[0] += by;
        Tensor::from_data(data, &tensor.device())
    }
}

/// The gradient of the first element of the first parameter.
struct First<'a>(&'a <B as burn::tensor::backend::AutodiffBackend>::Gradients, Option<f64>);

impl ModuleVisitor<B> for First<'_> {
    fn visit_float<const D: usize>(&mut self, _id: ParamId, tensor: &Tensor<B, D>) {
        if self.1.is_none() {
            self.1 = tensor.grad(self.0).map(|grad| grad.into_data().to_f64()[0]);
        }
    }
}

#[test]
fn the_penalty_has_the_derivative_of_differences_by_a_weight() {
    let (critic, real, fake) = (critic(), images(), images());
    let mix = Tensor::<B, 2>::from_data([[0.25], [0.75]], &Default::default());
    let penalty = |critic: &Critic<B>| gradient_penalty(critic, real.clone(), fake.clone(), mix.clone());
    let gradients = penalty(&critic).backward();
    let mut first = First(&gradients, None);
    critic.visit(&mut first);
    let nudged = |by| -> f64 { penalty(&critic.clone().map(&mut Nudge(Some(by)))).into_scalar().elem() };
    let difference = (nudged(1e-6) - nudged(-1e-6)) / 2e-6;
    let derivative = first.1.expect("the penalty depends on the weight");
    assert!((derivative - difference).abs() < 1e-6, "{derivative} {difference}");
}

#[test]
fn clipped_weights_stay_where_they_were_within_the_limit() {
    struct Values(Vec<f64>);
    impl ModuleVisitor<B> for Values {
        fn visit_float<const D: usize>(&mut self, _id: ParamId, tensor: &Tensor<B, D>) {
            self.0.extend(tensor.to_data().to_f64());
        }
    }
    let critic = critic();
    let values = |critic: &Critic<B>| {
        let mut values = Values(Vec::new());
        critic.visit(&mut values);
        TensorData::from(values.0.as_slice())
    };
    let (before, after) = (values(&critic), values(&critic.clone().map(&mut WeightClipping { limit: 0.1 })));
    let expected: Vec<f64> = before.to_f64().iter().map(|value| value.clamp(-0.1, 0.1)).collect();
    assert!(before != after);
    after.assert_approx_eq::<f64>(&TensorData::from(expected.as_slice()), Tolerance::rel_abs(0.0, 0.0));
}

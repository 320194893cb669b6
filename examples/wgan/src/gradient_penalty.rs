//! A critic whose slope is kept at 1 by its loss.

use crate::critic::Critic;
use burn::backend::Autodiff;
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;

// ANCHOR: penalty
/// Returns the gradient penalty `mean((|slope of the critic| - 1)^2)` at points between real and generated
/// images, `[batch, pixels]` each; `mix`, `[batch, 1]`, says where between them.
///
/// The slope by the pixels is taken on a tape of its own, around the one that knows the parameters of the
/// critic, and so has derivatives by them.
///
/// Gulrajani, Ahmed, Arjovsky, Dumoulin and Courville, *Improved training of Wasserstein GANs*, 2017.
pub fn gradient_penalty<B: AutodiffBackend>(
    critic: &Critic<B>,
    real: Tensor<B, 2>,
    fake: Tensor<B, 2>,
    mix: Tensor<B, 2>,
) -> Tensor<B, 1> {
    let between = fake.clone() + (real - fake) * mix;
    let between = Tensor::<Autodiff<B>, 2>::from_inner(between).require_grad();
    let scores = critic.lift().forward(between.clone());
    let slope: Tensor<B, 2> =
        between.grad(&scores.sum().backward()).expect("the scores depend on the images");
    let length = (slope.square().sum_dim(1) + 1e-12).sqrt();
    (length - 1.0).square().mean()
}
// ANCHOR_END: penalty

// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::lr_scheduler::{LrScheduler, Schedule, ScheduledLr};
use burn::nn::{Linear, LinearConfig};
use burn::optim::dynamic::{Dynamic, DynamicTensor, TypedCalls, UnaryOp, ops};
use burn::optim::{GradientsParams, Optimizer, OptimizerAdaptor, ParamState, UpdateRule};
use burn::prelude::*;

type B = Autodiff<NdArray>;

/// Steps of one size against the sign of the gradient: `x = x - lr sign(g)`.
#[derive(Clone, Debug)]
struct SignDescent;

impl UpdateRule for SignDescent {
    fn state_names() -> &'static [&'static str] {
        &[]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: f64,
        _state: &mut ParamState,
    ) -> DynamicTensor {
        let direction = Dynamic::unary(UnaryOp::Sign, grad);
        ops::sub::<Dynamic>(x, ops::scale::<Dynamic>(direction, lr))
    }
}

/// Half of the learning rate every ten steps.
#[derive(Clone, Debug)]
struct Halving;

impl Schedule for Halving {
    fn rate(&self, step: usize) -> f64 {
        0.5 * 0.5_f64.powi((step / 10) as i32)
    }
}

fn main() {
    let device = Default::default();
    B::seed(1);
    // y = 2 x.
    let x = Tensor::<B, 2>::from_data([[1.0], [2.0], [-1.0]], &device);
    let mut model: Linear<B> = LinearConfig::new(1, 1).with_bias(false).init(&device);
    let mut optimizer = OptimizerAdaptor::new(SignDescent);
    let mut scheduler = ScheduledLr::new(Halving);
    for _ in 0..100 {
        let loss = (model.forward(x.clone()) - x.clone() * 2.0).square().mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(scheduler.step(), model, gradients);
    }
    println!("y = {:.2} x", model.weight.val().into_scalar());
}
// ANCHOR_END: program

#[test]
fn x_701_own_optimizer() {
    crate::page_output::page_prints!("building-blocks/own-optimizer.md");
}

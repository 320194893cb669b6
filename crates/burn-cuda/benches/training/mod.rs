//! Whole steps of training: forward, loss, backward, Adam.

pub mod encoder;
pub mod guide;
pub mod lstm;
pub mod nn_encoder;

use burn_core::module::AutodiffModule;
use burn_optim::{AdamConfig, GradientsParams, Optimizer};
use burn_tensor::{AutodiffBackend, Tensor};
use std::cell::RefCell;

/// Returns a function that trains the model by one step.
fn steps<B, M>(model: M, loss: impl Fn(&M) -> Tensor<B, 1>) -> impl Fn()
where
    B: AutodiffBackend,
    M: AutodiffModule<B>,
{
    let (optimizer, model) = (RefCell::new(AdamConfig::new().init()), RefCell::new(Some(model)));
    move || {
        let before = model.take().expect("put back after each step");
        let gradients = GradientsParams::from_grads(loss(&before).backward(), &before);
        model.replace(Some(optimizer.borrow_mut().step(1e-6, before, gradients)));
    }
}

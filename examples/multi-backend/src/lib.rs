//! One model on two backends: its first layer on one, its second on the other.
//!
//! On a machine with one processor both compute on it; with a graphics card, one of the two types would be
//! its backend, and nothing else would change.

use burn::backend::ndarray::NdArrayDevice;
use burn::backend::router::duo::MultiDevice;
use burn::backend::{Autodiff, Fusion, NdArray, Profile, Router};
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::prelude::*;
use burn::tensor::activation;
use burn::tensor::backend::AutodiffBackend;

// ANCHOR: backend
/// The first backend computes each call at once, the second gathers calls.
pub type First = Profile<NdArray>;
pub type Second = Profile<Fusion<NdArray>>;

/// Both backends, with gradients across them.
pub type Both = Autodiff<Router<(First, Second)>>;

/// A device of the first backend, and one of the second.
pub const DEVICES: [MultiDevice<NdArrayDevice, NdArrayDevice>; 2] =
    [MultiDevice::B1(NdArrayDevice::Cpu), MultiDevice::B2(NdArrayDevice::Cpu)];
// ANCHOR_END: backend

// ANCHOR: model
/// Two layers, each wherever it was put.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    pub encoder: Linear<B>,
    pub head: Linear<B>,
}

impl<B: Backend> Model<B> {
    pub fn new([first, second]: &[B::Device; 2]) -> Self {
        Model { encoder: LinearConfig::new(2, 32).init(first), head: LinearConfig::new(32, 1).init(second) }
    }

    /// Moves the features to the device of the head; their gradients are moved back.
    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let features = activation::tanh(self.encoder.forward(x));
        self.head.forward(features.to_device(&self.head.weight.device()))
    }
}
// ANCHOR_END: model

/// Whether the two coordinates of each point have one sign: 1 or -1.
fn points<B: Backend>(device: &B::Device) -> (Tensor<B, 2>, Tensor<B, 2>) {
    let at = |i: usize| [(i % 16) as f32 / 7.5 - 1.0, (i / 16) as f32 / 7.5 - 1.0];
    let points: Vec<[f32; 2]> = (0..256).map(at).collect();
    let signs: Vec<f32> = points.iter().map(|[x, y]| (x * y).signum()).collect();
    let x = TensorData::new(points.concat(), [256, 2]);
    (Tensor::from_data(x, device), Tensor::from_data(TensorData::new(signs, [256, 1]), device))
}

/// Trains for so many steps; the model, and the loss of each step.
pub fn train<B: AutodiffBackend>(devices: &[B::Device; 2], steps: usize) -> (Model<B>, Vec<f32>) {
    B::seed(42);
    let mut model = Model::<B>::new(devices);
    let mut optimizer = AdamConfig::new().init();
    let (x, _) = points::<B>(&devices[0]);
    let (_, y) = points::<B>(&devices[1]);
    let mut losses = Vec::with_capacity(steps);
    for _ in 0..steps {
        let difference = model.forward(x.clone()) - y.clone();
        let loss = (difference.clone() * difference).mean();
        losses.push(loss.clone().into_scalar().elem());
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(0.02, model, gradients);
    }
    (model, losses)
}

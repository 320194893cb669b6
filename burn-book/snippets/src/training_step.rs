//! One step of training, and its parts.

// ANCHOR: model
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;

/// A network with a part that is trained already, and a new one.
#[derive(Module, Debug)]
pub struct Network<B: Backend> {
    encoder: Linear<B>,
    head: Linear<B>,
}

impl<B: Backend> Network<B> {
    pub fn new(device: &B::Device) -> Self {
        Network { encoder: LinearConfig::new(2, 8).init(device), head: LinearConfig::new(8, 1).init(device) }
    }

    /// `[batch, 2]` to `[batch, 1]`.
    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.head.forward(self.encoder.forward(x).tanh())
    }
}
// ANCHOR_END: model

use burn::backend::{Autodiff, NdArray};
use burn::nn::loss::{MseLoss, Reduction};

type A = Autodiff<NdArray>;

/// Inputs, and targets that a network of this size can learn.
fn batch<B: Backend>(device: &B::Device) -> (Tensor<B, 2>, Tensor<B, 2>) {
    let x = Tensor::from_data([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], device);
    (x, Tensor::from_data([[0.0], [1.0], [1.0], [0.0]], device))
}

fn loss<B: Backend>(network: &Network<B>, device: &B::Device) -> Tensor<B, 1> {
    let (x, y) = batch(device);
    MseLoss::new().forward(network.forward(x), y, Reduction::Mean)
}

fn value(loss: Tensor<A, 1>) -> f64 {
    loss.into_scalar().elem()
}

// ANCHOR: loop
use burn::optim::{AdamConfig, GradientsParams};

fn train<B: AutodiffBackend>(
    mut network: Network<B>,
    batches: &[(Tensor<B, 2>, Tensor<B, 2>)],
    epochs: usize,
) -> Network<B> {
    let mut optimizer = AdamConfig::new().init();
    for _ in 0..epochs {
        for (x, y) in batches {
            let prediction = network.forward(x.clone());
            let loss = MseLoss::new().forward(prediction, y.clone(), Reduction::Mean);
            let gradients = GradientsParams::from_grads(loss.backward(), &network);
            network = optimizer.step(0.05, network, gradients);
        }
    }
    network
}
// ANCHOR_END: loop

#[test]
fn a_loop_by_hand_learns() {
    let device = Default::default();
    A::seed(3);
    let network = train(Network::<A>::new(&device), &[batch(&device)], 300);
    assert!(value(loss(&network, &device)) < 0.01);
}

#[test]
fn options_are_those_of_the_config() {
    let device = Default::default();
    // ANCHOR: configs
    use burn::optim::{AdamWConfig, MomentumConfig, SgdConfig, WeightDecayConfig};

    // Nesterov momentum, and an L2 penalty in the gradient.
    let momentum = MomentumConfig { momentum: 0.9, dampening: 0.0, nesterov: true };
    let sgd =
        SgdConfig::new().with_momentum(Some(momentum)).with_weight_decay(Some(WeightDecayConfig::new(5e-4)));

    // Weight decay that is decoupled from the gradient.
    let adamw = AdamWConfig::new().with_beta_2(0.95).with_weight_decay(0.1);

    let mut optimizer = sgd.init();
    let mut network: Network<Autodiff<NdArray>> = Network::new(&device);
    let gradients = GradientsParams::from_grads(loss(&network, &device).backward(), &network);
    network = optimizer.step(0.1, network, gradients);
    // ANCHOR_END: configs
    let mut optimizer = adamw.init();
    let gradients = GradientsParams::from_grads(loss(&network, &device).backward(), &network);
    let before = value(loss(&network, &device));
    network = optimizer.step(1e-3, network, gradients);
    assert!(value(loss(&network, &device)) < before);
    assert!(SgdConfig::new().with_weight_decay(Some(WeightDecayConfig::new(-1.0))).try_init().is_err());
}

#[test]
fn parts_of_a_model_have_their_own_rates() {
    let device = Default::default();
    let mut network = Network::<A>::new(&device);
    let before = network.clone();
    // ANCHOR: parts
    use burn::optim::SgdConfig;

    let mut slow = SgdConfig::new().init();
    let mut fast = AdamConfig::new().init();

    let mut gradients = loss(&network, &device).backward();
    // Each takes its gradients out, so that no parameter is stepped twice.
    let of_encoder = GradientsParams::from_module(&mut gradients, &network.encoder);
    let of_head = GradientsParams::from_module(&mut gradients, &network.head);
    network = slow.step(1e-4, network, of_encoder);
    network = fast.step(1e-2, network, of_head);
    // ANCHOR_END: parts
    let moved = |now: &Linear<A>, before: &Linear<A>| {
        let difference = (now.weight.val() - before.weight.val()).abs().max().into_scalar();
        f64::from(difference)
    };
    let (encoder, head) = (moved(&network.encoder, &before.encoder), moved(&network.head, &before.head));
    assert!(encoder > 0.0 && encoder < 1e-3, "{encoder}");
    // The first step of Adam is the learning rate.
    assert!((head - 1e-2).abs() < 1e-4, "{head}");
}

#[test]
fn gradients_are_clipped() {
    let device = Default::default();
    let network = Network::<A>::new(&device);
    use burn::optim::GradientClippingConfig;

    // Before each step of an optimizer.
    let config = AdamConfig::new().with_grad_clipping(Some(GradientClippingConfig::GlobalNorm(1.0)));
    let mut optimizer = config.init();

    // Or by hand: the norm over all gradients, to be logged, and the clipping.
    let mut gradients = GradientsParams::from_grads((loss(&network, &device) * 1e4).backward(), &network);
    let norm: f64 = gradients.global_norm();
    GradientClippingConfig::GlobalNorm(1.0).clip(&mut gradients);
    assert!(norm > 10.0);
    assert!((gradients.global_norm() - 1.0).abs() < 1e-4);
    let _network = optimizer.step(1e-3, network, gradients);
}

#[test]
fn gradients_of_several_batches_are_accumulated() {
    let device = Default::default();
    let network = Network::<A>::new(&device);
    let (x, y) = batch::<A>(&device);
    let whole = GradientsParams::from_grads(loss(&network, &device).backward(), &network);
    // ANCHOR: accumulation
    use burn::optim::GradientsAccumulator;

    let parts = 2;
    let mut accumulator = GradientsAccumulator::new();
    for (x, y) in x.chunk(parts, 0).into_iter().zip(y.chunk(parts, 0)) {
        // The mean over the whole batch is the mean of the means of its parts.
        let loss = MseLoss::new().forward(network.forward(x), y, Reduction::Mean) / parts as f64;
        accumulator.accumulate(&network, GradientsParams::from_grads(loss.backward(), &network));
    }
    let gradients: GradientsParams = accumulator.grads();
    // ANCHOR_END: accumulation
    let id = network.head.weight.id();
    let [whole, summed] = [whole, gradients].map(|gradients| gradients.get::<NdArray, 2>(id).unwrap());
    let difference = (whole - summed).abs().max().into_scalar();
    assert!(difference < 1e-6, "{difference}");
}

#[test]
fn gradients_are_tensors() {
    let device = Default::default();
    let network = Network::<A>::new(&device);
    // ANCHOR: gradients
    let mut gradients = GradientsParams::from_grads(loss(&network, &device).backward(), &network);
    let id = network.head.weight.id();
    // On the backend below `Autodiff`: what is computed with a gradient is not tracked.
    let gradient: Tensor<NdArray, 2> = gradients.remove(id).expect("the loss depends on the head");
    gradients.register(id, gradient.sign());
    // ANCHOR_END: gradients
    let signs = gradients.get::<NdArray, 2>(id).unwrap().into_data().to_f64();
    assert!(signs.iter().all(|sign| sign.abs() == 1.0));
}

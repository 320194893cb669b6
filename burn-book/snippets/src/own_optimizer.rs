//! An optimizer and a scheduler of one's own.

// ANCHOR: rule
use burn::optim::dynamic::{Dynamic, DynamicTensor, TypedCalls, UnaryOp, ops};
use burn::optim::{OptimizerAdaptor, ParamState, UpdateRule};

/// Momentum whose sign is the direction of the step: `m = beta m + (1 - beta) g`, `x = x - lr sign(m)`.
#[derive(Clone, Debug)]
struct SignMomentum {
    beta: f64,
}

impl UpdateRule for SignMomentum {
    /// The tensors that are kept from step to step, and saved.
    fn state_names() -> &'static [&'static str] {
        &["momentum"]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: f64,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let grad = ops::scale::<Dynamic>(grad, 1.0 - self.beta);
        // There is none at the first step of a parameter.
        let momentum = match state.take("momentum", &x) {
            Some(momentum) => ops::add::<Dynamic>(ops::scale::<Dynamic>(momentum, self.beta), grad),
            None => grad,
        };
        state.put("momentum", momentum.clone());
        let direction = Dynamic::unary(UnaryOp::Sign, momentum);
        ops::sub::<Dynamic>(x, ops::scale::<Dynamic>(direction, lr))
    }
}
// ANCHOR_END: rule

// ANCHOR: numbers
use burn::optim::dynamic::BinaryOp;
use burn::tensor::Scalar;

/// Adamax without weight decay (Kingma and Ba 2014): `m = b1 m + (1 - b1) g`, `u = max(b2 u, |g| + eps)`,
/// `x = x - lr / (1 - b1^t) m / u`.
#[derive(Clone, Debug)]
struct Infinity {
    betas: (f64, f64),
    epsilon: f64,
}

impl UpdateRule for Infinity {
    fn state_names() -> &'static [&'static str] {
        &["moment", "norm"]
    }

    /// Numbers that are kept from step to step, and saved.
    fn scalar_names() -> &'static [&'static str] {
        &["power"]
    }

    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: f64,
        state: &mut ParamState,
    ) -> DynamicTensor {
        let (beta_1, beta_2) = self.betas;
        let power = beta_1 * state.scalar("power").unwrap_or(1.0);
        state.set_scalar("power", power);
        let part = ops::scale::<Dynamic>(grad.clone(), 1.0 - beta_1);
        let moment = match state.take("moment", &x) {
            Some(moment) => ops::add::<Dynamic>(ops::scale::<Dynamic>(moment, beta_1), part),
            None => part,
        };
        let size = Dynamic::unary(UnaryOp::Abs, grad);
        let size = Dynamic::binary_scalar(BinaryOp::Add, size, Scalar::Float(self.epsilon));
        let norm = match state.take("norm", &x) {
            Some(norm) => Dynamic::binary(BinaryOp::Max, ops::scale::<Dynamic>(norm, beta_2), size),
            None => size,
        };
        state.put("moment", moment.clone());
        state.put("norm", norm.clone());
        let step = ops::scale::<Dynamic>(ops::div::<Dynamic>(moment, norm), lr / (1.0 - power));
        ops::sub::<Dynamic>(x, step)
    }
}
// ANCHOR_END: numbers

// ANCHOR: train
use burn::backend::{Autodiff, NdArray};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{GradientClippingConfig, GradientsParams, Optimizer};
use burn::prelude::*;

type A = Autodiff<NdArray>;

/// Fits `y = 2 x` with any optimizer and any scheduler.
fn fit(
    mut optimizer: impl Optimizer<Linear<A>, A>,
    mut scheduler: impl LrScheduler,
    steps: usize,
) -> Linear<A> {
    let device = Default::default();
    A::seed(1);
    let mut model = LinearConfig::new(1, 1).with_bias(false).init(&device);
    let x = Tensor::<A, 2>::from_data([[1.0], [2.0], [-1.0]], &device);
    for _ in 0..steps {
        let loss = (model.forward(x.clone()) - x.clone() * 2.0).square().mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(scheduler.step(), model, gradients);
    }
    model
}

fn run() -> Linear<A> {
    // Clipping, master weights and records come with the adaptor.
    let optimizer = OptimizerAdaptor::new(SignMomentum { beta: 0.5 })
        .with_grad_clipping(Some(GradientClippingConfig::Norm(1.0)));
    fit(optimizer, Restarts::new(0.2, 40), 200)
}
// ANCHOR_END: train

// ANCHOR: scheduler
use burn::lr_scheduler::LrScheduler;
use burn::record::Record;

/// A linear decay that starts again after `period` steps, from half of the rate before.
#[derive(Clone, Debug)]
struct Restarts {
    period: usize,
    state: RestartsRecord,
}

/// State of [`Restarts`], which is saved in checkpoints.
#[derive(Record, Clone, Debug)]
struct RestartsRecord {
    peak: f64,
    step: usize,
}

impl Restarts {
    fn new(peak: f64, period: usize) -> Self {
        Restarts { period, state: RestartsRecord { peak, step: 0 } }
    }
}

impl LrScheduler for Restarts {
    type Record<B: Backend> = RestartsRecord;

    fn step(&mut self) -> f64 {
        let RestartsRecord { peak, step } = &mut self.state;
        if *step == self.period {
            (*peak, *step) = (*peak / 2.0, 0);
        }
        let rate = *peak * (1.0 - *step as f64 / self.period as f64);
        *step += 1;
        rate
    }

    fn to_record<B: Backend>(&self) -> RestartsRecord {
        self.state.clone()
    }

    fn load_record<B: Backend>(mut self, record: RestartsRecord) -> Self {
        self.state = record;
        self
    }
}
// ANCHOR_END: scheduler

#[test]
fn an_optimizer_and_a_scheduler_of_ones_own_fit_a_line() {
    let weight = run().weight.val().into_scalar();
    assert!((weight - 2.0).abs() < 0.02, "{weight}");
}

#[test]
fn the_rule_follows_its_formula() {
    let device = Default::default();
    let model: Linear<A> = LinearConfig::new(1, 1).with_bias(false).init(&device);
    let mut optimizer = OptimizerAdaptor::new(SignMomentum { beta: 0.9 });
    let before = model.weight.val().into_scalar();
    let mut model = model;
    // Gradients 1 and -10: the momentum is 0.1, and then 0.9 * 0.1 - 0.1 * 10 < 0.
    for gradient in [1.0, -10.0] {
        let loss = (model.weight.val() * gradient).sum();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(0.25, model, gradients);
        let moved = model.weight.val().into_scalar() - before;
        let expected = if gradient > 0.0 { -0.25 } else { 0.0 };
        assert!((moved - expected).abs() < 1e-6, "{moved}");
    }
}

/// With gradients that do not change, `m / (1 - b1^t)` is `g` and `u` is `|g| + eps`: each step is `lr`.
#[test]
fn the_rule_with_numbers_goes_equal_steps_while_the_gradient_stays() {
    let device = Default::default();
    let mut model: Linear<A> = LinearConfig::new(1, 1).with_bias(false).init(&device);
    let rule = Infinity { betas: (0.9, 0.999), epsilon: 1e-12 };
    let mut optimizer = OptimizerAdaptor::new(rule);
    let before = model.weight.val().into_scalar();
    for step in 1..=4 {
        let loss = (model.weight.val() * -3.0).sum();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(0.25, model, gradients);
        let moved = model.weight.val().into_scalar() - before;
        assert!((moved - 0.25 * step as f32).abs() < 1e-5, "step {step}: {moved}");
    }
}

#[test]
fn the_schedule_restarts_and_resumes() {
    let mut scheduler = Restarts::new(1.0, 2);
    let rates: Vec<f64> = (0..3).map(|_| scheduler.step()).collect();
    assert_eq!(rates, [1.0, 0.5, 0.5]);
    let record = scheduler.to_record::<NdArray>();
    let mut resumed = Restarts::new(1.0, 2).load_record::<NdArray>(record);
    assert_eq!(resumed.step(), 0.25);
}

//! Training by hand.

use burn::backend::{Autodiff, NdArray};

// ANCHOR: model
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;

/// Regression of a function of one variable.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    hidden: Linear<B>,
    output: Linear<B>,
}

impl<B: Backend> Model<B> {
    pub fn new(device: &B::Device) -> Self {
        Model { hidden: LinearConfig::new(1, 32).init(device), output: LinearConfig::new(32, 1).init(device) }
    }

    /// `[batch, 1]` to `[batch, 1]`.
    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.output.forward(self.hidden.forward(x).tanh())
    }
}
// ANCHOR_END: model

// ANCHOR: data
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::InMemDataset;

/// Makes the tensors of a batch, on one device.
struct Pairs<B: Backend> {
    device: B::Device,
}

/// `x` and `y`, each `[batch, 1]`.
type Batch<B> = (Tensor<B, 2>, Tensor<B, 2>);

impl<B: Backend> Batcher<(f32, f32), Batch<B>> for Pairs<B> {
    fn batch(&self, items: Vec<(f32, f32)>) -> Batch<B> {
        let count = items.len();
        let (x, y): (Vec<f32>, Vec<f32>) = items.into_iter().unzip();
        let column = |values| Tensor::from_data(TensorData::new(values, [count, 1]), &self.device);
        (column(x), column(y))
    }
}
// ANCHOR_END: data

// ANCHOR: loop
use burn::lr_scheduler::{CosineAnnealingLrSchedulerConfig, LrScheduler};
use burn::nn::loss::{MseLoss, Reduction};
use burn::optim::{AdamWConfig, GradientsParams};
use burn::tensor::backend::AutodiffBackend;

fn train<B: AutodiffBackend>(pairs: Vec<(f32, f32)>, epochs: usize, device: &B::Device) -> (Model<B>, f64) {
    B::seed(7);
    let (train, valid): (Vec<_>, Vec<_>) = pairs.into_iter().enumerate().partition(|(at, _)| at % 5 != 0);
    let items =
        |part: Vec<(usize, (f32, f32))>| InMemDataset::new(part.into_iter().map(|(_, pair)| pair).collect());
    let batcher = Pairs::<B> { device: device.clone() };
    let train = DataLoaderBuilder::new(batcher).batch_size(16).shuffle(7).build(items(train));
    // Validation batches are on the backend without gradients.
    let batcher = Pairs::<B::InnerBackend> { device: device.clone() };
    let valid = DataLoaderBuilder::new(batcher).batch_size(64).build(items(valid));

    let mut model = Model::<B>::new(device);
    let mut optimizer = AdamWConfig::new().init();
    let mut scheduler = CosineAnnealingLrSchedulerConfig::new(0.02, epochs * train.num_batches()).init();
    let criterion = MseLoss::new();
    let mut validation = f64::INFINITY;
    for epoch in 0..epochs {
        // A sum on the device: to read each loss would wait for it.
        let (mut total, mut batches) = (Tensor::<B::InnerBackend, 1>::zeros([1], device), 0);
        for (x, y) in train.iter() {
            let loss = criterion.forward(model.forward(x), y, Reduction::Mean);
            total = total + loss.clone().inner();
            batches += 1;
            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            model = optimizer.step(scheduler.step(), model, gradients);
        }

        let evaluated = model.valid();
        let losses = valid.iter().map(|(x, y)| criterion.forward(evaluated.forward(x), y, Reduction::Mean));
        let losses: Vec<f64> = losses.map(|loss| loss.into_scalar().elem()).collect();
        validation = losses.iter().sum::<f64>() / losses.len() as f64;
        let training = total.into_scalar().elem::<f64>() / batches as f64;
        println!("epoch {epoch}: training loss {training:.4}, validation loss {validation:.4}");
    }
    (model, validation)
}
// ANCHOR_END: loop

fn parabola() -> Vec<(f32, f32)> {
    (0..200).map(|i| i as f32 / 100.0 - 1.0).map(|x| (x, x * x)).collect()
}

#[test]
fn the_loop_learns_a_function() {
    let device = Default::default();
    let (model, validation) = train::<Autodiff<NdArray>>(parabola(), 30, &device);
    assert!(validation < 2e-3, "{validation}");
    let y = model.forward(Tensor::from_data([[0.5]], &device)).into_scalar();
    assert!((y - 0.25).abs() < 0.1, "{y}");
}

// ANCHOR: optimizers
/// A generator of samples, and a critic that scores them (Arjovsky et al. 2017, without the clipping of its
/// weights).
struct Adversarial<B: Backend> {
    generator: Model<B>,
    critic: Model<B>,
}

impl<B: AutodiffBackend> Adversarial<B> {
    /// One step of each, by its own optimizer.
    fn step(
        mut self,
        optimizers: &mut (impl Optimizer<Model<B>, B>, impl Optimizer<Model<B>, B>),
        noise: Tensor<B, 2>,
        real: Tensor<B, 2>,
    ) -> Self {
        let (of_generator, of_critic) = optimizers;

        // The critic learns from generated samples, which get no gradient here.
        let fake = self.generator.forward(noise.clone()).detach();
        let loss = self.critic.forward(fake).mean() - self.critic.forward(real).mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &self.critic);
        self.critic = of_critic.step(5e-3, self.critic, gradients);

        // The generator learns through the critic, whose own gradients are left out.
        let loss = -self.critic.forward(self.generator.forward(noise)).mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &self.generator);
        self.generator = of_generator.step(1e-3, self.generator, gradients);
        self
    }
}
// ANCHOR_END: optimizers

#[test]
fn two_optimizers_step_two_models() {
    type A = Autodiff<NdArray>;
    let device = Default::default();
    A::seed(5);
    let (generator, critic) = (Model::<A>::new(&device), Model::<A>::new(&device));
    let before = (generator.clone(), critic.clone());
    let mut optimizers = (AdamWConfig::new().init(), AdamWConfig::new().init());
    let column = |value| Tensor::<A, 2>::full([8, 1], value, &device);
    let models = Adversarial { generator, critic }.step(&mut optimizers, column(0.5), column(2.0));
    let moved = |now: &Model<A>, before: &Model<A>| {
        (now.output.weight.val() - before.output.weight.val()).abs().max().into_scalar()
    };
    assert!((moved(&models.generator, &before.0) - 1e-3).abs() < 1e-4);
    assert!((moved(&models.critic, &before.1) - 5e-3).abs() < 5e-4);
}

// ANCHOR: trainer
/// A loop as a value: over any optimizer and scheduler, with a step that the program brings.
struct Trainer<B: AutodiffBackend, M, O, S> {
    model: M,
    optimizer: O,
    scheduler: S,
    device: B::Device,
}

impl<B, M, O, S> Trainer<B, M, O, S>
where
    B: AutodiffBackend,
    M: AutodiffModule<B>,
    O: Optimizer<M, B>,
    S: LrScheduler,
{
    fn run(mut self, steps: usize, loss: impl Fn(&M, &B::Device) -> Tensor<B, 1>) -> M {
        for _ in 0..steps {
            let loss = loss(&self.model, &self.device);
            let gradients = GradientsParams::from_grads(loss.backward(), &self.model);
            self.model = self.optimizer.step(self.scheduler.step(), self.model, gradients);
        }
        self.model
    }
}
// ANCHOR_END: trainer

#[test]
fn a_trainer_of_ones_own() {
    type A = Autodiff<NdArray>;
    let device = Default::default();
    let (optimizer, scheduler) = (AdamWConfig::new().init(), 1e-2);
    let trainer = Trainer::<A, _, _, _> { model: Model::new(&device), optimizer, scheduler, device };
    let loss = |model: &Model<A>, device: &<A as Backend>::Device| {
        (model.forward(Tensor::ones([1, 1], device)) - 3.0).square().mean()
    };
    let model = trainer.run(200, loss);
    let y = model.forward(Tensor::ones([1, 1], &device)).into_scalar();
    assert!((y - 3.0).abs() < 0.1, "{y}");
}

// ANCHOR: devices
/// Gradients of one batch that is divided among devices: each has a copy of the model.
fn data_parallel<B: AutodiffBackend>(
    model: &Model<B>,
    x: Tensor<B, 2>,
    y: Tensor<B, 2>,
    devices: &[B::Device],
) -> GradientsParams {
    let parts = x.chunk(devices.len(), 0).into_iter().zip(y.chunk(devices.len(), 0)).zip(devices);
    std::thread::scope(|scope| {
        let workers: Vec<_> = parts
            .map(|((x, y), device)| {
                let replica = model.clone().fork(device);
                let (x, y) = (x.to_device(device), y.to_device(device));
                scope.spawn(move || {
                    let loss = MseLoss::new().forward(replica.forward(x), y, Reduction::Mean);
                    GradientsParams::from_grads((loss / devices.len() as f64).backward(), &replica)
                })
            })
            .collect();
        // Parameters of a copy have the identifiers of the original, so their gradients add up.
        let mut sums = GradientsAccumulator::new();
        for worker in workers {
            let gradients = worker.join().expect("the worker does not panic");
            sums.accumulate(model, gradients.to_device::<B::InnerBackend>(&devices[0]));
        }
        sums.grads()
    })
}
// ANCHOR_END: devices

use burn::optim::GradientsAccumulator;

#[test]
fn gradients_of_devices_add_up() {
    type A = Autodiff<NdArray>;
    let device = Default::default();
    let model = Model::<A>::new(&device);
    let x = Tensor::<A, 2>::from_data([[0.1], [0.2], [0.3], [0.4]], &device);
    let y = x.clone() * 2.0;
    let loss = MseLoss::new().forward(model.forward(x.clone()), y.clone(), Reduction::Mean);
    let whole = GradientsParams::from_grads(loss.backward(), &model);
    let summed = data_parallel(&model, x, y, &[device, device]);
    let id = model.hidden.weight.id();
    let [whole, summed] = [whole, summed].map(|gradients| gradients.get::<NdArray, 2>(id).unwrap());
    assert!((whole - summed).abs().max().into_scalar() < 1e-6);
}

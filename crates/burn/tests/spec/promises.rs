//! Promises of the design, measured: threads, checkpointing, gradients that cost nothing where there are none, lazy parameters.

use crate::counting::live_bytes;
use crate::given::CPU;
use burn::backend::autodiff::{BalancedCheckpointing, CheckpointStrategy, NoCheckpointing};
use burn::backend::profile::Profile;
use burn::backend::router::duo::MultiDevice;
use burn::backend::{Autodiff, NdArray, Router};
use burn::data::dataloader::{DataLoader, DataLoaderBuilder};
use burn::data::dataset::InMemDataset;
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{Adam, GradientsAccumulator, GradientsParams, Optimizer, OptimizerAdaptor, SgdConfig};
use burn::record::{BinFileRecorder, FullPrecisionSettings};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{Tensor, TensorData};
use burn::train::Learner;
use std::sync::Arc;
use std::thread;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    first: Linear<B>,
    second: Linear<B>,
}

impl<B: Backend> Model<B> {
    fn new(device: &B::Device) -> Self {
        let config = LinearConfig::new(3, 3);
        Model { first: config.init(device), second: config.init(device) }
    }

    fn loss(&self, x: Tensor<B, 2>) -> Tensor<B, 1> {
        self.second.forward(self.first.forward(x).tanh()).square().sum()
    }

    fn weights(&self) -> Vec<f64> {
        let weights = [self.first.weight.val(), self.second.weight.val()];
        weights.into_iter().flat_map(|weight| weight.into_data().to_f64()).collect()
    }
}

fn points<B: Backend>(device: &B::Device) -> Tensor<B, 2> {
    let numbers: Vec<f64> = (0..12).map(|i| f64::from(i) * 0.7).map(f64::sin).collect();
    Tensor::from_data(TensorData::new(numbers, [4, 3]), device)
}

/// A step of gradient descent on all points, whose gradients come from a thread for each device.
fn step_by_threads<B: AutodiffBackend>(model: Model<B>, devices: &[B::Device]) -> Vec<f64> {
    let parts = points::<B>(&devices[0]).chunk(devices.len(), 0);
    let workers: Vec<_> = parts
        .into_iter()
        .zip(devices.to_vec())
        .map(|(part, device)| {
            let replica = model.clone().fork(&device);
            // Everything is made or moved here, and what comes back is moved to the thread that waits.
            thread::spawn(move || {
                let loss = replica.loss(part.to_device(&device));
                GradientsParams::from_grads(loss.backward(), &replica)
            })
        })
        .collect();
    let mut sums = GradientsAccumulator::new();
    for worker in workers {
        let gradients = worker.join().expect("it does not panic");
        sums.accumulate(&model, gradients.to_device::<B::InnerBackend>(&devices[0]));
    }
    SgdConfig::new().init().step(0.01, model, sums.grads()).weights()
}

#[test]
fn pf_004_gradients_of_threads_and_devices_are_those_of_one() {
    type One = Autodiff<NdArray<f64>>;
    type Two = Autodiff<Router<(NdArray<f64>, NdArray<f64>)>>;
    let model = Model::<One>::new(CPU);
    let expected = step_by_threads(model.clone(), &[*CPU]);
    let found = step_by_threads(model.clone(), &[*CPU; 4]);

    let devices = [MultiDevice::B1(*CPU), MultiDevice::B2(*CPU)];
    let param = |weight: &Param<Tensor<One, 2>>| {
        Param::<Tensor<Two, 2>>::from_data(weight.val().into_data(), &devices[0])
    };
    let bias = |layer: &Linear<One>| {
        let bias = layer.bias.as_ref().expect("it was asked for").val().into_data();
        Some(Param::<Tensor<Two, 1>>::from_data(bias, &devices[0]))
    };
    let linear = |layer: &Linear<One>| Linear {
        weight: param(&layer.weight),
        bias: bias(layer),
        lora: Default::default(),
    };
    let routed = Model { first: linear(&model.first), second: linear(&model.second) };
    let routed = step_by_threads::<Two>(routed, &devices);
    for (name, weights) in [("threads", found), ("devices", routed)] {
        let close = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-12;
        assert!(weights.iter().zip(&expected).all(close), "{name}: {weights:?}, expected {expected:?}");
    }
    assert_ne!(expected, model.weights());
}

#[test]
fn pf_004_the_building_blocks_go_to_threads() {
    fn sent<T: Send + 'static>() {}
    fn shared<T: Send + Sync + 'static>() {}
    type B = Autodiff<NdArray>;
    shared::<Tensor<B, 2>>();
    shared::<Param<Tensor<B, 2>>>();
    shared::<Model<B>>();
    shared::<<Model<B> as Module<B>>::Record>();
    shared::<Arc<dyn DataLoader<Tensor<B, 2>>>>();
    shared::<BinFileRecorder<FullPrecisionSettings>>();
    sent::<<B as AutodiffBackend>::Gradients>();
    sent::<GradientsParams>();
    sent::<OptimizerAdaptor<Adam>>();
    sent::<Learner<B, (), (), Model<B>, OptimizerAdaptor<Adam>, f64>>();

    // A loader that is shared: each thread goes through the same batches.
    let loader = DataLoaderBuilder::new(|items: Vec<usize>| items)
        .batch_size(3)
        .shuffle(1)
        .num_workers(2)
        .build(InMemDataset::new((0..10).collect()));
    let threads = [loader.clone(), loader]
        .map(|loader| thread::spawn(move || loader.iter_epoch(1).collect::<Vec<_>>()));
    let [first, second] = threads.map(|thread| thread.join().expect("it does not panic"));
    assert_eq!(first, second);
}

/// Elements of a tensor of a megabyte.
const MEGABYTE: usize = 1 << 18;
const CALLS: usize = 48;

/// Megabytes that are in use after a chain of functions whose derivatives need their operands.
fn megabytes_of_a_chain<B: Backend>(x: Tensor<B, 1>) -> isize {
    let before = live_bytes();
    let y = (0..CALLS).fold(x, |x, _| x.sin());
    let after = live_bytes();
    drop(y);
    (after - before) / (4 * MEGABYTE as isize)
}

fn tracked<C: CheckpointStrategy>() -> Tensor<Autodiff<NdArray, C>, 1> {
    Tensor::ones([MEGABYTE], CPU).require_grad()
}

#[test]
fn pf_009_memory_bound_operations_are_computed_again_and_compute_bound_ones_are_kept() {
    // A megabyte for each call, or next to nothing.
    assert!(megabytes_of_a_chain(tracked::<NoCheckpointing>()) >= CALLS as isize - 2);
    assert!(megabytes_of_a_chain(tracked::<BalancedCheckpointing>()) <= 3);

    /// How often products and exponentials are computed in a forward and a backward pass.
    fn counts<P: Backend, C: CheckpointStrategy>(report: fn() -> burn::backend::profile::Report) -> [u64; 2]
    where
        Autodiff<P, C>: AutodiffBackend,
    {
        let device = Default::default();
        let x = Tensor::<Autodiff<P, C>, 2>::ones([4, 4], &device).require_grad();
        let y = x.clone().matmul(x.clone());
        // Sine needs its operand, which is that of a cheap function of a product.
        let loss = y.exp().sin().sum();
        let gradients = loss.backward();
        assert!(x.grad(&gradients).is_some());
        let rows = report().by_name();
        ["matmul", "exp"].map(|name| rows.iter().filter(|row| row.name == name).map(|row| row.count).sum())
    }
    /// Backends of this test alone, whose ledgers nothing else writes into.
    type Kept = Profile<Profile<Profile<NdArray<f64>>>>;
    type Again = Profile<Profile<Profile<Profile<NdArray<f64>>>>>;
    // A product forward and two backward.
    assert_eq!(counts::<Kept, NoCheckpointing>(Kept::report), [3, 1]);
    assert_eq!(counts::<Again, BalancedCheckpointing>(Again::report), [3, 2]);
}

#[test]
fn pf_010_a_backend_without_gradients_keeps_no_graph() {
    assert!(megabytes_of_a_chain(tracked::<NoCheckpointing>()) >= CALLS as isize - 2);
    assert!(megabytes_of_a_chain(Tensor::<NdArray, 1>::ones([MEGABYTE], CPU)) <= 1);
    // A model that is not tracked any more, in the same program.
    let x = tracked::<NoCheckpointing>().inner();
    assert!(megabytes_of_a_chain(x) <= 1);
}

#[test]
fn pf_011_a_model_that_is_loaded_was_never_initialised() {
    const WIDTH: usize = 512;
    let init = || LinearConfig::new(WIDTH, WIDTH).init::<NdArray>(CPU);
    let trained = init();
    let values = trained.weight.val().into_data();
    let record = trained.into_record();

    let before = live_bytes();
    // 16 MiB of parameters.
    let models: Vec<Linear<NdArray>> = (0..16).map(|_| init()).collect();
    assert!(live_bytes() - before < 64 << 10, "{} bytes after init", live_bytes() - before);
    let loaded: Vec<Linear<NdArray>> =
        models.into_iter().map(|model| model.load_record(record.clone())).collect();
    assert!(live_bytes() - before < 64 << 10, "{} bytes after loading", live_bytes() - before);
    assert!(loaded.iter().all(|model| model.weight.val().into_data() == values));

    // Where nothing is loaded, the first use makes them.
    let fresh = init();
    let before = live_bytes();
    let weight = fresh.weight.val();
    assert!(live_bytes() - before >= (WIDTH * WIDTH * 4) as isize);
    assert_ne!(weight.into_data(), values);
}

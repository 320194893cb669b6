//! Promises of the design, measured: threads, checkpointing, gradients that cost nothing where there are
//! none, lazy parameters.

use crate::given::CPU;
use burn::backend::autodiff::{BalancedCheckpointing, CheckpointStrategy, NoCheckpointing};
use burn::backend::profile::{Profile, Report};
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
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    // Parameters are made on their first use.
    let _ = model.loss(points(CPU));
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

const CALLS: usize = 48;

/// The number of buffers that hold the results of a chain of functions, whose derivatives need their
/// operands, while the last of them is in use.
fn buffers_of_a_chain<B: Backend>(x: Tensor<B, 1>, address: fn(&Tensor<B, 1>) -> usize) -> usize {
    let (mut x, mut found) = (x, HashSet::new());
    for _ in 0..CALLS {
        x = x.sin();
        found.insert(address(&x));
    }
    found.len()
}

fn buffers_on_the_tape<C: CheckpointStrategy>() -> usize {
    let x = Tensor::<Autodiff<NdArray, C>, 1>::ones([1 << 12], CPU).require_grad();
    buffers_of_a_chain(x, |x| x.handle().primitive.address())
}

fn times(report: &Report, name: &str) -> u64 {
    report.by_name().iter().filter(|row| row.name == name).map(|row| row.count).sum()
}

/// How often products and exponentials are computed in a forward and a backward pass.
fn calls<P: Backend, C: CheckpointStrategy>(report: fn() -> Report) -> [u64; 2] {
    let device = Default::default();
    let x = Tensor::<Autodiff<P, C>, 2>::ones([4, 4], &device).require_grad();
    // Sine needs its operand, which is a cheap function of a product.
    let loss = x.clone().matmul(x.clone()).exp().sin().sum();
    assert!(x.grad(&loss.backward()).is_some());
    ["matmul", "exp"].map(|name| times(&report(), name))
}

#[test]
fn pf_009_memory_bound_operations_are_computed_again_and_compute_bound_ones_are_kept() {
    // A buffer for each call, or one that is written over and a kept one now and then, from which a long
    // chain is computed again.
    assert_eq!(buffers_on_the_tape::<NoCheckpointing>(), CALLS);
    let again = buffers_on_the_tape::<BalancedCheckpointing>();
    assert!(again <= CALLS / 8, "{again} buffers for {CALLS} calls");

    /// Backends of this test alone, whose ledgers nothing else writes into.
    type Kept = Profile<Profile<Profile<NdArray<f64>>>>;
    type Again = Profile<Profile<Profile<Profile<NdArray<f64>>>>>;
    // A product forward and two backward; the exponential once more, where it is not kept.
    assert_eq!(calls::<Kept, NoCheckpointing>(Kept::report), [3, 1]);
    assert_eq!(calls::<Again, BalancedCheckpointing>(Again::report), [3, 2]);
}

#[test]
fn pf_010_a_backend_without_gradients_keeps_no_graph() {
    let x = Tensor::<NdArray, 1>::ones([1 << 12], CPU);
    assert_eq!(buffers_of_a_chain(x, |x| x.handle().address()), 1);
    // Nor does one with gradients, where none are requested.
    let x = Tensor::<Autodiff<NdArray>, 1>::ones([1 << 12], CPU);
    assert_eq!(buffers_of_a_chain(x, |x| x.handle().primitive.address()), 1);
    assert_eq!(buffers_on_the_tape::<NoCheckpointing>(), CALLS);
}

#[test]
fn pf_011_a_model_that_is_loaded_was_never_initialised() {
    // 4 TiB of weights, which no machine has that runs tests.
    const WIDTH: usize = 1 << 20;
    let init = || LinearConfig::new(WIDTH, WIDTH).with_bias(false).init::<NdArray>(CPU);
    let model = init();
    assert_eq!(model.num_params(), WIDTH * WIDTH);
    // A view that repeats one number.
    let weight = Tensor::<NdArray, 2>::full([1, 1], 0.5, CPU).expand([WIDTH, WIDTH]);
    let loaded = model.load_record(Linear::new(Param::from_tensor(weight), None).into_record());
    let last = loaded.weight.val().slice([WIDTH - 1..WIDTH, WIDTH - 1..WIDTH]);
    assert_eq!(last.into_data().to_f64(), [0.5]);

    // Where nothing is loaded, the first use makes the weights, and needs the memory.
    let fresh = init();
    let used = catch_unwind(AssertUnwindSafe(|| fresh.weight.val()));
    assert!(used.is_err(), "4 TiB of random numbers");
}

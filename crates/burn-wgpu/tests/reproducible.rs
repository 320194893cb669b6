//! Results do not depend on what other threads do: same program and seed, same bits.

mod device;

use burn::backend::Autodiff;
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::InMemDataset;
use burn::module::ModuleVisitor;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{Dropout, DropoutConfig, Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::prelude::*;
use burn::tensor::activation::relu;
use burn::tensor::backend::AutodiffBackend;
use burn_backend::TypedCalls;
use burn_backend::{BinaryOp, Scalar, block_on};
use burn_fusion::Fusion;
use burn_wgpu::{CubeTensor, Wgpu, WgpuDevice};
use std::sync::mpsc::channel;
use std::thread;

type Leaf = Wgpu<f32, i32>;

/// Numbers of each tensor that the threads exchange.
const COUNT: usize = 1 << 16;

fn full(value: f32) -> CubeTensor {
    Leaf::from_data(TensorData::new(vec![value; COUNT], [COUNT]), &WgpuDevice::default())
}

fn read(x: CubeTensor) -> Vec<f32> {
    block_on(Leaf::into_data(x))
        .expect("threads can wait here")
        .expect("the device answers")
        .to_vec()
        .unwrap()
}

/// A loader's thread makes the next batch when the last one is dropped, while the kernels that read it may
/// still wait.
#[test]
fn a_buffer_is_not_written_before_kernels_of_another_thread_have_read_it() {
    device::require();
    // The kernel is compiled before, so that no wait for it hides anything.
    read(Leaf::binary_scalar(BinaryOp::Add, full(0.0), Scalar::Float(1.0)));
    let (send_batch, batches) = channel();
    let (send_dropped, dropped) = channel();
    let (send_written, written) = channel();
    // A failure here drops its ends of the channels, and the other thread ends.
    thread::scope(move |scope| {
        scope.spawn(move || {
            for batch in 0..8 {
                send_batch.send(full(batch as f32)).unwrap();
                dropped.recv().unwrap();
                // It takes the buffer that is free now, and reading it has it written at once.
                assert!(read(full(-100.0)).iter().all(|&value| value == -100.0));
                send_written.send(()).unwrap();
            }
        });
        for (batch, x) in batches.iter().enumerate() {
            let next = Leaf::binary_scalar(BinaryOp::Add, x, Scalar::Float(1.0));
            send_dropped.send(()).unwrap();
            written.recv().unwrap();
            let expected = batch as f32 + 1.0;
            let wrong = read(next).iter().filter(|&&value| value != expected).count();
            assert_eq!(wrong, 0, "of {COUNT} numbers, in batch {batch}");
        }
    });
}

/// Side of the images.
const SIDE: usize = 12;

/// A convolution, a maximum, dropout and a linear layer.
#[derive(Module, Debug)]
struct Network<B: Backend> {
    conv: Conv2d<B>,
    pool: MaxPool2d,
    dropout: Dropout,
    linear: Linear<B>,
}

impl<B: Backend> Network<B> {
    fn new(device: &B::Device) -> Self {
        Network {
            conv: Conv2dConfig::new([1, 4], [3, 3]).init(device),
            pool: MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init(),
            dropout: DropoutConfig::new(0.3).init(),
            linear: LinearConfig::new(4 * 5 * 5, 10).init(device),
        }
    }

    fn loss(&self, images: Tensor<B, 4>, targets: Tensor<B, 1, Int>) -> Tensor<B, 1> {
        let x = self.pool.forward(relu(self.conv.forward(images)));
        let logits = self.linear.forward(self.dropout.forward(x.flatten::<2>(1, 3)));
        CrossEntropyLossConfig::new().init(&logits.device()).forward(logits, targets)
    }
}

/// An image that its number determines.
#[derive(Clone, Debug)]
struct Item(usize);

/// Makes batches on the device, in the thread of the loader that asks.
#[derive(Clone)]
struct OnDevice<B: Backend>(B::Device);

impl<B: Backend> Batcher<Item, (Tensor<B, 4>, Tensor<B, 1, Int>)> for OnDevice<B> {
    fn batch(&self, items: Vec<Item>) -> (Tensor<B, 4>, Tensor<B, 1, Int>) {
        let pixel = |image: usize, at: usize| ((image * 7919 + at * 104_729) % 1009) as f32 / 504.5 - 1.0;
        let pixels: Vec<f32> =
            items.iter().flat_map(|item| (0..SIDE * SIDE).map(move |at| pixel(item.0, at))).collect();
        let targets: Vec<i64> = items.iter().map(|item| item.0 as i64 % 10).collect();
        let images = TensorData::new(pixels, [items.len(), 1, SIDE, SIDE]);
        let targets = TensorData::new(targets, [items.len()]);
        (Tensor::from_data(images, &self.0), Tensor::from_data(targets, &self.0))
    }
}

/// The bits of all parameters.
#[derive(Default)]
struct Bits(Vec<u32>);

impl<B: Backend> ModuleVisitor<B> for Bits {
    fn visit_float<const D: usize>(&mut self, _id: burn::module::ParamId, tensor: &Tensor<B, D>) {
        let values: Vec<f32> = tensor.to_data().to_vec().unwrap();
        self.0.extend(values.iter().map(|value| value.to_bits()));
    }
}

/// Trains for two epochs with batches of three threads, and returns the parameters.
fn train<B: AutodiffBackend>() -> Vec<u32> {
    let device = B::Device::default();
    B::seed(42);
    let loader = DataLoaderBuilder::new(OnDevice::<B>(device.clone()))
        .batch_size(16)
        .shuffle(42)
        .num_workers(3)
        .build(InMemDataset::new((0..320).map(Item).collect()));
    let mut network = Network::<B>::new(&device);
    let mut optimizer = AdamConfig::new().init();
    for _ in 0..2 {
        for (images, targets) in loader.iter() {
            let gradients = network.loss(images, targets).backward();
            let gradients = GradientsParams::from_grads(gradients, &network);
            network = optimizer.step(1e-2, network, gradients);
        }
    }
    let mut bits = Bits::default();
    network.visit(&mut bits);
    bits.0
}

fn same_bits_every_time<B: AutodiffBackend>() {
    device::require();
    let first = train::<B>();
    assert!(first.iter().all(|&bits| f32::from_bits(bits).is_finite()));
    for run in 1..4 {
        let differ = train::<B>().iter().zip(&first).filter(|(a, b)| a != b).count();
        assert_eq!(differ, 0, "of {} numbers, in run {run}", first.len());
    }
}

/// One after the other: a seed is for the whole process.
#[test]
fn x_704_training_with_one_seed_gives_the_same_bits_every_time() {
    same_bits_every_time::<Autodiff<Leaf>>();
    same_bits_every_time::<Autodiff<Fusion<Leaf>>>();
    assert_eq!(train::<Autodiff<Fusion<Fusion<Leaf>>>>(), train::<Autodiff<Fusion<Leaf>>>());
}

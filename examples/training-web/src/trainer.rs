use crate::spirals;
use burn::module::{AutodiffModule, Module};
use burn::nn::loss::{CrossEntropyLoss, CrossEntropyLossConfig};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{Adam, AdamConfig, GradientsParams, Optimizer, OptimizerAdaptor};
use burn::tensor::activation::softmax;
use burn::tensor::backend::AutodiffBackend;
use burn::tensor::{Backend, DataError, Int, Tensor, TensorData};

/// Points of each spiral.
const POINTS: usize = 100;

/// Width of the hidden layers.
const WIDTH: usize = 16;

/// Multilayer perceptron that tells the class of a point.
#[derive(Module, Debug)]
struct Network<B: Backend> {
    first: Linear<B>,
    second: Linear<B>,
    output: Linear<B>,
}

impl<B: Backend> Network<B> {
    fn new(device: &B::Device) -> Self {
        Network {
            first: LinearConfig::new(2, WIDTH).init(device),
            second: LinearConfig::new(WIDTH, WIDTH).init(device),
            output: LinearConfig::new(WIDTH, 2).init(device),
        }
    }

    /// Computes the logits of the two classes, `[points, 2]`.
    fn forward(&self, points: Tensor<B, 2>) -> Tensor<B, 2> {
        let x = self.first.forward(points).tanh();
        self.output.forward(self.second.forward(x).tanh())
    }
}

// ANCHOR: trainer
/// Trains a network to tell two spirals apart.
#[derive(Debug)]
pub struct Trainer<B: AutodiffBackend> {
    network: Network<B>,
    optimizer: OptimizerAdaptor<Adam>,
    loss: CrossEntropyLoss<B>,
    points: Tensor<B, 2>,
    classes: Tensor<B, 1, Int>,
}

impl<B: AutodiffBackend> Trainer<B> {
    /// Creates a network on `device`, whose weights are drawn from `seed`.
    pub fn new(seed: u64, device: &B::Device) -> Self {
        B::seed(seed);
        let (points, classes) = spirals(POINTS);
        let count = classes.len();
        Trainer {
            network: Network::new(device),
            optimizer: AdamConfig::new().init(),
            loss: CrossEntropyLossConfig::new().init(device),
            points: Tensor::from_data(TensorData::new(points, [count, 2]), device),
            classes: Tensor::from_data(TensorData::new(classes, [count]), device),
        }
    }

    /// Performs one step on all points, and returns the loss before it. The loss is read without blocking,
    /// which is all that a browser allows.
    ///
    /// # Errors
    /// The device failed.
    pub async fn step(&mut self, learning_rate: f64) -> Result<f32, DataError> {
        let logits = self.network.forward(self.points.clone());
        let loss = self.loss.forward(logits, self.classes.clone());
        let gradients = GradientsParams::from_grads(loss.backward(), &self.network);
        self.network = self.optimizer.step(learning_rate, self.network.clone(), gradients);
        Ok(loss.into_data_async().await?.iter::<f32>().sum())
    }
}
// ANCHOR_END: trainer

impl<B: AutodiffBackend> Trainer<B> {
    /// Computes the probability of the class 1 for points, `[count, 2]`, row by row.
    ///
    /// # Errors
    /// The device failed.
    pub async fn probabilities(&self, points: Vec<f32>) -> Result<Vec<f32>, DataError> {
        let points = TensorData::new(points.clone(), [points.len() / 2, 2]);
        let points = Tensor::<B::InnerBackend, 2>::from_data(points, &self.points.device());
        let probabilities = softmax(self.network.valid().forward(points), 1).narrow(1, 1, 1);
        Ok(probabilities.into_data_async().await?.iter().collect())
    }
}

//! Training toward a function of the images that is known.

use crate::model::{Model, SIZE};
use burn::module::{AutodiffModule, Module};
use burn::nn::loss::{MseLoss, Reduction};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::record::{BinBytesRecorder, FullPrecisionSettings, Record, Recorder};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{Tensor, TensorData};

const BATCH: usize = 16;
const STEPS: usize = 20;
const LEARNING_RATE: f64 = 0.01;

/// Results of a backend after its steps: the model and the state of the optimizer, as bytes, and figures.
#[derive(Debug)]
pub struct Trained {
    model: Vec<u8>,
    optimizer: Vec<u8>,
    /// Outputs of the saved model.
    pub outputs: Vec<f64>,
    /// Losses of the steps before it was saved.
    pub losses: Vec<f64>,
    /// Losses of as many steps more, on the same backend without a break.
    pub further_losses: Vec<f64>,
}

/// Figures of a backend that continued with another's model.
#[derive(Debug)]
pub struct Continued {
    /// Outputs of the loaded model.
    pub outputs: Vec<f64>,
    pub losses: Vec<f64>,
}

/// Waves of several lengths.
fn images<B: Backend>() -> Tensor<B, 4> {
    let value = |at: usize| {
        let (image, place) = (at / (SIZE * SIZE), at % (SIZE * SIZE));
        ((image + 1) as f32 * 0.37 * place as f32).sin()
    };
    let values: Vec<f32> = (0..BATCH * SIZE * SIZE).map(value).collect();
    Tensor::from_data(TensorData::new(values, [BATCH, 1, SIZE, SIZE]), &Default::default())
}

/// The difference of the means of the upper and the lower half, ten times as large.
fn targets<B: Backend>() -> Tensor<B, 2> {
    let halves = images::<B>().reshape([BATCH, 2, SIZE * SIZE / 2]).mean_dim(2);
    let [upper, lower] = [0, 1].map(|half| halves.clone().narrow(1, half, 1).reshape([BATCH, 1]));
    (upper - lower) * 10
}

fn outputs<B: AutodiffBackend>(model: &Model<B>) -> Vec<f64> {
    model.valid().forward(images()).into_data().to_f64()
}

fn run<B: AutodiffBackend>(
    mut model: Model<B>,
    optimizer: &mut impl Optimizer<Model<B>, B>,
) -> (Model<B>, Vec<f64>) {
    let (images, targets) = (images::<B>(), targets::<B>());
    let mut losses = Vec::with_capacity(STEPS);
    for _ in 0..STEPS {
        let loss = MseLoss::new().forward(model.forward(images.clone()), targets.clone(), Reduction::Mean);
        losses.push(loss.to_data().to_f64()[0]);
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(LEARNING_RATE, model, gradients);
    }
    (model, losses)
}

fn save<B: Backend>(record: impl Record<B>) -> Vec<u8> {
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    Recorder::<B>::record(&recorder, record, ()).unwrap_or_else(|error| panic!("{error}"))
}

fn load<B: Backend, R: Record<B>>(bytes: &[u8]) -> R {
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let record = Recorder::<B>::load(&recorder, bytes.to_vec(), &Default::default());
    record.unwrap_or_else(|error| panic!("{error}"))
}

/// Trains a new model, saves it, and trains it further.
pub fn train<B: AutodiffBackend>() -> Trained {
    let mut optimizer = AdamConfig::new().init();
    let (model, losses) = run(Model::<B>::init(&Default::default()), &mut optimizer);
    let saved = save::<B>(model.clone().into_record());
    let optimizer_saved = save::<B>(Optimizer::<Model<B>, B>::to_record(&optimizer));
    let outputs = outputs(&model);
    let (_, further_losses) = run(model, &mut optimizer);
    Trained { model: saved, optimizer: optimizer_saved, outputs, losses, further_losses }
}

/// Loads what another backend saved, and trains it further.
pub fn continue_from<B: AutodiffBackend>(saved: &Trained) -> Continued {
    let model = Model::<B>::init(&Default::default()).load_record(load::<B, _>(&saved.model));
    let optimizer = AdamConfig::new().init();
    let mut optimizer = Optimizer::<Model<B>, B>::load_record(optimizer, load::<B, _>(&saved.optimizer));
    let outputs = outputs(&model);
    let (_, losses) = run(model, &mut optimizer);
    Continued { outputs, losses }
}

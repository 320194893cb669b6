//! A model that was trained on one backend loads and goes on on the other.

use burn::backend::{Autodiff, LibTorch, NdArray};
use burn::module::{AutodiffModule, Module};
use burn::nn::loss::{MseLoss, Reduction};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
use burn::tensor::Tensor;
use burn::tensor::backend::{AutodiffBackend, Backend};

/// Fits `y = 2 x + 1`; the losses of the steps.
fn train<B: AutodiffBackend>(mut model: Linear<B>, steps: usize) -> (Linear<B>, Vec<f64>) {
    let device = Default::default();
    let mut optimizer = AdamConfig::new().init();
    let x = Tensor::<B, 2>::from_data([[-1.0], [0.0], [1.0], [2.0]], &device);
    let y = x.clone() * 2 + 1;
    let mut losses = Vec::new();
    for _ in 0..steps {
        let loss = MseLoss::new().forward(model.forward(x.clone()), y.clone(), Reduction::Mean);
        losses.push(loss.to_data().to_f64()[0]);
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(0.05, model, gradients);
    }
    (model, losses)
}

fn recorder() -> BinBytesRecorder<FullPrecisionSettings> {
    BinBytesRecorder::new()
}

fn saved<B: Backend>(model: Linear<B>) -> Vec<u8> {
    Recorder::<B>::record(&recorder(), model.into_record(), ()).expect("it is saved")
}

fn loaded<B: Backend>(bytes: Vec<u8>) -> Linear<B> {
    let device = Default::default();
    let record = Recorder::<B>::load(&recorder(), bytes, &device).expect("it loads");
    LinearConfig::new(1, 1).init::<B>(&device).load_record(record)
}

fn goes_on<A: AutodiffBackend, B: AutodiffBackend>() {
    let (model, before) = train(LinearConfig::new(1, 1).init::<A>(&Default::default()), 60);
    let at = |y: f64| Tensor::<B::InnerBackend, 2>::from_data([[y]], &Default::default());
    let expected: f64 = {
        let x = Tensor::<A::InnerBackend, 2>::from_data([[10.0]], &Default::default());
        model.valid().forward(x).into_data().to_f64()[0]
    };
    let model = loaded::<B>(saved(model));
    let found = model.valid().forward(at(10.0)).into_data().to_f64()[0];
    assert!((found - expected).abs() < 1e-5, "{found}, on the first backend {expected}");
    let (model, after) = train(model, 300);
    // It starts where the other one stopped.
    assert!(after[0] <= before[59] + 1e-5, "{} after {}", after[0], before[59]);
    assert!(after[299] < 1e-4, "{}", after[299]);
    let last = model.valid().forward(at(10.0)).into_data().to_f64()[0];
    assert!((last - 21.0).abs() < 0.2, "{last}");
}

#[test]
fn a_model_of_ndarray_goes_on_on_libtorch() {
    goes_on::<Autodiff<NdArray>, Autodiff<LibTorch>>();
}

#[test]
fn a_model_of_libtorch_goes_on_on_ndarray() {
    goes_on::<Autodiff<LibTorch>, Autodiff<NdArray>>();
}

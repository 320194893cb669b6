//! Long short-term memory (Hochreiter and Schmidhuber 1997), as `torch.nn.LSTM` is, forward and backward: 32 sequences
//! of 64, 128 to 256.

use super::input::normal;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_core::module::Module;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_nn::{Linear, LinearConfig};
use burn_optim::GradientsParams;
use burn_tensor::{AutodiffBackend, Backend, Tensor};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("lstm")
            .with("NdArray", step::<Autodiff<NdArray>>)
            .at_most(1.0)
            .with("Fusion<NdArray>", step::<Autodiff<Fusion<NdArray>>>),
    ]
}

#[derive(Module, Debug)]
struct Lstm<B: Backend> {
    /// From the input to the gates.
    input: Linear<B>,
    /// From what was put out before to the gates.
    hidden: Linear<B>,
    size: usize,
}

impl<B: Backend> Lstm<B> {
    fn new(inputs: usize, size: usize, device: &B::Device) -> Self {
        let gates = |inputs| LinearConfig::new(inputs, 4 * size).init(device);
        Lstm { input: gates(inputs), hidden: gates(size), size }
    }

    /// `[batch, steps, inputs]` to `[batch, steps, size]`.
    fn forward(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let ([batch, steps, inputs], device) = (x.dims(), x.device());
        let [mut hidden, mut cell] = [0, 1].map(|_| Tensor::zeros([batch, self.size], &device));
        let mut outputs = Vec::with_capacity(steps);
        // What the input adds to the gates is one product for all steps, as in PyTorch.
        let inputs = self.input.forward(x.reshape([batch * steps, inputs]));
        let inputs = inputs.reshape([batch, steps, 4 * self.size]);
        for at in 0..steps {
            let input = inputs.clone().narrow(1, at, 1).reshape([batch, 4 * self.size]);
            let gates = input + self.hidden.forward(hidden);
            let mut gates = gates.chunk(4, 1).into_iter();
            let [enter, keep, new, show] = [0, 1, 2, 3].map(|_| gates.next().expect("four gates"));
            cell = keep.sigmoid() * cell + enter.sigmoid() * new.tanh();
            hidden = show.sigmoid() * cell.clone().tanh();
            outputs.push(hidden.clone());
        }
        Tensor::stack(outputs, 1)
    }
}

/// The gradients by all parameters.
fn step<B: AutodiffBackend>() -> impl FnMut() {
    let device = B::Device::default();
    let (model, x) = (Lstm::<B>::new(128, 256, &device), normal([32, 64, 128]));
    move || {
        let gradients = model.forward(x.clone()).sum().backward();
        let gradients = GradientsParams::from_grads(gradients, &model);
        B::sync(&device);
        drop(black_box(gradients));
    }
}

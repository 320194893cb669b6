// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::prelude::*;

type B = Autodiff<NdArray>; // a backend with gradients, in place of requires_grad and no_grad

fn main() {
    let device = Default::default(); // device = torch.device("cpu")
    B::seed(0); // torch.manual_seed(0)
    let x = Tensor::<B, 2>::from_data([[0.0, 1.0], [1.0, 0.0]], &device); // x = torch.tensor(..)
    let y = Tensor::<B, 1, Int>::from_data([0, 1], &device);

    let mut model: Linear<B> = LinearConfig::new(2, 2).init(&device); // model = nn.Linear(2, 2)
    let mut optimizer = AdamConfig::new().init(); // optimizer = optim.Adam(model.parameters(), lr=0.1)
    let criterion = CrossEntropyLossConfig::new().init(&device); // criterion = nn.CrossEntropyLoss()
    for _ in 0..50 {
        let loss = criterion.forward(model.forward(x.clone()), y.clone());
        let gradients = GradientsParams::from_grads(loss.backward(), &model); // loss.backward()
        model = optimizer.step(0.1, model, gradients); // optimizer.step(); no zero_grad is needed
    }

    let model = model.valid(); // model.eval(); with torch.no_grad(): ..
    let classes = model.forward(x.inner()).argmax(1);
    println!("{}", classes.into_data());
}
// ANCHOR_END: program

#[test]
fn x_701_coming_from_pytorch() {
    crate::page_output::page_prints!("pytorch.md");
}

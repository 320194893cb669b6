//! A network and its training in 30 lines, on any stack of backends with gradients.

use burn_tensor::activation::{relu, softmax};
use burn_tensor::backend::AutodiffBackend;
use burn_tensor::{Distribution, Tensor};

struct Mlp<B: AutodiffBackend> {
    hidden: [Tensor<B, 2>; 2],
    output: [Tensor<B, 2>; 2],
}

fn linear<B: AutodiffBackend>(x: Tensor<B, 2>, [w, b]: &[Tensor<B, 2>; 2]) -> Tensor<B, 2> {
    x.matmul(w.clone()) + b.clone()
}

impl<B: AutodiffBackend> Mlp<B> {
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        softmax(linear(relu(linear(x, &self.hidden)), &self.output), 1)
    }
    fn step(self, gradients: &B::Gradients) -> Self {
        let step = |p: Tensor<B, 2>| {
            let gradient = p.grad(gradients).expect("the loss depends on every parameter");
            Tensor::from_inner(p.inner() - gradient * 0.1).require_grad()
        };
        Mlp { hidden: self.hidden.map(step), output: self.output.map(step) }
    }
}

/// Trains the network for a few steps.
pub fn run<B: AutodiffBackend>() {
    let device = Default::default();
    let random = |shape| Tensor::<B, 2>::random(shape, Distribution::Normal(0.0, 0.3), &device);
    let parameter = |shape| random(shape).require_grad();
    let hidden = [parameter([8, 16]), parameter([1, 16])];
    let mut model = Mlp { hidden, output: [parameter([16, 4]), parameter([1, 4])] };
    for step in 0..3 {
        let loss = -(model.forward(random([32, 8])).log().sum() / 32);
        model = model.step(&loss.backward());
        println!("{step}: {loss:.3}");
    }
}

// ANCHOR: program
use burn::backend::autodiff::BalancedCheckpointing;
use burn::backend::{Autodiff, NdArray};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use burn::tensor::{activation, grad};

type Keeping = Autodiff<NdArray<f64>>;
/// Results of elementwise functions are computed again in the backward pass, and not kept.
type Lean = Autodiff<NdArray<f64>, BalancedCheckpointing>;

fn slope<B: AutodiffBackend>(f: impl Fn(Tensor<B, 1>) -> Tensor<B, 1>) -> TensorData {
    let x = Tensor::<B, 1>::from_data([0.5, -1.0], &Default::default()).require_grad();
    let gradients = f(x.clone()).sum().backward();
    x.grad(&gradients).expect("the sum depends on x").into_data()
}

fn main() {
    let kept = slope::<Keeping>(|x| activation::gelu(x.exp()).sin());
    let lean = slope::<Lean>(|x| activation::gelu(x.exp()).sin());
    // A segment: the tape keeps its input, and runs it again in the backward pass.
    let segment =
        slope::<Keeping>(|x| grad::checkpoint(|x: Tensor<Keeping, 1>| activation::gelu(x.exp()).sin(), x));
    println!("the same gradients: {}", kept == lean && kept == segment);
}
// ANCHOR_END: program

#[test]
fn x_701_memory_of_gradients() {
    crate::page_output::page_prints!("autodiff/memory.md");
}

// ANCHOR: program
use burn::backend::autodiff::{Backward, CheckpointStrategy, Checkpointer, Gradients, Ops};
use burn::backend::{Autodiff, NdArray};
use burn::prelude::*;
use burn::tensor::ops::{FloatTensor, TypedCalls};
use burn::tensor::{Element, TensorPrimitive};

/// A backend with the operation of this program beside the usual ones.
trait RoundingBackend: Backend {
    /// Rounds, and passes the gradient through unchanged (straight-through estimator).
    fn round_through(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

/// The kernel. On a GPU it would be one of `cubecl` or WGSL.
impl<F: Element, I: Element> RoundingBackend for NdArray<F, I> {
    fn round_through(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_round(x)
    }
}

#[derive(Debug)]
struct RoundThrough;

/// The gradient, for every backend that has the operation.
impl<B: RoundingBackend> Backward<B, 1> for RoundThrough {
    type State = ();

    fn backward(self, ops: Ops<(), 1>, grads: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let grad = grads.consume::<B>(&ops.node);
        if let [Some(x)] = ops.parents {
            grads.register::<B>(x.id, grad);
        }
    }
}

impl<B: RoundingBackend, C: CheckpointStrategy> RoundingBackend for Autodiff<B, C> {
    fn round_through(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let output = B::round_through(x.primitive);
        RoundThrough.prepare::<C>([x.node]).compute_bound().stateless(output)
    }
}

fn main() {
    type B = Autodiff<NdArray>;
    let x = Tensor::<B, 1>::from_data([0.4, 1.6], &Default::default()).require_grad();
    let rounded = B::round_through(x.clone().into_primitive().tensor());
    let rounded = Tensor::<B, 1>::from_primitive(TensorPrimitive::Float(rounded));
    let gradients = (rounded.clone() * 3.0).sum().backward();
    println!("{}", rounded.into_data());
    println!("{}", x.grad(&gradients).expect("the sum depends on x").into_data());
}
// ANCHOR_END: program

#[test]
fn x_701_own_operations() {
    crate::page_output::page_prints!("backends/custom-kernels.md");
}

//! AD-013 to AD-015, BK-014: an operation of the user's own, with its gradient, on a leaf and through
//! decorators.

use crate::expect::nearly;
use burn::backend::autodiff::{
    Autodiff, AutodiffTensor, Backward, BalancedCheckpointing, CheckpointStrategy, Checkpointer, Gradients,
    NodeID, Ops, OpsKind, broadcast_shape,
};
use burn::backend::fusion::FusionBackend;
use burn::backend::ndarray::NdArrayDevice;
use burn::backend::{Fusion, NdArray};
use burn::tensor::ops::{FloatTensor, TensorSpec, TypedCalls};
use burn::tensor::{Distribution, Element, HasSpec, Shape, Tensor, TensorPrimitive, activation, backend};

/// Backend extension: one operation that this program needs on top of a [`backend::Backend`].
pub trait Backend: backend::Backend {
    /// Computes `relu(lhs @ rhs + bias)`.
    fn fused_matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
}

/// A backend with this operation and gradients.
pub trait AutodiffBackend: Backend + backend::AutodiffBackend {}
impl<B: Backend + backend::AutodiffBackend> AutodiffBackend for B {}

/// The operation for users of tensors.
fn matmul_add_relu<B: Backend>(lhs: Tensor<B, 2>, rhs: Tensor<B, 2>, bias: Tensor<B, 2>) -> Tensor<B, 2> {
    let [lhs, rhs, bias] = [lhs, rhs, bias].map(|x| x.into_primitive().tensor());
    Tensor::from_primitive(TensorPrimitive::Float(B::fused_matmul_add_relu(lhs, rhs, bias)))
}

/// The leaf's "kernel": a composition will do to show where one goes.
impl<F: Element, I: Element> Backend for NdArray<F, I> {
    fn fused_matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        Self::relu(Self::float_add(Self::float_matmul(lhs, rhs), bias))
    }
}

/// One entry of the queue: what waits before it runs first, then the kernel of the leaf.
impl<B: Backend + FusionBackend> Backend for Fusion<B> {
    fn fused_matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let spec = TensorSpec { shape: Shape::new([lhs.shape()[0], rhs.shape()[1]]), dtype: lhs.dtype() };
        let run = |operands: Vec<FloatTensor<B>>| {
            let [lhs, rhs, bias] = operands.try_into().expect("three went in");
            B::fused_matmul_add_relu(lhs, rhs, bias).into()
        };
        Fusion::<B>::custom(vec![lhs, rhs, bias], spec.into(), run).one()
    }
}

/// The gradient of the operation.
#[derive(Debug)]
struct MatmulAddRelu;

impl<B: Backend> Backward<B, 3> for MatmulAddRelu {
    /// Where the factors are kept, the result, and the shape of the bias.
    type State = (NodeID, NodeID, FloatTensor<B>, Shape);

    fn backward(self, ops: Ops<Self::State, 3>, grads: &mut Gradients, checkpointer: &mut Checkpointer) {
        let [lhs_node, rhs_node, bias_node] = ops.parents;
        let (lhs, rhs, output, bias_shape) = ops.state;
        let lhs: FloatTensor<B> = checkpointer.retrieve_node_output(lhs);
        let rhs: FloatTensor<B> = checkpointer.retrieve_node_output(rhs);
        let (lhs_shape, rhs_shape) = (B::float_shape(&lhs), B::float_shape(&rhs));
        let grad = B::relu_backward(output, grads.consume::<B>(&ops.node));

        if let Some(node) = lhs_node {
            let product = B::float_matmul(grad.clone(), B::float_transpose(rhs));
            grads.register::<B>(node.id, broadcast_shape::<B>(product, &lhs_shape));
        }
        if let Some(node) = rhs_node {
            let product = B::float_matmul(B::float_transpose(lhs), grad.clone());
            grads.register::<B>(node.id, broadcast_shape::<B>(product, &rhs_shape));
        }
        if let Some(node) = bias_node {
            grads.register::<B>(node.id, broadcast_shape::<B>(grad, &bias_shape));
        }
    }
}

impl<B: Backend, C: CheckpointStrategy> Backend for Autodiff<B, C> {
    fn fused_matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [&lhs, &rhs, &bias].map(|x| x.node.clone());
        match MatmulAddRelu.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(mut prep) => {
                let (lhs_state, rhs_state) = (prep.checkpoint(&lhs), prep.checkpoint(&rhs));
                let bias_shape = bias.shape();
                let output = run::<B>(lhs, rhs, bias);
                prep.finish((lhs_state, rhs_state, output.clone(), bias_shape), output)
            }
            OpsKind::UnTracked(prep) => prep.finish(run::<B>(lhs, rhs, bias)),
        }
    }
}

fn run<B: Backend>(
    lhs: AutodiffTensor<B>,
    rhs: AutodiffTensor<B>,
    bias: AutodiffTensor<B>,
) -> FloatTensor<B> {
    B::fused_matmul_add_relu(lhs.primitive, rhs.primitive, bias.primitive)
}

const X: [[f64; 3]; 2] = [[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]];
const W: [[f64; 2]; 3] = [[0.5, -0.25], [1.0, 0.75], [-1.5, 2.0]];
const BIAS: [[f64; 2]; 1] = [[0.1, -0.2]];

/// The gradients of the sum of `weight * output`, where the operation is the user's and where it is composed.
fn gradients<B: AutodiffBackend>(
    device: &B::Device,
    operation: impl Fn(Tensor<B, 2>, Tensor<B, 2>, Tensor<B, 2>) -> Tensor<B, 2>,
) -> [Tensor<B::InnerBackend, 2>; 3] {
    let x = Tensor::<B, 2>::from_data(X, device).require_grad();
    let w = Tensor::<B, 2>::from_data(W, device).require_grad();
    let bias = Tensor::<B, 2>::from_data(BIAS, device).require_grad();
    let weight = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, -4.0]], device);
    let gradients = (operation(x.clone(), w.clone(), bias.clone()) * weight).sum().backward();
    [x, w, bias].map(|parameter| parameter.grad(&gradients).expect("the sum depends on it"))
}

fn composed<B: backend::Backend>(x: Tensor<B, 2>, w: Tensor<B, 2>, bias: Tensor<B, 2>) -> Tensor<B, 2> {
    activation::relu(x.matmul(w) + bias)
}

fn equals_the_composition<B: AutodiffBackend>(device: &B::Device) {
    let own = gradients::<B>(device, matmul_add_relu);
    let reference = gradients::<B>(device, composed);
    for (own, reference) in own.into_iter().zip(reference) {
        nearly(own, reference.into_data());
    }
}

#[test]
fn ad_013_a_backward_of_the_user_runs() {
    // Only where the result is positive does the gradient flow.
    let [x, w, bias] = gradients::<Autodiff<NdArray>>(&NdArrayDevice::Cpu, matmul_add_relu);
    let active = |row: usize, column: usize| -> f64 {
        let sum: f64 = (0..3).map(|k| X[row][k] * W[k][column]).sum::<f64>() + BIAS[0][column];
        f64::from(u8::from(sum > 0.0))
    };
    let weight = [[1.0, 2.0], [3.0, -4.0]];
    let flow = [0, 1].map(|row| [0, 1].map(|column| weight[row][column] * active(row, column)));
    nearly(x, flow.map(|flow| [0, 1, 2].map(|k| flow[0] * W[k][0] + flow[1] * W[k][1])));
    nearly(w, [0, 1, 2].map(|k| [0, 1].map(|column| X[0][k] * flow[0][column] + X[1][k] * flow[1][column])));
    nearly(bias, [[0, 1].map(|column| flow[0][column] + flow[1][column])]);
}

#[test]
fn ad_014_the_operation_is_prepared_tracked_and_untracked() {
    let device = NdArrayDevice::Cpu;
    equals_the_composition::<Autodiff<NdArray>>(&device);
    equals_the_composition::<Autodiff<NdArray, BalancedCheckpointing>>(&device);
    let [x, w] = [Tensor::<Autodiff<NdArray>, 2>::from_data(X, &device), Tensor::from_data(W, &device)];
    let untracked = matmul_add_relu(x.clone(), w.clone(), Tensor::from_data(BIAS, &device));
    assert!(untracked.handle().node.is_none(), "nobody asked for a gradient");
    let half = matmul_add_relu(x, w.clone().require_grad(), Tensor::from_data(BIAS, &device));
    assert!(half.handle().node.is_some(), "one operand is enough");
}

#[test]
fn ad_015_checkpointed_operands_come_back_recomputed_too() {
    fn through<C: CheckpointStrategy>() -> [Tensor<NdArray, 2>; 2] {
        let device = NdArrayDevice::Cpu;
        let x = Tensor::<Autodiff<NdArray, C>, 2>::from_data(X, &device).require_grad();
        let bias = Tensor::from_data(BIAS, &device).require_grad();
        // The factor is the result of memory-bound operations, which a strategy may compute again.
        let factor = (x.clone() * 2).exp();
        let result = matmul_add_relu(factor, Tensor::from_data(W, &device), bias.clone());
        let gradients = result.sum().backward();
        [x, bias].map(|parameter| parameter.grad(&gradients).expect("the sum depends on it"))
    }
    use burn::backend::autodiff::NoCheckpointing;
    for (kept, recomputed) in through::<NoCheckpointing>().into_iter().zip(through::<BalancedCheckpointing>())
    {
        nearly(recomputed, kept.into_data());
    }
}

#[test]
fn bk_014_the_extension_works_on_every_stack() {
    fn forward<B: Backend>(device: &B::Device) {
        B::seed(3);
        let draw =
            |shape: [usize; 2]| Tensor::<B, 2>::random(shape, Distribution::Uniform(-1.0, 1.0), device);
        let (x, w, bias) = (draw([4, 3]), draw([3, 5]), draw([1, 5]));
        let own = matmul_add_relu(x.clone(), w.clone(), bias.clone());
        nearly(own, composed(x, w, bias).into_data());
    }
    let device = NdArrayDevice::Cpu;
    forward::<NdArray>(&device);
    forward::<NdArray<f64>>(&device);
    forward::<Fusion<NdArray>>(&device);
    forward::<Autodiff<NdArray>>(&device);
    equals_the_composition::<Autodiff<Fusion<NdArray>>>(&device);
    equals_the_composition::<Autodiff<NdArray<f64>>>(&device);
}

//! An operation of the user's own, with its gradient, on a leaf and through two decorators.

use burn_autodiff::{
    Autodiff, Backward, CheckpointStrategy, Checkpointer, Gradients, NodeId, Ops, OpsKind, broadcast_shape,
};
use burn_backend::{DType, Element, FloatTensor, FusionBackend, HasSpec, NamedOps, Shape, TensorSpec};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_tensor::Tensor;

/// What this program needs of a backend, on top of the usual.
pub trait Backend: burn_backend::Backend {
    /// `relu(lhs @ rhs + bias)`.
    fn fused_matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
}

pub trait AutodiffBackend: Backend + burn_backend::AutodiffBackend {}
impl<T: Backend + burn_backend::AutodiffBackend> AutodiffBackend for T {}

pub fn matmul_add_relu<B: Backend>(lhs: Tensor<B, 2>, rhs: Tensor<B, 2>, bias: Tensor<B, 2>) -> Tensor<B, 2> {
    let output = B::fused_matmul_add_relu(lhs.into_primitive(), rhs.into_primitive(), bias.into_primitive());
    Tensor::from_primitive(output)
}

impl<F: Element, I: Element> Backend for NdArray<F, I> {
    fn fused_matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        Self::relu(Self::float_add(Self::float_matmul(lhs, rhs), bias))
    }
}

/// One queue entry: the block before it is closed, the leaf's own kernel runs.
impl<B: Backend + FusionBackend> Backend for Fusion<B> {
    fn fused_matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let (rows, cols) = (lhs.spec().shape[0], rhs.spec().shape[1]);
        let spec = TensorSpec::new([rows, cols], DType::F32);
        let run = |inputs: Vec<FloatTensor<B>>| {
            let [lhs, rhs, bias] = inputs.try_into().expect("three operands went in");
            B::fused_matmul_add_relu(lhs, rhs, bias).into()
        };
        Fusion::<B>::custom(vec![lhs, rhs, bias], spec.into(), run).one()
    }
}

impl<B: Backend, C: CheckpointStrategy> Backend for Autodiff<B, C> {
    fn fused_matmul_add_relu(
        lhs: FloatTensor<Self>,
        rhs: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct FusedMatmulAddReluBackward;

        impl<B: Backend> Backward<B, 3> for FusedMatmulAddReluBackward {
            type State = (NodeId, NodeId, FloatTensor<B>, Shape);

            fn backward(
                self,
                ops: Ops<Self::State, 3>,
                grads: &mut Gradients,
                checkpointer: &mut Checkpointer,
            ) {
                let [node_lhs, node_rhs, node_bias] = ops.parents;
                let grad = grads.consume::<B>(&ops.node);
                let (lhs_state, rhs_state, output, shape_bias) = ops.state;
                let lhs: FloatTensor<B> = checkpointer.retrieve_node_output(lhs_state);
                let rhs: FloatTensor<B> = checkpointer.retrieve_node_output(rhs_state);
                let shape_lhs = B::float_shape(&lhs);
                let shape_rhs = rhs.shape();

                let grad_output = B::relu_backward(output, grad);
                let grad_lhs = broadcast_shape::<B>(
                    B::float_matmul(grad_output.clone(), B::float_transpose(rhs)),
                    &shape_lhs,
                );
                let grad_rhs = broadcast_shape::<B>(
                    B::float_matmul(B::float_transpose(lhs), grad_output.clone()),
                    &shape_rhs,
                );
                let grad_bias = broadcast_shape::<B>(grad_output, &shape_bias);

                if let Some(node) = node_bias {
                    grads.register::<B>(node.id, grad_bias);
                }
                if let Some(node) = node_lhs {
                    grads.register::<B>(node.id, grad_lhs);
                }
                if let Some(node) = node_rhs {
                    grads.register::<B>(node.id, grad_rhs);
                }
            }
        }

        match FusedMatmulAddReluBackward
            .prepare::<C>([lhs.node.clone(), rhs.node.clone(), bias.node.clone()])
            .compute_bound()
            .stateful()
        {
            OpsKind::Tracked(mut prep) => {
                let lhs_state = prep.checkpoint(&lhs);
                let rhs_state = prep.checkpoint(&rhs);
                let bias_shape = bias.primitive.shape();
                let output = B::fused_matmul_add_relu(lhs.primitive, rhs.primitive, bias.primitive);
                let state = (lhs_state, rhs_state, output.clone(), bias_shape);
                prep.finish(state, output)
            }
            OpsKind::UnTracked(prep) => {
                let output = B::fused_matmul_add_relu(lhs.primitive, rhs.primitive, bias.primitive);
                prep.finish(output)
            }
        }
    }
}

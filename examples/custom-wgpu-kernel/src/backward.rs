use crate::Backend;
use burn::backend::autodiff::{
    Autodiff, AutodiffTensor, Backward, CheckpointStrategy, Checkpointer, Gradients, NodeID, Ops, OpsKind,
    broadcast_shape,
};
use burn::tensor::ops::FloatTensor;
use burn::tensor::{HasSpec, Shape};

// ANCHOR: backward
/// The gradient of the operation, in terms of operations that every backend has.
#[derive(Debug)]
struct MatmulAddRelu;

impl<B: Backend> Backward<B, 3> for MatmulAddRelu {
    /// Checkpointed factors, the result, and the shape of the bias.
    type State = (NodeID, NodeID, FloatTensor<B>, Shape);

    fn backward(self, ops: Ops<Self::State, 3>, grads: &mut Gradients, checkpointer: &mut Checkpointer) {
        let [lhs_node, rhs_node, bias_node] = ops.parents;
        let (lhs, rhs, output, bias_shape) = ops.state;
        let lhs: FloatTensor<B> = checkpointer.retrieve_node_output(lhs);
        let rhs: FloatTensor<B> = checkpointer.retrieve_node_output(rhs);
        let (lhs_shape, rhs_shape) = (B::float_shape(&lhs), B::float_shape(&rhs));
        // The gradient flows where the result is positive.
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
// ANCHOR_END: backward

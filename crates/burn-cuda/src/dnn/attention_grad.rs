use super::attention::{Attention, AttentionNodes};
use super::graph::{Graph, Node};
use super::operand::{Operand, data_type, row_major};
use crate::CudaError;
use cudarc::cudnn::sys::{
    cudnnDataType_t as Data, cudnnPointwiseMode_t as Mode, cudnnReduceTensorOp_t as Reduction,
};

/// The gradients of an attention by query, key and value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AttentionGrad {
    /// The attention, whose value matrices are transposed too.
    pub attention: Attention,
    pub grad: Operand,
    pub query_grad: Operand,
    pub key_grad: Operand,
    pub value_grad: Operand,
}

impl AttentionGrad {
    /// Its operands are those of the attention, and those after it, in this order.
    ///
    /// With `p` the weights and `d = grad value^T`, the gradient of the scores is `p (d - sum(grad out))`.
    /// The library knows the form of this graph.
    pub fn graph(&self) -> Result<Graph, CudaError> {
        let mut graph = Graph::default();
        let AttentionNodes { query, key, value, mask, out, log_sums } =
            self.attention.operands(&mut graph)?;
        let grad = graph.operand(&self.grad)?;
        let query_grad = graph.operand(&self.query_grad)?;
        let key_grad = graph.operand(&self.key_grad)?;
        let value_grad = graph.operand(&self.value_grad)?;
        let (float, narrow) = (Data::CUDNN_DATA_FLOAT, data_type(self.attention.query.dtype));
        let narrow = narrow.unwrap_or(float);
        let (multiply, subtract) = (Mode::CUDNN_POINTWISE_MUL, Mode::CUDNN_POINTWISE_SUB);

        let along = graph.apply(multiply, &[&grad, &out])?;
        let sums = graph.float(&log_sums.sizes)?;
        graph.reduce(Reduction::CUDNN_REDUCE_TENSOR_ADD, &along, &sums)?;
        let one = graph.scalar(4, 1.0)?;
        let level = graph.scratch(&log_sums.sizes)?;
        graph.pointwise(multiply, float, &[&sums, &one], &level, None)?;

        let scores = self.attention.scores.open(&mut graph, &query, &key, mask.as_ref())?;
        let shifted = graph.apply(subtract, &[&scores, &log_sums])?;
        let shifted = self.attention.scores.hidden(&mut graph, shifted)?;
        let weights = graph.apply(Mode::CUDNN_POINTWISE_EXP, &[&shifted])?;
        let turned = turned(&mut graph, narrow, &weights)?;
        product_of_heads(&mut graph, narrow, &turned, &grad, &value_grad)?;

        let sloped = graph.float(&weights.sizes)?;
        graph.product(&grad, &value, &sloped)?;
        let raised = graph.apply(subtract, &[&sloped, &level])?;
        let by_scores = graph.apply(multiply, &[&raised, &weights])?;
        let scale = graph.scalar(4, f32::from_bits(self.attention.scores.scale))?;
        let by_products = graph.apply(multiply, &[&by_scores, &scale])?;
        let turned = self::turned(&mut graph, narrow, &by_products)?;
        product_of_heads(&mut graph, narrow, &turned, &query, &key_grad)?;

        let (mut sizes, mut strides) = (key.sizes.clone(), self.attention.key.strides.clone());
        sizes.swap(2, 3);
        strides.swap(2, 3);
        let rows = graph.between(narrow, &sizes, &strides)?;
        graph.reshape(&key, &rows)?;
        // Blocks add to this as they finish. Without it, the library keeps all gradients of scores.
        let sum = graph.scratch(&query.sizes)?;
        graph.product(&by_products, &rows, &sum)?;
        graph.pointwise(Mode::CUDNN_POINTWISE_IDENTITY, float, &[&sum], &query_grad, None)?;
        Ok(graph)
    }
}

/// The matrices the other way round, of the type that products take.
fn turned(graph: &mut Graph, narrow: Data, x: &Node) -> Result<Node, CudaError> {
    let (mut sizes, mut strides) = (x.sizes.clone(), row_major(&x.sizes));
    sizes.swap(2, 3);
    strides.swap(2, 3);
    let turned = graph.between(narrow, &sizes, &strides)?;
    graph.reshape(x, &turned)?;
    Ok(turned)
}

/// `out = lhs rhs`, which adds up the heads that share one of `out`.
fn product_of_heads(
    graph: &mut Graph,
    narrow: Data,
    lhs: &Node,
    rhs: &Node,
    out: &Node,
) -> Result<(), CudaError> {
    if lhs.sizes[1] == out.sizes[1] {
        return graph.product(lhs, rhs, out);
    }
    let mut sizes = out.sizes.clone();
    sizes[1] = lhs.sizes[1];
    let all = graph.between(narrow, &sizes, &row_major(&sizes))?;
    graph.product(lhs, rhs, &all)?;
    graph.reduce(Reduction::CUDNN_REDUCE_TENSOR_ADD, &all, out)
}

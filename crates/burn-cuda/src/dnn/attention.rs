use super::attention_scores::Scores;
use super::graph::{Graph, Node};
use super::operand::{Operand, data_type, row_major};
use crate::CudaError;
use cudarc::cudnn::sys::{
    cudnnDataType_t as Data, cudnnPointwiseMode_t as Mode, cudnnReduceTensorOp_t as Reduction,
};

/// Scaled dot-product attention and the logarithms of its sums. All operands have four dimensions: batch,
/// heads, rows and columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attention {
    pub query: Operand,
    /// Operand of the transposed key matrices.
    pub key: Operand,
    pub value: Operand,
    pub scores: Scores,
    pub out: Operand,
    /// Logarithms of the sums of the softmax, as matrices of one column.
    pub log_sums: Operand,
}

/// Operands of an attention in a graph.
pub struct AttentionNodes {
    pub query: Node,
    pub key: Node,
    pub value: Node,
    pub mask: Option<Node>,
    pub out: Node,
    pub log_sums: Node,
}

impl Attention {
    /// Adds the operands to the graph: `query`, `key`, `value`, the mask if there is one, `out` and
    /// `log_sums`, in this order.
    pub fn operands(&self, graph: &mut Graph) -> Result<AttentionNodes, CudaError> {
        Ok(AttentionNodes {
            query: graph.operand(&self.query)?,
            key: graph.operand(&self.key)?,
            value: graph.operand(&self.value)?,
            mask: self.scores.operand(graph)?,
            out: graph.operand(&self.out)?,
            log_sums: graph.operand(&self.log_sums)?,
        })
    }

    /// Builds the graph of these operands.
    ///
    /// The library recognizes the form of this graph, and has kernels that process it in tiles.
    pub fn graph(&self) -> Result<Graph, CudaError> {
        let mut graph = Graph::default();
        let AttentionNodes { query, key, value, mask, out, log_sums } = self.operands(&mut graph)?;
        let scores = self.scores.open(&mut graph, &query, &key, mask.as_ref())?;
        let scores = self.scores.hidden(&mut graph, scores)?;
        let largest = graph.float(&log_sums.sizes)?;
        graph.reduce(Reduction::CUDNN_REDUCE_TENSOR_MAX, &scores, &largest)?;
        let shifted = graph.apply(Mode::CUDNN_POINTWISE_SUB, &[&scores, &largest])?;
        let exp = graph.apply(Mode::CUDNN_POINTWISE_EXP, &[&shifted])?;
        let sum = graph.float(&log_sums.sizes)?;
        graph.reduce(Reduction::CUDNN_REDUCE_TENSOR_ADD, &exp, &sum)?;
        let log = graph.apply(Mode::CUDNN_POINTWISE_LOG, &[&sum])?;
        let float = Data::CUDNN_DATA_FLOAT;
        graph.pointwise(Mode::CUDNN_POINTWISE_ADD, float, &[&largest, &log], &log_sums, None)?;
        // The second product takes operands of one type.
        let narrow = data_type(self.query.dtype).unwrap_or(float);
        let weights = graph.between(narrow, &scores.sizes, &row_major(&scores.sizes))?;
        graph.pointwise(Mode::CUDNN_POINTWISE_DIV, float, &[&exp, &sum], &weights, None)?;
        graph.product(&weights, &value, &out)?;
        Ok(graph)
    }
}

use super::attention_scores::Scores;
use super::graph::Graph;
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

impl Attention {
    /// Builds the graph; its operands are `query`, `key`, `value`, the mask if there is one, `out` and
    /// `log_sums`, in this order.
    ///
    /// The library recognizes the form of this graph, and has kernels that process it in tiles.
    pub fn graph(&self) -> Result<Graph, CudaError> {
        let mut graph = Graph::default();
        let query = graph.operand(&self.query)?;
        let key = graph.operand(&self.key)?;
        let value = graph.operand(&self.value)?;
        let mask = self.scores.operand(&mut graph)?;
        let out = graph.operand(&self.out)?;
        let log_sums = graph.operand(&self.log_sums)?;
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

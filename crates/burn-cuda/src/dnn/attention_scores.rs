use super::graph::{Graph, Node};
use super::operand::{Operand, row_major};
use crate::CudaError;
use cudarc::cudnn::sys::{cudnnDataType_t as Data, cudnnPointwiseMode_t as Mode};

/// Attention scores: scale, mask and causality applied to the product of query and key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scores {
    /// Bits of the scale factor.
    pub scale: u32,
    /// Mask added to the scores.
    pub mask: Option<Operand>,
    /// Whether each row attends only to columns up to its own.
    pub causal: bool,
}

impl Scores {
    /// Adds the mask as the next operand of the graph.
    pub fn operand(&self, graph: &mut Graph) -> Result<Option<Node>, CudaError> {
        self.mask.as_ref().map(|mask| graph.operand(mask)).transpose()
    }

    /// Computes `scale query key + mask`, before the causal mask.
    pub fn open(
        &self,
        graph: &mut Graph,
        query: &Node,
        key: &Node,
        mask: Option<&Node>,
    ) -> Result<Node, CudaError> {
        let mut sizes = query.sizes.clone();
        sizes[3] = key.sizes[3];
        let products = graph.float(&sizes)?;
        graph.product(query, key, &products)?;
        let scale = graph.scalar(4, f32::from_bits(self.scale))?;
        let scores = graph.apply(Mode::CUDNN_POINTWISE_MUL, &[&products, &scale])?;
        match mask {
            Some(mask) => graph.apply(Mode::CUDNN_POINTWISE_ADD, &[&scores, mask]),
            None => Ok(scores),
        }
    }

    /// Minus infinity where a column is after its row, if those are hidden.
    pub fn hidden(&self, graph: &mut Graph, scores: Node) -> Result<Node, CudaError> {
        if !self.causal {
            return Ok(scores);
        }
        let (sizes, strides) = (&scores.sizes, &row_major(&scores.sizes));
        let mut place = |axis| {
            let place = graph.between(Data::CUDNN_DATA_INT32, sizes, strides)?;
            let mode = Mode::CUDNN_POINTWISE_GEN_INDEX;
            graph.pointwise(mode, Data::CUDNN_DATA_FLOAT, &[&scores], &place, Some(axis))?;
            Ok::<_, CudaError>(place)
        };
        let (row, column) = (place(2)?, place(3)?);
        let boolean = Data::CUDNN_DATA_BOOLEAN;
        let is_seen = graph.between(boolean, sizes, strides)?;
        graph.pointwise(Mode::CUDNN_POINTWISE_CMP_GE, boolean, &[&row, &column], &is_seen, None)?;
        let hidden = graph.scalar(4, f32::NEG_INFINITY)?;
        graph.apply(Mode::CUDNN_POINTWISE_BINARY_SELECT, &[&scores, &hidden, &is_seen])
    }
}

use burn_backend::Operation;
use burn_backend::{
    Attention, Convolution, Elementwise, Index, Layout, Linalg, Normalization, Order, Pooling, Quantized,
    Recurrent, Reduction, Resize, Spectral,
};

/// Family of operations that are checked together: one test of the suite, one row of the support table.
///
/// The variants up to `RecurrentGrad` are those of [`Operation`], in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    Unary,
    Binary,
    BinaryScalar,
    Compare,
    CompareScalar,
    Clamp,
    MaskWhere,
    MaskFill,
    Cast,
    Reshape,
    Permute,
    Expand,
    Flip,
    Slice,
    SliceAssign,
    Cat,
    RepeatDim,
    Reduce,
    ArgReduce,
    ReduceWithIndices,
    Cumulative,
    Sort,
    SortWithIndices,
    TopK,
    Gather,
    Scatter,
    Select,
    SelectAssign,
    Matmul,
    Factorize,
    Lu,
    Solve,
    SolveTriangular,
    Conv,
    ConvTranspose,
    ConvWeightGrad,
    Pool,
    PoolGrad,
    MaxPoolWithIndices,
    AdaptiveAvgPool,
    AdaptiveAvgPoolGrad,
    Fft,
    Softmax,
    LogSoftmax,
    LayerNorm,
    LayerNormGrad,
    Attention,
    AttentionGrad,
    Interpolate,
    InterpolateGrad,
    Quantize,
    Dequantize,
    QuantizedMatmul,
    IntegerMatmul,
    DequantizeBlocks,
    BlockMatmul,
    Recurrent,
    RecurrentGrad,
    /// Which element types there are, and that values come back as they went in.
    DTypes,
    /// `full` and `range`.
    Creation,
    /// Seeds, ranges and moments of random tensors.
    Random,
    /// Coordinates of the true elements.
    Argwhere,
    /// Results that nobody reads, operands that die early.
    Dropped,
    /// Threads that share tensors, finished or not.
    Threads,
}

impl Family {
    pub const ALL: [Family; 64] = {
        use Family::*;
        [
            Unary,
            Binary,
            BinaryScalar,
            Compare,
            CompareScalar,
            Clamp,
            MaskWhere,
            MaskFill,
            Cast,
            Reshape,
            Permute,
            Expand,
            Flip,
            Slice,
            SliceAssign,
            Cat,
            RepeatDim,
            Reduce,
            ArgReduce,
            ReduceWithIndices,
            Cumulative,
            Sort,
            SortWithIndices,
            TopK,
            Gather,
            Scatter,
            Select,
            SelectAssign,
            Matmul,
            Factorize,
            Lu,
            Solve,
            SolveTriangular,
            Conv,
            ConvTranspose,
            ConvWeightGrad,
            Pool,
            PoolGrad,
            MaxPoolWithIndices,
            AdaptiveAvgPool,
            AdaptiveAvgPoolGrad,
            Fft,
            Softmax,
            LogSoftmax,
            LayerNorm,
            LayerNormGrad,
            Attention,
            AttentionGrad,
            Interpolate,
            InterpolateGrad,
            Quantize,
            Dequantize,
            QuantizedMatmul,
            IntegerMatmul,
            DequantizeBlocks,
            BlockMatmul,
            Recurrent,
            RecurrentGrad,
            DTypes,
            Creation,
            Random,
            Argwhere,
            Dropped,
            Threads,
        ]
    };

    /// Those with a variant of [`Operation`].
    pub const OPERATIONS: usize = 56;

    /// The family of a call. A new variant of [`Operation`] does not compile here until it has one, and then
    /// not until it has cases.
    pub fn of<T>(op: &Operation<T>) -> Family {
        match op {
            Operation::Elementwise(Elementwise::Unary { .. }) => Family::Unary,
            Operation::Elementwise(Elementwise::Binary { .. }) => Family::Binary,
            Operation::Elementwise(Elementwise::BinaryScalar { .. }) => Family::BinaryScalar,
            Operation::Elementwise(Elementwise::Compare { .. }) => Family::Compare,
            Operation::Elementwise(Elementwise::CompareScalar { .. }) => Family::CompareScalar,
            Operation::Elementwise(Elementwise::Clamp { .. }) => Family::Clamp,
            Operation::Elementwise(Elementwise::MaskWhere { .. }) => Family::MaskWhere,
            Operation::Elementwise(Elementwise::MaskFill { .. }) => Family::MaskFill,
            Operation::Elementwise(Elementwise::Cast { .. }) => Family::Cast,
            Operation::Layout(Layout::Reshape { .. }) => Family::Reshape,
            Operation::Layout(Layout::Permute { .. }) => Family::Permute,
            Operation::Layout(Layout::Expand { .. }) => Family::Expand,
            Operation::Layout(Layout::Flip { .. }) => Family::Flip,
            Operation::Layout(Layout::Slice { .. }) => Family::Slice,
            Operation::Layout(Layout::SliceAssign { .. }) => Family::SliceAssign,
            Operation::Layout(Layout::Cat { .. }) => Family::Cat,
            Operation::Layout(Layout::RepeatDim { .. }) => Family::RepeatDim,
            Operation::Reduction(Reduction::Reduce { .. }) => Family::Reduce,
            Operation::Reduction(Reduction::ArgReduce { .. }) => Family::ArgReduce,
            Operation::Reduction(Reduction::ReduceWithIndices { .. }) => Family::ReduceWithIndices,
            Operation::Reduction(Reduction::Cumulative { .. }) => Family::Cumulative,
            Operation::Order(Order::Sort { .. }) => Family::Sort,
            Operation::Order(Order::SortWithIndices { .. }) => Family::SortWithIndices,
            Operation::Order(Order::TopK { .. }) => Family::TopK,
            Operation::Index(Index::Gather { .. }) => Family::Gather,
            Operation::Index(Index::Scatter { .. }) => Family::Scatter,
            Operation::Index(Index::Select { .. }) => Family::Select,
            Operation::Index(Index::SelectAssign { .. }) => Family::SelectAssign,
            Operation::Linalg(Linalg::Matmul { .. }) => Family::Matmul,
            Operation::Linalg(Linalg::Factorize { .. }) => Family::Factorize,
            Operation::Linalg(Linalg::Lu { .. }) => Family::Lu,
            Operation::Linalg(Linalg::Solve { .. }) => Family::Solve,
            Operation::Linalg(Linalg::SolveTriangular { .. }) => Family::SolveTriangular,
            Operation::Convolution(Convolution::Conv(_)) => Family::Conv,
            Operation::Convolution(Convolution::ConvTranspose(_)) => Family::ConvTranspose,
            Operation::Convolution(Convolution::ConvWeightGrad(_)) => Family::ConvWeightGrad,
            Operation::Pooling(Pooling::Pool(_)) => Family::Pool,
            Operation::Pooling(Pooling::PoolGrad(_)) => Family::PoolGrad,
            Operation::Pooling(Pooling::MaxPoolWithIndices { .. }) => Family::MaxPoolWithIndices,
            Operation::Pooling(Pooling::AdaptiveAvgPool { .. }) => Family::AdaptiveAvgPool,
            Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { .. }) => Family::AdaptiveAvgPoolGrad,
            Operation::Spectral(Spectral::Fft { .. }) => Family::Fft,
            Operation::Normalization(Normalization::Softmax { .. }) => Family::Softmax,
            Operation::Normalization(Normalization::LogSoftmax { .. }) => Family::LogSoftmax,
            Operation::Normalization(Normalization::LayerNorm(_)) => Family::LayerNorm,
            Operation::Normalization(Normalization::LayerNormGrad(_)) => Family::LayerNormGrad,
            Operation::Attention(Attention::Attention(_)) => Family::Attention,
            Operation::Attention(Attention::AttentionGrad(_)) => Family::AttentionGrad,
            Operation::Resize(Resize::Interpolate { .. }) => Family::Interpolate,
            Operation::Resize(Resize::InterpolateGrad { .. }) => Family::InterpolateGrad,
            Operation::Quantized(Quantized::Quantize(_)) => Family::Quantize,
            Operation::Quantized(Quantized::Dequantize(_)) => Family::Dequantize,
            Operation::Quantized(Quantized::QuantizedMatmul(_)) => Family::QuantizedMatmul,
            Operation::Quantized(Quantized::IntegerMatmul(_)) => Family::IntegerMatmul,
            Operation::Quantized(Quantized::DequantizeBlocks(_)) => Family::DequantizeBlocks,
            Operation::Quantized(Quantized::BlockMatmul(_)) => Family::BlockMatmul,
            Operation::Recurrent(Recurrent::Recurrent(_)) => Family::Recurrent,
            Operation::Recurrent(Recurrent::RecurrentGrad(_)) => Family::RecurrentGrad,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Family;

    #[test]
    fn all_lists_every_family_in_declaration_order() {
        for (position, family) in Family::ALL.into_iter().enumerate() {
            assert_eq!(family as usize, position, "{family:?}");
        }
        assert_eq!(Family::ALL[Family::OPERATIONS - 1], Family::RecurrentGrad);
    }
}

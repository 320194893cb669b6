use burn_backend::Operation;

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
    /// The typed methods of the backend do what `execute` does.
    Calls,
}

impl Family {
    pub const ALL: [Family; 63] = {
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
            Recurrent,
            RecurrentGrad,
            DTypes,
            Creation,
            Random,
            Argwhere,
            Dropped,
            Threads,
            Calls,
        ]
    };

    /// Those with a variant of [`Operation`].
    pub const OPERATIONS: usize = 56;

    /// The family of a call. A new variant of [`Operation`] does not compile here until it has one, and then
    /// not until it has cases.
    pub fn of<T>(op: &Operation<T>) -> Family {
        use Operation::*;
        match op {
            Unary { .. } => Family::Unary,
            Binary { .. } => Family::Binary,
            BinaryScalar { .. } => Family::BinaryScalar,
            Compare { .. } => Family::Compare,
            CompareScalar { .. } => Family::CompareScalar,
            Clamp { .. } => Family::Clamp,
            MaskWhere { .. } => Family::MaskWhere,
            MaskFill { .. } => Family::MaskFill,
            Cast { .. } => Family::Cast,
            Reshape { .. } => Family::Reshape,
            Permute { .. } => Family::Permute,
            Expand { .. } => Family::Expand,
            Flip { .. } => Family::Flip,
            Slice { .. } => Family::Slice,
            SliceAssign { .. } => Family::SliceAssign,
            Cat { .. } => Family::Cat,
            RepeatDim { .. } => Family::RepeatDim,
            Reduce { .. } => Family::Reduce,
            ArgReduce { .. } => Family::ArgReduce,
            ReduceWithIndices { .. } => Family::ReduceWithIndices,
            Cumulative { .. } => Family::Cumulative,
            Sort { .. } => Family::Sort,
            SortWithIndices { .. } => Family::SortWithIndices,
            TopK { .. } => Family::TopK,
            Gather { .. } => Family::Gather,
            Scatter { .. } => Family::Scatter,
            Select { .. } => Family::Select,
            SelectAssign { .. } => Family::SelectAssign,
            Matmul { .. } => Family::Matmul,
            Factorize { .. } => Family::Factorize,
            Lu { .. } => Family::Lu,
            Solve { .. } => Family::Solve,
            SolveTriangular { .. } => Family::SolveTriangular,
            Conv(_) => Family::Conv,
            ConvTranspose(_) => Family::ConvTranspose,
            ConvWeightGrad(_) => Family::ConvWeightGrad,
            Pool(_) => Family::Pool,
            PoolGrad(_) => Family::PoolGrad,
            MaxPoolWithIndices { .. } => Family::MaxPoolWithIndices,
            AdaptiveAvgPool { .. } => Family::AdaptiveAvgPool,
            AdaptiveAvgPoolGrad { .. } => Family::AdaptiveAvgPoolGrad,
            Fft { .. } => Family::Fft,
            Softmax { .. } => Family::Softmax,
            LogSoftmax { .. } => Family::LogSoftmax,
            LayerNorm(_) => Family::LayerNorm,
            LayerNormGrad(_) => Family::LayerNormGrad,
            Attention(_) => Family::Attention,
            AttentionGrad(_) => Family::AttentionGrad,
            Interpolate { .. } => Family::Interpolate,
            InterpolateGrad { .. } => Family::InterpolateGrad,
            Quantize(_) => Family::Quantize,
            Dequantize(_) => Family::Dequantize,
            QuantizedMatmul(_) => Family::QuantizedMatmul,
            IntegerMatmul(_) => Family::IntegerMatmul,
            Recurrent(_) => Family::Recurrent,
            RecurrentGrad(_) => Family::RecurrentGrad,
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

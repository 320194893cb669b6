/// Calls a macro with every operation of the suite, in the order of [`Operation`](burn_backend::Operation):
/// the name of its test, its [`Family`](crate::Family), the family of `burn-ir` that its variant is in, and
/// its checks.
///
/// This is the one list of them: the families, the tests of a backend and all sweeps are made from
/// it.
#[doc(hidden)]
#[macro_export]
macro_rules! each_operation {
    ($($macro:tt)::+ { $($before:tt)* }) => {
        $($macro)::+! {
            $($before)*
            operations {
                unary Unary = Elementwise, elementwise::UnaryChecks;
                binary Binary = Elementwise, elementwise::BinaryChecks;
                binary_scalar BinaryScalar = Elementwise, elementwise::BinaryScalarChecks;
                compare Compare = Elementwise, compare::CompareChecks;
                compare_scalar CompareScalar = Elementwise, compare::CompareScalarChecks;
                clamp Clamp = Elementwise, elementwise::ClampChecks;
                mask_where MaskWhere = Elementwise, mask::MaskWhereChecks;
                mask_fill MaskFill = Elementwise, mask::MaskFillChecks;
                cast Cast = Elementwise, elementwise::CastChecks;
                reshape Reshape = Layout, layout::ReshapeChecks;
                permute Permute = Layout, layout::PermuteChecks;
                expand Expand = Layout, layout::ExpandChecks;
                flip Flip = Layout, layout::FlipChecks;
                slice Slice = Layout, layout::SliceChecks;
                slice_assign SliceAssign = Layout, layout::SliceAssignChecks;
                cat Cat = Layout, layout::CatChecks;
                repeat_dim RepeatDim = Layout, layout::RepeatDimChecks;
                reduce Reduce = Reduction, reduce::ReduceChecks;
                arg_reduce ArgReduce = Reduction, order::ArgReduceChecks;
                reduce_with_indices ReduceWithIndices = Reduction, order::ReduceWithIndicesChecks;
                cumulative Cumulative = Reduction, reduce::CumulativeChecks;
                sort Sort = Order, order::SortChecks;
                sort_with_indices SortWithIndices = Order, order::SortWithIndicesChecks;
                topk TopK = Order, order::TopKChecks;
                gather Gather = Index, index::GatherChecks;
                scatter Scatter = Index, index::ScatterChecks;
                select Select = Index, index::SelectChecks;
                select_assign SelectAssign = Index, index::SelectAssignChecks;
                matmul Matmul = Linalg, matmul::MatmulChecks;
                factorize Factorize = Linalg, linalg::FactorizeChecks;
                lu Lu = Linalg, linalg::LuChecks;
                solve Solve = Linalg, linalg::SolveChecks;
                solve_triangular SolveTriangular = Linalg, linalg::SolveTriangularChecks;
                conv Conv = Convolution, conv::ConvChecks;
                conv_transpose ConvTranspose = Convolution, conv::ConvTransposeChecks;
                conv_weight_grad ConvWeightGrad = Convolution, conv::ConvWeightGradChecks;
                pool Pool = Pooling, pool::PoolChecks;
                pool_grad PoolGrad = Pooling, pool::PoolGradChecks;
                max_pool_with_indices MaxPoolWithIndices = Pooling, pool::MaxPoolWithIndicesChecks;
                adaptive_avg_pool AdaptiveAvgPool = Pooling, pool::AdaptiveAvgPoolChecks;
                adaptive_avg_pool_grad AdaptiveAvgPoolGrad = Pooling, pool::AdaptiveAvgPoolGradChecks;
                fft Fft = Spectral, fft::FftChecks;
                softmax Softmax = Normalization, softmax::SoftmaxChecks;
                log_softmax LogSoftmax = Normalization, softmax::LogSoftmaxChecks;
                layer_norm LayerNorm = Normalization, norm::LayerNormChecks;
                layer_norm_grad LayerNormGrad = Normalization, norm::LayerNormGradChecks;
                attention Attention = Attention, attention::AttentionChecks;
                attention_grad AttentionGrad = Attention, attention::AttentionGradChecks;
                interpolate Interpolate = Resize, interpolate::InterpolateChecks;
                interpolate_grad InterpolateGrad = Resize, interpolate::InterpolateGradChecks;
                quantize Quantize = Quantized, quantization::QuantizeChecks;
                dequantize Dequantize = Quantized, quantization::DequantizeChecks;
                quantized_matmul QuantizedMatmul = Quantized, quantized_product::QuantizedMatmulChecks;
                integer_matmul IntegerMatmul = Quantized, quantized_product::IntegerMatmulChecks;
                dequantize_blocks DequantizeBlocks = Quantized, block_format::DequantizeBlocksChecks;
                block_matmul BlockMatmul = Quantized, block_format::BlockMatmulChecks;
                recurrent Recurrent = Recurrent, recurrent::RecurrentChecks;
                recurrent_grad RecurrentGrad = Recurrent, recurrent::RecurrentGradChecks;
            }
        }
    };
}

/// Calls a macro with every operation of the suite, in the order of [`Operation`](burn_backend::Operation):
/// the name of its test, its [`Family`](crate::Family), the family of `burn-ir` that its variant is in, its
/// checks, and the fields of the variant, which are the arguments of its definition.
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
                unary Unary = Elementwise, elementwise::UnaryChecks { op, x };
                binary Binary = Elementwise, binary::BinaryChecks { op, lhs, rhs };
                binary_scalar BinaryScalar = Elementwise, binary::BinaryScalarChecks { op, lhs, rhs };
                compare Compare = Elementwise, compare::CompareChecks { op, lhs, rhs };
                compare_scalar CompareScalar = Elementwise, compare::CompareScalarChecks { op, lhs, rhs };
                clamp Clamp = Elementwise, elementwise::ClampChecks { x, min, max };
                mask_where MaskWhere = Elementwise, mask::MaskWhereChecks { mask, on, off };
                mask_fill MaskFill = Elementwise, mask::MaskFillChecks { x, mask, value };
                cast Cast = Elementwise, elementwise::CastChecks { x, dtype };
                reshape Reshape = Layout, layout::ReshapeChecks { x, shape };
                permute Permute = Layout, layout::PermuteChecks { x, axes };
                expand Expand = Layout, layout::ExpandChecks { x, shape };
                flip Flip = Layout, layout::FlipChecks { x, axes };
                slice Slice = Layout, layout::SliceChecks { x, slices };
                slice_assign SliceAssign = Layout, layout::SliceAssignChecks { x, slices, value };
                cat Cat = Layout, layout::CatChecks { xs, dim };
                repeat_dim RepeatDim = Layout, layout::RepeatDimChecks { x, dim, times };
                reduce Reduce = Reduction, reduce::ReduceChecks { op, x, dims };
                arg_reduce ArgReduce = Reduction, order::ArgReduceChecks { op, x, dim, index };
                reduce_with_indices ReduceWithIndices = Reduction, order::ReduceWithIndicesChecks { op, x, dim, index };
                cumulative Cumulative = Reduction, reduce::CumulativeChecks { op, x, dim };
                sort Sort = Order, order::SortChecks { x, dim, descending };
                sort_with_indices SortWithIndices = Order, order::SortWithIndicesChecks { x, dim, descending, index };
                topk TopK = Order, order::TopKChecks { x, k, dim, largest, index };
                gather Gather = Index, index::GatherChecks { x, dim, indices };
                scatter Scatter = Index, index::ScatterChecks { x, dim, indices, value, update };
                select Select = Index, index::SelectChecks { x, dim, indices };
                select_assign SelectAssign = Index, index::SelectAssignChecks { x, dim, indices, value, update };
                matmul Matmul = Linalg, matmul::MatmulChecks { lhs, rhs };
                factorize Factorize = Linalg, linalg::FactorizeChecks { op, x };
                lu Lu = Linalg, linalg::LuChecks { x, index };
                solve Solve = Linalg, linalg::SolveChecks { a, b };
                solve_triangular SolveTriangular = Linalg, linalg::SolveTriangularChecks { a, b, triangle };
                conv Conv = Convolution, conv::ConvChecks(args);
                conv_transpose ConvTranspose = Convolution, conv::ConvTransposeChecks(args);
                conv_weight_grad ConvWeightGrad = Convolution, conv::ConvWeightGradChecks(args);
                pool Pool = Pooling, pool::PoolChecks(args);
                pool_grad PoolGrad = Pooling, pool::PoolGradChecks(args);
                max_pool_with_indices MaxPoolWithIndices = Pooling, pool::MaxPoolWithIndicesChecks { x, options, index };
                adaptive_avg_pool AdaptiveAvgPool = Pooling, pool::AdaptiveAvgPoolChecks { x, size };
                adaptive_avg_pool_grad AdaptiveAvgPoolGrad = Pooling, pool::AdaptiveAvgPoolGradChecks { grad, target };
                fft Fft = Spectral, fft::FftChecks { op, x, dim };
                softmax Softmax = Normalization, softmax::SoftmaxChecks { x, dim };
                log_softmax LogSoftmax = Normalization, softmax::LogSoftmaxChecks { x, dim };
                layer_norm LayerNorm = Normalization, norm::LayerNormChecks(args);
                layer_norm_grad LayerNormGrad = Normalization, norm::LayerNormGradChecks(args);
                attention Attention = Attention, attention::AttentionChecks(args);
                attention_grad AttentionGrad = Attention, attention::AttentionGradChecks(args);
                quantized_attention QuantizedAttention = Attention, quantized_attention::QuantizedAttentionChecks(args);
                cached_attention CachedAttention = Attention, cached_attention::CachedAttentionChecks(args);
                interpolate Interpolate = Resize, interpolate::InterpolateChecks { x, size, options };
                interpolate_grad InterpolateGrad = Resize, interpolate::InterpolateGradChecks { grad, target, options };
                quantize Quantize = Quantized, quantization::QuantizeChecks(args);
                dequantize Dequantize = Quantized, quantization::DequantizeChecks(x);
                quantized_matmul QuantizedMatmul = Quantized, quantized_product::QuantizedMatmulChecks(args);
                integer_matmul IntegerMatmul = Quantized, quantized_product::IntegerMatmulChecks(args);
                dequantize_blocks DequantizeBlocks = Quantized, block_format::DequantizeBlocksChecks(x);
                block_matmul BlockMatmul = Quantized, block_format::BlockMatmulChecks(args);
                recurrent Recurrent = Recurrent, recurrent::RecurrentChecks(args);
                recurrent_grad RecurrentGrad = Recurrent, recurrent::RecurrentGradChecks(args);
            }
        }
    };
}

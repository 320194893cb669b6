//! Methods of a leaf that are compositions.

/// Methods of [`Backend`](crate::Backend), by name, that call the function of that name in
/// [`reference`](crate::reference). They stand in the implementation of a leaf:
///
/// ```text
/// impl Backend for MyBackend {
///     burn_backend::by_reference!(softmax, log_softmax, conv);
///     ...
/// }
/// ```
///
/// Those of [linear algebra](crate::reference::factorize) want a function that reads a tensor, and stand alone with it:
/// `by_reference!(read: factorize, lu, solve, solve_triangular)`.
///
/// Only the named methods are implemented by composition: the compiler demands those that a leaf neither
/// wrote nor named.
#[macro_export]
macro_rules! by_reference {
    (@method binary_scalar) => {
        fn binary_scalar(op: $crate::BinaryOp, lhs: Self::Tensor, rhs: $crate::Scalar) -> Self::Tensor {
            $crate::reference::binary_scalar::<Self>(op, lhs, rhs)
        }
    };
    (@method compare_scalar) => {
        fn compare_scalar(op: $crate::CompareOp, lhs: Self::Tensor, rhs: $crate::Scalar) -> Self::Tensor {
            $crate::reference::compare_scalar::<Self>(op, lhs, rhs)
        }
    };
    (@method clamp) => {
        fn clamp(x: Self::Tensor, min: Option<$crate::Scalar>, max: Option<$crate::Scalar>) -> Self::Tensor {
            $crate::reference::clamp::<Self>(x, min, max)
        }
    };
    (@method mask_fill) => {
        #[track_caller]
        fn mask_fill(x: Self::Tensor, mask: Self::Tensor, value: $crate::Scalar) -> Self::Tensor {
            $crate::reference::mask_fill::<Self>(x, mask, value)
        }
    };
    (@method flip) => {
        fn flip(x: Self::Tensor, axes: $crate::Dims) -> Self::Tensor {
            $crate::reference::flip::<Self>(x, axes)
        }
    };
    (@method repeat_dim) => {
        fn repeat_dim(x: Self::Tensor, dim: usize, times: usize) -> Self::Tensor {
            $crate::reference::repeat_dim::<Self>(x, dim, times)
        }
    };
    (@method arg_reduce) => {
        fn arg_reduce(
            op: $crate::Extremum,
            x: Self::Tensor,
            dim: usize,
            index: $crate::DType,
        ) -> Self::Tensor {
            $crate::reference::arg_reduce::<Self>(op, x, dim, index)
        }
    };
    (@method sort) => {
        fn sort(x: Self::Tensor, dim: usize, descending: bool) -> Self::Tensor {
            $crate::reference::sort::<Self>(x, dim, descending)
        }
    };
    (@method topk) => {
        fn topk(
            x: Self::Tensor,
            k: usize,
            dim: usize,
            largest: bool,
            index: $crate::DType,
        ) -> (Self::Tensor, Self::Tensor) {
            $crate::reference::topk::<Self>(x, k, dim, largest, index)
        }
    };
    (@method select) => {
        #[track_caller]
        fn select(x: Self::Tensor, dim: usize, indices: Self::Tensor) -> Self::Tensor {
            $crate::reference::select::<Self>(x, dim, indices)
        }
    };
    (@method select_assign) => {
        #[track_caller]
        fn select_assign(
            x: Self::Tensor,
            dim: usize,
            indices: Self::Tensor,
            value: Self::Tensor,
            update: $crate::IndexUpdate,
        ) -> Self::Tensor {
            $crate::reference::select_assign::<Self>(x, dim, indices, value, update)
        }
    };
    (@method conv) => {
        #[track_caller]
        fn conv(args: $crate::ConvArgs<Self::Tensor>) -> Self::Tensor {
            $crate::reference::conv::<Self>(args)
        }
    };
    (@method conv_transpose) => {
        #[track_caller]
        fn conv_transpose(args: $crate::ConvGradArgs<Self::Tensor>) -> Self::Tensor {
            $crate::reference::conv_transpose::<Self>(args)
        }
    };
    (@method conv_weight_grad) => {
        #[track_caller]
        fn conv_weight_grad(args: $crate::ConvGradArgs<Self::Tensor>) -> Self::Tensor {
            $crate::reference::conv_weight_grad::<Self>(args)
        }
    };
    (@method pool) => {
        fn pool(args: $crate::PoolArgs<Self::Tensor>) -> Self::Tensor {
            $crate::reference::pool::<Self>(args)
        }
    };
    (@method pool_grad) => {
        #[track_caller]
        fn pool_grad(args: $crate::PoolGradArgs<Self::Tensor>) -> Self::Tensor {
            $crate::reference::pool_grad::<Self>(args)
        }
    };
    (@method max_pool_with_indices) => {
        fn max_pool_with_indices(
            x: Self::Tensor,
            options: $crate::PoolOptions,
            index: $crate::DType,
        ) -> (Self::Tensor, Self::Tensor) {
            $crate::reference::max_pool_with_indices::<Self>(x, options, index)
        }
    };
    (@method adaptive_avg_pool) => {
        fn adaptive_avg_pool(x: Self::Tensor, size: $crate::Dims) -> Self::Tensor {
            $crate::reference::adaptive_avg_pool::<Self>(x, size)
        }
    };
    (@method adaptive_avg_pool_grad) => {
        fn adaptive_avg_pool_grad(grad: Self::Tensor, target: $crate::Shape) -> Self::Tensor {
            $crate::reference::adaptive_avg_pool_grad::<Self>(grad, target)
        }
    };
    (@method interpolate) => {
        fn interpolate(
            x: Self::Tensor,
            size: $crate::Dims,
            options: $crate::Interpolation,
        ) -> Self::Tensor {
            $crate::reference::interpolate::<Self>(x, &size, &options)
        }
    };
    (@method interpolate_grad) => {
        fn interpolate_grad(
            grad: Self::Tensor,
            target: $crate::Shape,
            options: $crate::Interpolation,
        ) -> Self::Tensor {
            $crate::reference::interpolate_grad::<Self>(grad, &target, &options)
        }
    };
    (@method fft) => {
        fn fft(op: $crate::FftOp, x: Self::Tensor, dim: usize) -> Self::Tensor {
            $crate::reference::fft::<Self>(op, x, dim)
        }
    };
    (@method run_block) => {
        #[track_caller]
        fn run_block(block: $crate::Block<Self::Tensor>) -> $crate::around::Vec<Self::Tensor> {
            $crate::reference::run_block::<Self>(block)
        }
    };
    (@method softmax) => {
        fn softmax(x: Self::Tensor, dim: usize) -> Self::Tensor {
            $crate::reference::softmax::<Self>(x, dim)
        }
    };
    (@method log_softmax) => {
        fn log_softmax(x: Self::Tensor, dim: usize) -> Self::Tensor {
            $crate::reference::log_softmax::<Self>(x, dim)
        }
    };
    (@method layer_norm) => {
        #[track_caller]
        fn layer_norm(args: $crate::LayerNormArgs<Self::Tensor>) -> Self::Tensor {
            $crate::reference::layer_norm::<Self>(args)
        }
    };
    (@method layer_norm_grad) => {
        #[track_caller]
        fn layer_norm_grad(args: $crate::LayerNormGradArgs<Self::Tensor>) -> Self::Tensor {
            $crate::reference::layer_norm_grad::<Self>(args)
        }
    };
    (@method attention) => {
        fn attention(args: $crate::AttentionArgs<Self::Tensor>) -> (Self::Tensor, Self::Tensor) {
            $crate::reference::attention::<Self>(args)
        }
    };
    (@method attention_grad) => {
        fn attention_grad(
            args: $crate::AttentionGradArgs<Self::Tensor>,
        ) -> (Self::Tensor, Self::Tensor, Self::Tensor) {
            $crate::reference::attention_grad::<Self>(args)
        }
    };
    (@method recurrent) => {
        fn recurrent(args: $crate::RecurrentArgs<Self::Tensor>) -> (Self::Tensor, Self::Tensor) {
            $crate::reference::recurrent::<Self>(args)
        }
    };
    (@method recurrent_grad) => {
        fn recurrent_grad(args: $crate::RecurrentGradArgs<Self::Tensor>) -> (Self::Tensor, Self::Tensor) {
            $crate::reference::recurrent_grad::<Self>(args)
        }
    };
    (@method quantize) => {
        #[track_caller]
        fn quantize(args: $crate::QuantizeArgs<Self::Tensor>) -> Self::Tensor {
            $crate::reference::quantize::<Self>(args)
        }
    };
    (@method dequantize) => {
        #[track_caller]
        fn dequantize(x: $crate::Packed<Self::Tensor>) -> Self::Tensor {
            $crate::reference::dequantize::<Self>(x)
        }
    };
    (@method quantized_matmul) => {
        #[track_caller]
        fn quantized_matmul(args: $crate::QuantizedMatmulArgs<Self::Tensor>) -> Self::Tensor {
            $crate::reference::quantized_matmul::<Self>(args)
        }
    };
    (@method integer_matmul) => {
        #[track_caller]
        fn integer_matmul(args: $crate::IntegerMatmulArgs<Self::Tensor>) -> Self::Tensor {
            $crate::reference::integer_matmul::<Self>(args)
        }
    };
    (@method factorize $read:ident) => {
        fn factorize(op: $crate::Factorization, x: Self::Tensor) -> Self::Tensor {
            $crate::reference::factorize::<Self>(op, x, $read)
        }
    };
    (@method lu $read:ident) => {
        fn lu(x: Self::Tensor, index: $crate::DType) -> (Self::Tensor, Self::Tensor) {
            $crate::reference::lu::<Self>(x, index, $read)
        }
    };
    (@method solve $read:ident) => {
        #[track_caller]
        fn solve(a: Self::Tensor, b: Self::Tensor) -> Self::Tensor {
            $crate::reference::solve::<Self>(a, b, $read)
        }
    };
    (@method solve_triangular $read:ident) => {
        #[track_caller]
        fn solve_triangular(a: Self::Tensor, b: Self::Tensor, triangle: $crate::Triangle) -> Self::Tensor {
            $crate::reference::solve_triangular::<Self>(a, b, triangle, $read)
        }
    };
    ($read:ident: $($name:ident),+ $(,)?) => {
        $($crate::by_reference!(@method $name $read);)+
    };
    ($($name:ident),+ $(,)?) => {
        $($crate::by_reference!(@method $name);)+
    };
}

use crate::{Backend, BoolTensor, Device, FloatTensor, IntTensor};
use alloc::vec::Vec;
use burn_ir::*;

/// Methods that are a family and a variant.
macro_rules! named {
    (unary: $($name:ident $op:ident),*) => {$(
        #[doc = concat!("See [`UnaryOp::", stringify!($op), "`].")]
        fn $name(x: B::Tensor) -> B::Tensor {
            B::unary(UnaryOp::$op, x)
        }
    )*};
    (binary: $($name:ident $op:ident),*) => {$(
        #[doc = concat!("See [`BinaryOp::", stringify!($op), "`].")]
        fn $name(lhs: B::Tensor, rhs: B::Tensor) -> B::Tensor {
            B::binary(BinaryOp::$op, lhs, rhs)
        }
    )*};
    (scalar: $($name:ident $op:ident),*) => {$(
        #[doc = concat!("See [`BinaryOp::", stringify!($op), "`].")]
        fn $name(lhs: B::Tensor, rhs: Scalar) -> B::Tensor {
            B::binary_scalar(BinaryOp::$op, lhs, rhs)
        }
    )*};
    (compare: $($name:ident $op:ident),*) => {$(
        #[doc = concat!("See [`CompareOp::", stringify!($op), "`].")]
        fn $name(lhs: B::Tensor, rhs: B::Tensor) -> BoolTensor<B> {
            B::compare(CompareOp::$op, lhs, rhs)
        }
    )*};
    (compare_scalar: $($name:ident $op:ident),*) => {$(
        #[doc = concat!("See [`CompareOp::", stringify!($op), "`].")]
        fn $name(lhs: B::Tensor, rhs: Scalar) -> BoolTensor<B> {
            B::compare_scalar(CompareOp::$op, lhs, rhs)
        }
    )*};
    (reduce: $($name:ident $op:ident),*) => {$(
        #[doc = concat!("See [`ReduceOp::", stringify!($op), "`]; the dimension stays with size 1.")]
        fn $name(x: B::Tensor, dim: usize) -> B::Tensor {
            B::reduce(ReduceOp::$op, x, Dims::from([dim]))
        }
    )*};
    (reduce_all: $($name:ident $op:ident),*) => {$(
        #[doc = concat!("See [`ReduceOp::", stringify!($op), "`]; of all elements, shape `[1]`.")]
        fn $name(x: B::Tensor) -> B::Tensor {
            let all = (0..x.spec().shape.rank()).collect();
            B::reshape(B::reduce(ReduceOp::$op, x, all), Shape::from([1]))
        }
    )*};
}

/// Typed calls of operations, for authors of layers and kernels: `B::matmul(..)` and `B::float_matmul(..)`
/// wherever `B: Backend`.
///
/// Each variant of a family of [`Operation`] has one function, which executes it. The functions by kind and
/// name, as `float_matmul`, are short forms of these. Every backend has this trait, and no type can implement
/// it by itself.
pub trait TypedCalls<B: Backend> {
    elementwise_calls!();
    layout_calls!();
    reduction_calls!();
    order_calls!();
    index_calls!();
    linalg_calls!();
    convolution_calls!();
    pooling_calls!();
    resize_calls!();
    spectral_calls!();
    normalization_calls!();
    attention_calls!();
    quantized_calls!();
    recurrent_calls!();

    /// Executes [`Creation::Data`]: copies elements from the host.
    fn from_data(data: TensorData, device: &Device<B>) -> B::Tensor {
        B::create(Creation::Data(data), device)
    }
    /// Executes [`Creation::Full`].
    fn full(spec: TensorSpec, value: Scalar, device: &Device<B>) -> B::Tensor {
        B::create(Creation::Full { spec, value }, device)
    }
    /// Executes [`Creation::Range`].
    fn range(spec: TensorSpec, start: Scalar, step: Scalar, device: &Device<B>) -> B::Tensor {
        B::create(Creation::Range { spec, start, step }, device)
    }
    /// Executes [`Creation::Random`].
    fn random(spec: TensorSpec, distribution: Distribution, device: &Device<B>) -> B::Tensor {
        B::create(Creation::Random { spec, distribution }, device)
    }

    /// [`Backend::seed`], where one device is meant; the generator is that of the whole backend.
    fn seed_device(_device: &Device<B>, seed: u64) {
        B::seed(seed);
    }
    fn float_shape(x: &FloatTensor<B>) -> Shape {
        x.shape()
    }
    fn int_shape(x: &IntTensor<B>) -> Shape {
        x.shape()
    }
    fn bool_shape(x: &BoolTensor<B>) -> Shape {
        x.shape()
    }
    fn float_device(x: &FloatTensor<B>) -> Device<B> {
        B::device(x)
    }
    fn int_device(x: &IntTensor<B>) -> Device<B> {
        B::device(x)
    }
    fn bool_device(x: &BoolTensor<B>) -> Device<B> {
        B::device(x)
    }
    fn float_from_data(data: TensorData, device: &Device<B>) -> FloatTensor<B> {
        B::from_data(data, device)
    }
    fn int_from_data(data: TensorData, device: &Device<B>) -> IntTensor<B> {
        B::from_data(data, device)
    }
    fn float_zeros(shape: Shape, device: &Device<B>) -> FloatTensor<B> {
        B::full(TensorSpec { shape, dtype: B::FloatElem::DTYPE }, Scalar::Int(0), device)
    }
    fn float_ones(shape: Shape, device: &Device<B>) -> FloatTensor<B> {
        B::full(TensorSpec { shape, dtype: B::FloatElem::DTYPE }, Scalar::Int(1), device)
    }
    fn int_zeros(shape: Shape, device: &Device<B>) -> IntTensor<B> {
        B::full(TensorSpec { shape, dtype: B::IntElem::DTYPE }, Scalar::Int(0), device)
    }
    fn float_matmul(lhs: FloatTensor<B>, rhs: FloatTensor<B>) -> FloatTensor<B> {
        B::matmul(lhs, rhs)
    }
    /// Swaps the two last dimensions.
    fn float_transpose(x: FloatTensor<B>) -> FloatTensor<B> {
        let rank = x.spec().shape.rank();
        B::float_swap_dims(x, rank - 1, rank - 2)
    }
    fn float_swap_dims(x: FloatTensor<B>, first: usize, second: usize) -> FloatTensor<B> {
        let mut axes: Dims = (0..x.spec().shape.rank()).collect();
        axes.swap(first, second);
        B::permute(x, axes)
    }
    fn float_reshape(x: FloatTensor<B>, shape: Shape) -> FloatTensor<B> {
        B::reshape(x, shape)
    }
    fn int_reshape(x: IntTensor<B>, shape: Shape) -> IntTensor<B> {
        B::reshape(x, shape)
    }
    fn float_expand(x: FloatTensor<B>, shape: Shape) -> FloatTensor<B> {
        B::expand(x, shape)
    }
    fn float_slice(x: FloatTensor<B>, slices: Slices) -> FloatTensor<B> {
        B::slice(x, slices)
    }
    fn float_cat(xs: Vec<FloatTensor<B>>, dim: usize) -> FloatTensor<B> {
        B::cat(xs, dim)
    }
    fn float_gather(dim: usize, x: FloatTensor<B>, indices: IntTensor<B>) -> FloatTensor<B> {
        B::gather(x, dim, indices)
    }
    fn float_select(x: FloatTensor<B>, dim: usize, indices: IntTensor<B>) -> FloatTensor<B> {
        B::select(x, dim, indices)
    }
    fn float_mask_where(x: FloatTensor<B>, mask: BoolTensor<B>, value: FloatTensor<B>) -> FloatTensor<B> {
        B::mask_where(mask, value, x)
    }
    fn float_mask_fill(x: FloatTensor<B>, mask: BoolTensor<B>, value: Scalar) -> FloatTensor<B> {
        B::mask_fill(x, mask, value)
    }
    fn float_argmax(x: FloatTensor<B>, dim: usize) -> IntTensor<B> {
        B::arg_reduce(Extremum::Max, x, dim, B::IntElem::DTYPE)
    }
    fn float_into_int(x: FloatTensor<B>) -> IntTensor<B> {
        B::cast(x, B::IntElem::DTYPE)
    }
    fn int_into_float(x: IntTensor<B>) -> FloatTensor<B> {
        B::cast(x, B::FloatElem::DTYPE)
    }
    fn bool_into_float(x: BoolTensor<B>) -> FloatTensor<B> {
        B::cast(x, B::FloatElem::DTYPE)
    }
    fn bool_into_int(x: BoolTensor<B>) -> IntTensor<B> {
        B::cast(x, B::IntElem::DTYPE)
    }
    fn bool_not(x: BoolTensor<B>) -> BoolTensor<B> {
        B::unary(UnaryOp::Not, x)
    }
    fn float_powf_scalar(x: FloatTensor<B>, exponent: f64) -> FloatTensor<B> {
        B::binary_scalar(BinaryOp::Pow, x, Scalar::Float(exponent))
    }
    fn float_clamp(x: FloatTensor<B>, min: Scalar, max: Scalar) -> FloatTensor<B> {
        B::clamp(x, Some(min), Some(max))
    }
    fn relu(x: FloatTensor<B>) -> FloatTensor<B> {
        B::unary(UnaryOp::Relu, x)
    }
    /// Computes the gradient of relu: 0 where the output of [`TypedCalls::relu`] is 0, else `grad`, also
    /// where it is NaN.
    fn relu_backward(output: FloatTensor<B>, grad: FloatTensor<B>) -> FloatTensor<B> {
        B::binary(BinaryOp::ReluGrad, output, grad)
    }

    named!(unary: float_neg Neg, float_abs Abs, float_exp Exp, float_log Log, float_log1p Log1p,
        float_sqrt Sqrt, float_recip Recip, float_sin Sin, float_cos Cos, float_tanh Tanh, float_asinh Asinh,
        float_acosh Acosh, float_atanh Atanh, float_erf Erf,
        float_floor Floor, float_ceil Ceil, float_round Round, sigmoid Sigmoid, gelu Gelu);
    named!(binary: float_add Add, float_sub Sub, float_mul Mul, float_div Div, float_remainder Remainder,
        float_fmod Fmod, float_powf Pow, float_hypot Hypot);
    named!(scalar: float_add_scalar Add, float_sub_scalar Sub, float_mul_scalar Mul, float_div_scalar Div);
    named!(compare: float_equal Equal, float_greater Greater, float_greater_equal GreaterEqual,
        float_lower Less, float_lower_equal LessEqual);
    named!(compare_scalar: float_equal_elem Equal, float_greater_elem Greater,
        float_greater_equal_elem GreaterEqual, float_lower_elem Less, float_lower_equal_elem LessEqual);
    named!(reduce: float_sum_dim Sum, float_mean_dim Mean, float_prod_dim Prod, float_max_dim Max,
        float_min_dim Min);
    named!(reduce_all: float_sum Sum, float_mean Mean, float_prod Prod, float_max Max, float_min Min);
    named!(binary: int_add Add, int_sub Sub, int_mul Mul, int_div Div, int_remainder Remainder,
        bitwise_and And, bitwise_or Or, bitwise_xor Xor, bitwise_left_shift ShiftLeft, bitwise_right_shift ShiftRight);
    named!(scalar: int_add_scalar Add, int_sub_scalar Sub, int_mul_scalar Mul, int_div_scalar Div,
        bitwise_and_scalar And, bitwise_or_scalar Or, bitwise_xor_scalar Xor, bitwise_left_shift_scalar ShiftLeft,
        bitwise_right_shift_scalar ShiftRight);
    named!(unary: bitwise_not Not);
    named!(compare: int_equal Equal, int_greater Greater, int_lower Less);
    named!(binary: bool_and And, bool_or Or, bool_xor Xor);
}

impl<B: Backend> TypedCalls<B> for B {}

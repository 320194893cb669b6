use crate::library::Torch;
use crate::{
    LibTorchDevice, TchTensor, arg_reduce, attention, binary, block, cast, compare, conv, create, cumulative,
    fft, index, interpolate, layer_norm, layout, linalg, mask, matmul, object, pool, random, reduce, scatter,
    softmax, sort, unary,
};
use burn_backend::dynamic::BackendObject;
use burn_backend::*;
use burn_foreign::Library;
use std::marker::PhantomData;

/// The leaf over LibTorch. `E` is the default element type of floats; tensors may have others.
///
/// ```
/// use burn::backend::LibTorch;
/// use burn::tensor::Tensor;
///
/// let x = Tensor::<LibTorch, 1>::from_data([1.0, 2.0], &Default::default());
/// assert_eq!((x.clone() + x).into_data().to_f64(), [2.0, 4.0]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LibTorch<E = f32>(PhantomData<E>);

/// Element type that LibTorch has floats of: a default element type of [`LibTorch`].
pub trait TchElement: Element {
    /// The type as `tch` names it.
    const KIND: tch::Kind;
}

impl TchElement for f64 {
    const KIND: tch::Kind = tch::Kind::Double;
}
impl TchElement for f32 {
    const KIND: tch::Kind = tch::Kind::Float;
}
impl TchElement for f16 {
    const KIND: tch::Kind = tch::Kind::Half;
}
impl TchElement for bf16 {
    const KIND: tch::Kind = tch::Kind::BFloat16;
}

/// The leaf that compositions are made on: kernels know no default element types.
pub type Leaf = LibTorch<f32>;

/// Methods that are compositions of others, which are told to who measures.
macro_rules! compositions {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {$(
        #[track_caller]
        fn $name($($argument: $ty),*) -> $result {
            kernels::ran(|| concat!("composition ", stringify!($name)).into());
            reference::$name::<Leaf>($($argument),*)
        }
    )*};
}

impl<E: TchElement> Backend for LibTorch<E> {
    type Device = LibTorchDevice;
    type Tensor = TchTensor;
    type FloatElem = E;
    type IntElem = i64;

    fn execute(op: Operation<TchTensor>) -> Outputs<TchTensor> {
        object::execute(op)
    }
    fn object() -> &'static dyn BackendObject {
        object::object()
    }
    fn name(_device: &LibTorchDevice) -> String {
        "libtorch".into()
    }
    fn has_dtype(device: &LibTorchDevice, dtype: DType) -> bool {
        Torch::has_dtype(*device, dtype)
    }
    fn seed(seed: u64) {
        random::seed(seed);
    }
    fn sync(device: &LibTorchDevice) {
        match device.to_tch() {
            Ok(tch::Device::Cuda(number)) => tch::Cuda::synchronize(number as i64),
            // Reads wait there; the processor computes at once.
            Ok(tch::Device::Cpu | tch::Device::Mps | tch::Device::Vulkan) => {}
            Err(error) => burn_foreign::refuse("sync", error),
        }
    }
    fn device(x: &TchTensor) -> LibTorchDevice {
        x.device()
    }
    fn to_device(x: TchTensor, device: &LibTorchDevice) -> TchTensor {
        layout::to_device(x, *device)
    }
    async fn into_data(x: TchTensor) -> Result<TensorData, DataError> {
        create::into_data(x)
    }
    fn tracks_gradients(_device: &LibTorchDevice) -> bool {
        false
    }
    fn set_require_grad(x: TchTensor, _require_grad: bool) -> TchTensor {
        x
    }
    fn is_require_grad(_x: &TchTensor) -> bool {
        false
    }
    fn detach(x: TchTensor) -> TchTensor {
        x
    }
    fn checkpoint(segment: Segment<TchTensor>, inputs: Vec<TchTensor>) -> Vec<TchTensor> {
        segment(inputs)
    }
    fn linear_map(map: LinearMapRef, x: TchTensor) -> Result<TchTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }

    fn from_data(data: TensorData, device: &LibTorchDevice) -> TchTensor {
        create::from_data(&data, *device)
    }
    fn full(spec: TensorSpec, value: Scalar, device: &LibTorchDevice) -> TchTensor {
        create::full(spec, value, *device)
    }
    fn range(spec: TensorSpec, start: Scalar, step: Scalar, device: &LibTorchDevice) -> TchTensor {
        create::range(spec, start, step, *device)
    }
    fn random(spec: TensorSpec, distribution: Distribution, device: &LibTorchDevice) -> TchTensor {
        random::random(spec, distribution, *device)
    }

    fn unary(op: UnaryOp, x: TchTensor) -> TchTensor {
        unary::unary(op, x)
    }
    fn binary(op: BinaryOp, lhs: TchTensor, rhs: TchTensor) -> TchTensor {
        binary::binary(op, lhs, rhs)
    }
    fn compare(op: CompareOp, lhs: TchTensor, rhs: TchTensor) -> TchTensor {
        compare::compare(op, lhs, rhs)
    }
    fn mask_where(mask: TchTensor, on: TchTensor, off: TchTensor) -> TchTensor {
        mask::mask_where(mask, on, off)
    }
    fn cast(x: TchTensor, dtype: DType) -> TchTensor {
        cast::cast(x, dtype)
    }
    fn binary_scalar(op: BinaryOp, lhs: TchTensor, rhs: Scalar) -> TchTensor {
        binary::binary_scalar(op, lhs, rhs)
    }
    fn compare_scalar(op: CompareOp, lhs: TchTensor, rhs: Scalar) -> TchTensor {
        compare::compare_scalar(op, lhs, rhs)
    }
    fn clamp(x: TchTensor, min: Option<Scalar>, max: Option<Scalar>) -> TchTensor {
        binary::clamp(x, min, max)
    }
    fn mask_fill(x: TchTensor, mask: TchTensor, value: Scalar) -> TchTensor {
        mask::mask_fill(x, mask, value)
    }

    fn reshape(x: TchTensor, shape: Shape) -> TchTensor {
        layout::reshape(x, shape)
    }
    fn permute(x: TchTensor, axes: Dims) -> TchTensor {
        layout::permute(x, &axes)
    }
    fn expand(x: TchTensor, shape: Shape) -> TchTensor {
        layout::expand(x, shape)
    }
    fn flip(x: TchTensor, axes: Dims) -> TchTensor {
        layout::flip(x, &axes)
    }
    fn slice(x: TchTensor, slices: Slices) -> TchTensor {
        layout::slice(x, &slices)
    }
    fn slice_assign(x: TchTensor, slices: Slices, value: TchTensor) -> TchTensor {
        layout::slice_assign(x, &slices, value)
    }
    fn cat(xs: Vec<TchTensor>, dim: usize) -> TchTensor {
        layout::cat(xs, dim)
    }
    fn repeat_dim(x: TchTensor, dim: usize, times: usize) -> TchTensor {
        layout::repeat_dim(x, dim, times)
    }

    fn reduce(op: ReduceOp, x: TchTensor, dims: Dims) -> TchTensor {
        reduce::reduce(op, x, dims)
    }
    fn arg_reduce(op: Extremum, x: TchTensor, dim: usize, index: DType) -> TchTensor {
        arg_reduce::arg_reduce(op, x, dim, index)
    }
    fn reduce_with_indices(op: Extremum, x: TchTensor, dim: usize, index: DType) -> (TchTensor, TchTensor) {
        arg_reduce::reduce_with_indices(op, x, dim, index)
    }
    fn cumulative(op: CumulativeOp, x: TchTensor, dim: usize) -> TchTensor {
        cumulative::cumulative(op, x, dim)
    }
    fn sort(x: TchTensor, dim: usize, descending: bool) -> TchTensor {
        sort::sort_with_indices(x, dim, descending, DType::I64).0
    }
    fn sort_with_indices(x: TchTensor, dim: usize, descending: bool, index: DType) -> (TchTensor, TchTensor) {
        sort::sort_with_indices(x, dim, descending, index)
    }
    fn topk(x: TchTensor, k: usize, dim: usize, largest: bool, index: DType) -> (TchTensor, TchTensor) {
        sort::topk(x, k, dim, largest, index)
    }

    fn gather(x: TchTensor, dim: usize, indices: TchTensor) -> TchTensor {
        index::gather(&x, dim, indices)
    }
    fn scatter(
        x: TchTensor,
        dim: usize,
        indices: TchTensor,
        value: TchTensor,
        update: IndexUpdate,
    ) -> TchTensor {
        scatter::scatter(x, dim, indices, value, update)
    }
    fn select(x: TchTensor, dim: usize, indices: TchTensor) -> TchTensor {
        index::select(x, dim, indices)
    }
    fn select_assign(
        x: TchTensor,
        dim: usize,
        indices: TchTensor,
        value: TchTensor,
        update: IndexUpdate,
    ) -> TchTensor {
        scatter::select_assign(x, dim, indices, value, update)
    }
    async fn argwhere(mask: TchTensor, index: DType) -> Result<TchTensor, DataError> {
        index::argwhere(mask, index)
    }

    fn matmul(lhs: TchTensor, rhs: TchTensor) -> TchTensor {
        matmul::matmul(lhs, rhs)
    }
    fn factorize(op: Factorization, x: TchTensor) -> TchTensor {
        linalg::factorize(op, x)
    }
    fn lu(x: TchTensor, index: DType) -> (TchTensor, TchTensor) {
        linalg::lu(x, index)
    }
    fn solve(a: TchTensor, b: TchTensor) -> TchTensor {
        linalg::solve(a, b)
    }
    fn solve_triangular(a: TchTensor, b: TchTensor, triangle: Triangle) -> TchTensor {
        linalg::solve_triangular(a, b, triangle)
    }
    fn conv(args: ConvArgs<TchTensor>) -> TchTensor {
        conv::conv(args)
    }
    fn conv_transpose(args: ConvGradArgs<TchTensor>) -> TchTensor {
        conv::conv_transpose(args)
    }
    fn conv_weight_grad(args: ConvGradArgs<TchTensor>) -> TchTensor {
        conv::conv_weight_grad(args)
    }
    fn pool(args: PoolArgs<TchTensor>) -> TchTensor {
        pool::pool(args)
    }
    fn pool_grad(args: PoolGradArgs<TchTensor>) -> TchTensor {
        pool::pool_grad(args)
    }
    fn max_pool_with_indices(x: TchTensor, options: PoolOptions, index: DType) -> (TchTensor, TchTensor) {
        pool::max_pool_with_indices(x, options, index)
    }
    fn adaptive_avg_pool(x: TchTensor, size: Dims) -> TchTensor {
        pool::adaptive_avg_pool(x, size)
    }
    fn adaptive_avg_pool_grad(grad: TchTensor, target: Shape) -> TchTensor {
        pool::adaptive_avg_pool_grad(grad, target)
    }
    fn interpolate(x: TchTensor, size: Dims, options: Interpolation) -> TchTensor {
        interpolate::interpolate(x, size, options)
    }
    fn interpolate_grad(grad: TchTensor, target: Shape, options: Interpolation) -> TchTensor {
        interpolate::interpolate_grad(grad, target, options)
    }
    fn fft(op: FftOp, x: TchTensor, dim: usize) -> TchTensor {
        fft::fft(op, x, dim)
    }
    fn attention(args: AttentionArgs<TchTensor>) -> (TchTensor, TchTensor) {
        attention::attention(args)
    }
    fn attention_grad(args: AttentionGradArgs<TchTensor>) -> (TchTensor, TchTensor, TchTensor) {
        attention::attention_grad(args)
    }
    compositions! {
        recurrent(args: RecurrentArgs<TchTensor>) -> (TchTensor, TchTensor);
        recurrent_grad(args: RecurrentGradArgs<TchTensor>) -> (TchTensor, TchTensor);
        quantize(args: QuantizeArgs<TchTensor>) -> TchTensor;
        dequantize(x: Packed<TchTensor>) -> TchTensor;
        quantized_matmul(args: QuantizedMatmulArgs<TchTensor>) -> TchTensor;
        integer_matmul(args: IntegerMatmulArgs<TchTensor>) -> TchTensor;
    }

    fn run_block(block: Block<TchTensor>) -> Vec<TchTensor> {
        block::run_block(block)
    }

    fn softmax(x: TchTensor, dim: usize) -> TchTensor {
        softmax::softmax(x, dim)
    }
    fn log_softmax(x: TchTensor, dim: usize) -> TchTensor {
        softmax::log_softmax(x, dim)
    }
    fn layer_norm(args: LayerNormArgs<TchTensor>) -> TchTensor {
        layer_norm::layer_norm(args)
    }
    fn layer_norm_grad(args: LayerNormGradArgs<TchTensor>) -> TchTensor {
        layer_norm::layer_norm_grad(args)
    }
}

/// Blocks run call by call, elementwise ones part by part: LibTorch has no kernel for several operations.
impl<E: TchElement> FusionBackend for LibTorch<E> {
    fn has_kernel(composite: Composite) -> bool {
        match composite {
            Composite::Softmax | Composite::LogSoftmax => true,
            Composite::LayerNorm | Composite::LayerNormGrad => true,
        }
    }
    fn fusion_object() -> &'static dyn FusionObject {
        object::fusion_object()
    }
}

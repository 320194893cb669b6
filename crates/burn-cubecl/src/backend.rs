use crate::device::engine::Engine;
use crate::launch::tensor::CubeTensor;
use crate::leaf::{Leaf, LeafDevice};
use crate::ops::softmax::are_few_and_long;
use burn_backend::dynamic::BackendObject;
use burn_backend::*;
use cubecl::prelude::Runtime;
use std::marker::PhantomData;

/// A runtime of GPUs, and its devices.
pub trait CubeRuntime: Runtime<Device: DeviceHandle> + Default {
    /// The device's engine, made when it is first asked for.
    ///
    /// # Panics
    /// When there is no such device, or it cannot be opened: the message says which and why.
    fn engine(device: &Self::Device) -> &'static dyn Engine;

    /// The device of an engine that [`engine`](Self::engine) gave.
    fn device(engine: &'static dyn Engine) -> Self::Device;

    /// The backend of this runtime as an object. A function that is not generic makes it, so that the crate of the
    /// runtime compiles it and no program does.
    fn object() -> &'static dyn BackendObject;

    /// As [`object`](Self::object).
    fn fusion_object() -> &'static dyn FusionObject;
}

/// The leaf of every GPU. `F` and `I` are the default element types; tensors may have others.
///
/// A thin shell: devices are those of the runtime, everything else is [`Leaf`]'s and compiled once.
#[derive(Clone, Copy, Debug, Default)]
pub struct CubeBackend<R, F = f32, I = i32>(PhantomData<(R, F, I)>);

impl<R: CubeRuntime, F: Element, I: Element> FusionBackend for CubeBackend<R, F, I> {
    fn has_kernel(composite: Composite) -> bool {
        match composite {
            Composite::Softmax | Composite::LogSoftmax => true,
            Composite::LayerNorm | Composite::LayerNormGrad => true,
        }
    }
    fn takes_head(kind: HeadKind) -> bool {
        kind == HeadKind::Product
    }
    /// Long rows are gone along once for each pass, and those of a few rows are better shared among cubes, as reductions do.
    fn folds(dtype: DType, rows: usize, terms: usize) -> bool {
        dtype.is_float() && terms > 1 && !are_few_and_long(rows, terms)
    }
    fn fusion_object() -> &'static dyn FusionObject {
        R::fusion_object()
    }
}

impl<R: CubeRuntime, F: Element, I: Element> Backend for CubeBackend<R, F, I> {
    type Device = R::Device;
    type Tensor = CubeTensor;
    type FloatElem = F;
    type IntElem = I;

    fn execute(op: Operation<CubeTensor>) -> Outputs<CubeTensor> {
        Leaf::execute(op)
    }
    fn object() -> &'static dyn BackendObject {
        R::object()
    }
    fn name(device: &Self::Device) -> String {
        Leaf::name(&LeafDevice(R::engine(device)))
    }
    fn has_dtype(device: &Self::Device, dtype: DType) -> bool {
        Leaf::has_dtype(&LeafDevice(R::engine(device)), dtype)
    }
    fn seed(seed: u64) {
        Leaf::seed(seed);
    }
    fn sync(device: &Self::Device) {
        Leaf::sync(&LeafDevice(R::engine(device)));
    }
    fn device(x: &CubeTensor) -> R::Device {
        R::device(x.engine())
    }
    fn to_device(x: CubeTensor, device: &Self::Device) -> CubeTensor {
        Leaf::to_device(x, &LeafDevice(R::engine(device)))
    }
    async fn into_data(x: CubeTensor) -> Result<TensorData, DataError> {
        Leaf::into_data(x).await
    }
    fn tracks_gradients(_device: &R::Device) -> bool {
        false
    }
    fn set_require_grad(x: CubeTensor, require_grad: bool) -> CubeTensor {
        Leaf::set_require_grad(x, require_grad)
    }
    fn is_require_grad(x: &CubeTensor) -> bool {
        Leaf::is_require_grad(x)
    }
    fn detach(x: CubeTensor) -> CubeTensor {
        Leaf::detach(x)
    }
    fn checkpoint(segment: Segment<CubeTensor>, inputs: Vec<CubeTensor>) -> Vec<CubeTensor> {
        Leaf::checkpoint(segment, inputs)
    }
    fn linear_map(map: LinearMapRef, x: CubeTensor) -> Result<CubeTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }
    fn from_data(data: TensorData, device: &Self::Device) -> CubeTensor {
        Leaf::from_data(data, &LeafDevice(R::engine(device)))
    }
    fn full(spec: TensorSpec, value: Scalar, device: &Self::Device) -> CubeTensor {
        Leaf::full(spec, value, &LeafDevice(R::engine(device)))
    }
    fn range(spec: TensorSpec, start: Scalar, step: Scalar, device: &Self::Device) -> CubeTensor {
        Leaf::range(spec, start, step, &LeafDevice(R::engine(device)))
    }
    fn random(spec: TensorSpec, distribution: Distribution, device: &Self::Device) -> CubeTensor {
        Leaf::random(spec, distribution, &LeafDevice(R::engine(device)))
    }
    fn unary(op: UnaryOp, x: CubeTensor) -> CubeTensor {
        Leaf::unary(op, x)
    }
    fn binary(op: BinaryOp, lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
        Leaf::binary(op, lhs, rhs)
    }
    fn binary_scalar(op: BinaryOp, lhs: CubeTensor, rhs: Scalar) -> CubeTensor {
        Leaf::binary_scalar(op, lhs, rhs)
    }
    fn compare(op: CompareOp, lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
        Leaf::compare(op, lhs, rhs)
    }
    fn compare_scalar(op: CompareOp, lhs: CubeTensor, rhs: Scalar) -> CubeTensor {
        Leaf::compare_scalar(op, lhs, rhs)
    }
    fn clamp(x: CubeTensor, min: Option<Scalar>, max: Option<Scalar>) -> CubeTensor {
        Leaf::clamp(x, min, max)
    }
    fn mask_where(mask: CubeTensor, on: CubeTensor, off: CubeTensor) -> CubeTensor {
        Leaf::mask_where(mask, on, off)
    }
    fn mask_fill(x: CubeTensor, mask: CubeTensor, value: Scalar) -> CubeTensor {
        Leaf::mask_fill(x, mask, value)
    }
    fn cast(x: CubeTensor, dtype: DType) -> CubeTensor {
        Leaf::cast(x, dtype)
    }
    fn reshape(x: CubeTensor, shape: Shape) -> CubeTensor {
        Leaf::reshape(x, shape)
    }
    fn permute(x: CubeTensor, axes: Dims) -> CubeTensor {
        Leaf::permute(x, axes)
    }
    fn expand(x: CubeTensor, shape: Shape) -> CubeTensor {
        Leaf::expand(x, shape)
    }
    fn flip(x: CubeTensor, axes: Dims) -> CubeTensor {
        Leaf::flip(x, axes)
    }
    fn slice(x: CubeTensor, slices: Slices) -> CubeTensor {
        Leaf::slice(x, slices)
    }
    fn slice_assign(x: CubeTensor, slices: Slices, value: CubeTensor) -> CubeTensor {
        Leaf::slice_assign(x, slices, value)
    }
    fn cat(xs: Vec<CubeTensor>, dim: usize) -> CubeTensor {
        Leaf::cat(xs, dim)
    }
    fn repeat_dim(x: CubeTensor, dim: usize, times: usize) -> CubeTensor {
        Leaf::repeat_dim(x, dim, times)
    }
    fn reduce(op: ReduceOp, x: CubeTensor, dims: Dims) -> CubeTensor {
        Leaf::reduce(op, x, dims)
    }
    fn arg_reduce(op: Extremum, x: CubeTensor, dim: usize, index: DType) -> CubeTensor {
        Leaf::arg_reduce(op, x, dim, index)
    }
    fn reduce_with_indices(
        op: Extremum,
        x: CubeTensor,
        dim: usize,
        index: DType,
    ) -> (CubeTensor, CubeTensor) {
        Leaf::reduce_with_indices(op, x, dim, index)
    }
    fn cumulative(op: CumulativeOp, x: CubeTensor, dim: usize) -> CubeTensor {
        Leaf::cumulative(op, x, dim)
    }
    fn sort(x: CubeTensor, dim: usize, descending: bool) -> CubeTensor {
        Leaf::sort(x, dim, descending)
    }
    fn sort_with_indices(
        x: CubeTensor,
        dim: usize,
        descending: bool,
        index: DType,
    ) -> (CubeTensor, CubeTensor) {
        Leaf::sort_with_indices(x, dim, descending, index)
    }
    fn topk(x: CubeTensor, k: usize, dim: usize, largest: bool, index: DType) -> (CubeTensor, CubeTensor) {
        Leaf::topk(x, k, dim, largest, index)
    }
    fn gather(x: CubeTensor, dim: usize, indices: CubeTensor) -> CubeTensor {
        Leaf::gather(x, dim, indices)
    }
    fn scatter(
        x: CubeTensor,
        dim: usize,
        indices: CubeTensor,
        value: CubeTensor,
        update: IndexUpdate,
    ) -> CubeTensor {
        Leaf::scatter(x, dim, indices, value, update)
    }
    fn select(x: CubeTensor, dim: usize, indices: CubeTensor) -> CubeTensor {
        Leaf::select(x, dim, indices)
    }
    fn select_assign(
        x: CubeTensor,
        dim: usize,
        indices: CubeTensor,
        value: CubeTensor,
        update: IndexUpdate,
    ) -> CubeTensor {
        Leaf::select_assign(x, dim, indices, value, update)
    }
    fn matmul(lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
        Leaf::matmul(lhs, rhs)
    }
    fn factorize(op: Factorization, x: CubeTensor) -> CubeTensor {
        Leaf::factorize(op, x)
    }
    fn lu(x: CubeTensor, index: DType) -> (CubeTensor, CubeTensor) {
        Leaf::lu(x, index)
    }
    fn solve(a: CubeTensor, b: CubeTensor) -> CubeTensor {
        Leaf::solve(a, b)
    }
    fn solve_triangular(a: CubeTensor, b: CubeTensor, triangle: Triangle) -> CubeTensor {
        Leaf::solve_triangular(a, b, triangle)
    }
    fn conv(args: ConvArgs<CubeTensor>) -> CubeTensor {
        Leaf::conv(args)
    }
    fn conv_transpose(args: ConvGradArgs<CubeTensor>) -> CubeTensor {
        Leaf::conv_transpose(args)
    }
    fn conv_weight_grad(args: ConvGradArgs<CubeTensor>) -> CubeTensor {
        Leaf::conv_weight_grad(args)
    }
    fn pool(args: PoolArgs<CubeTensor>) -> CubeTensor {
        Leaf::pool(args)
    }
    fn pool_grad(args: PoolGradArgs<CubeTensor>) -> CubeTensor {
        Leaf::pool_grad(args)
    }
    fn max_pool_with_indices(x: CubeTensor, options: PoolOptions, index: DType) -> (CubeTensor, CubeTensor) {
        Leaf::max_pool_with_indices(x, options, index)
    }
    fn adaptive_avg_pool(x: CubeTensor, size: Dims) -> CubeTensor {
        Leaf::adaptive_avg_pool(x, size)
    }
    fn adaptive_avg_pool_grad(grad: CubeTensor, target: Shape) -> CubeTensor {
        Leaf::adaptive_avg_pool_grad(grad, target)
    }
    fn interpolate(x: CubeTensor, size: Dims, options: Interpolation) -> CubeTensor {
        Leaf::interpolate(x, size, options)
    }
    fn interpolate_grad(grad: CubeTensor, target: Shape, options: Interpolation) -> CubeTensor {
        Leaf::interpolate_grad(grad, target, options)
    }
    fn fft(op: FftOp, x: CubeTensor, dim: usize) -> CubeTensor {
        Leaf::fft(op, x, dim)
    }
    fn run_block(block: Block<CubeTensor>) -> Vec<CubeTensor> {
        Leaf::run_block(block)
    }
    fn softmax(x: CubeTensor, dim: usize) -> CubeTensor {
        Leaf::softmax(x, dim)
    }
    fn log_softmax(x: CubeTensor, dim: usize) -> CubeTensor {
        Leaf::log_softmax(x, dim)
    }
    fn layer_norm(args: LayerNormArgs<CubeTensor>) -> CubeTensor {
        Leaf::layer_norm(args)
    }
    fn layer_norm_grad(args: LayerNormGradArgs<CubeTensor>) -> CubeTensor {
        Leaf::layer_norm_grad(args)
    }
    fn attention(args: AttentionArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
        Leaf::attention(args)
    }
    fn attention_grad(args: AttentionGradArgs<CubeTensor>) -> (CubeTensor, CubeTensor, CubeTensor) {
        Leaf::attention_grad(args)
    }
    fn recurrent(args: RecurrentArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
        Leaf::recurrent(args)
    }
    fn recurrent_grad(args: RecurrentGradArgs<CubeTensor>) -> (CubeTensor, CubeTensor) {
        Leaf::recurrent_grad(args)
    }
    fn quantize(args: QuantizeArgs<CubeTensor>) -> CubeTensor {
        Leaf::quantize(args)
    }
    fn dequantize(x: Packed<CubeTensor>) -> CubeTensor {
        Leaf::dequantize(x)
    }
    fn quantized_matmul(args: QuantizedMatmulArgs<CubeTensor>) -> CubeTensor {
        Leaf::quantized_matmul(args)
    }
    fn integer_matmul(args: IntegerMatmulArgs<CubeTensor>) -> CubeTensor {
        Leaf::integer_matmul(args)
    }
    async fn argwhere(mask: CubeTensor, index: DType) -> Result<CubeTensor, DataError> {
        Leaf::argwhere(mask, index).await
    }
}

use crate::NdTensor;
use crate::gemm::matmul;
use crate::kernels::arg_reduce;
use crate::kernels::attention;
use crate::kernels::binary;
use crate::kernels::cast;
use crate::kernels::clamp;
use crate::kernels::compare;
use crate::kernels::conv;
use crate::kernels::create;
use crate::kernels::fft;
use crate::kernels::fused;
use crate::kernels::index;
use crate::kernels::interpolate;
use crate::kernels::layout;
use crate::kernels::linalg;
use crate::kernels::mask;
use crate::kernels::norm;
use crate::kernels::order;
use crate::kernels::pool;
use crate::kernels::quantization;
use crate::kernels::random;
use crate::kernels::recurrent;
use crate::kernels::reduce;
use crate::kernels::scan;
use crate::kernels::softmax;
use crate::kernels::unary;
use crate::object;
use alloc::string::String;
use alloc::vec::Vec;
use burn_backend::dynamic::BackendObject;
use burn_backend::*;
use core::marker::PhantomData;

/// The CPU leaf. `F` and `I` are the default element types; tensors may have others.
#[derive(Clone, Copy, Debug, Default)]
pub struct NdArray<F = f32, I = i64>(PhantomData<(F, I)>);

/// Device of [`NdArray`] tensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NdArrayDevice {
    /// The memory of the host.
    #[default]
    Cpu,
}

impl core::fmt::Display for NdArrayDevice {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Cpu")
    }
}

impl<F: Element, I: Element> Backend for NdArray<F, I> {
    type Device = NdArrayDevice;
    type Tensor = NdTensor;
    type FloatElem = F;
    type IntElem = I;

    fn execute(op: Operation<NdTensor>) -> Outputs<NdTensor> {
        object::execute(op)
    }
    fn object() -> &'static dyn BackendObject {
        object::object()
    }
    fn name(_device: &NdArrayDevice) -> String {
        "ndarray".into()
    }
    fn has_dtype(_device: &NdArrayDevice, _dtype: DType) -> bool {
        true
    }
    fn seed(seed: u64) {
        random::seed(seed);
    }
    fn sync(_device: &NdArrayDevice) {}
    fn device(_x: &NdTensor) -> NdArrayDevice {
        NdArrayDevice::Cpu
    }
    fn to_device(x: NdTensor, _device: &NdArrayDevice) -> NdTensor {
        x
    }
    async fn into_data(x: NdTensor) -> Result<TensorData, DataError> {
        create::into_data(x)
    }
    fn tracks_gradients(_device: &NdArrayDevice) -> bool {
        false
    }
    fn set_require_grad(x: NdTensor, _require_grad: bool) -> NdTensor {
        x
    }
    fn is_require_grad(_x: &NdTensor) -> bool {
        false
    }
    fn detach(x: NdTensor) -> NdTensor {
        x
    }
    fn checkpoint(segment: Segment<NdTensor>, inputs: Vec<NdTensor>) -> Vec<NdTensor> {
        segment(inputs)
    }
    fn linear_map(map: LinearMapRef, x: NdTensor) -> Result<NdTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }

    fn from_data(data: TensorData, _device: &NdArrayDevice) -> NdTensor {
        create::from_data(&data)
    }
    fn full(spec: TensorSpec, value: Scalar, _device: &NdArrayDevice) -> NdTensor {
        create::full(spec, value)
    }
    fn range(spec: TensorSpec, start: Scalar, step: Scalar, _device: &NdArrayDevice) -> NdTensor {
        create::range(spec, start, step)
    }
    fn random(spec: TensorSpec, distribution: Distribution, _device: &NdArrayDevice) -> NdTensor {
        random::random(spec, distribution)
    }

    fn unary(op: UnaryOp, x: NdTensor) -> NdTensor {
        unary::unary(op, x)
    }
    fn binary(op: BinaryOp, lhs: NdTensor, rhs: NdTensor) -> NdTensor {
        binary::binary(op, lhs, rhs)
    }
    fn binary_scalar(op: BinaryOp, lhs: NdTensor, rhs: Scalar) -> NdTensor {
        binary::binary_scalar(op, lhs, rhs)
    }
    fn compare(op: CompareOp, lhs: NdTensor, rhs: NdTensor) -> NdTensor {
        compare::compare(op, lhs, rhs)
    }
    fn compare_scalar(op: CompareOp, lhs: NdTensor, rhs: Scalar) -> NdTensor {
        compare::compare_scalar(op, lhs, rhs)
    }
    fn clamp(x: NdTensor, min: Option<Scalar>, max: Option<Scalar>) -> NdTensor {
        clamp::clamp(x, min, max)
    }
    fn mask_where(mask: NdTensor, on: NdTensor, off: NdTensor) -> NdTensor {
        mask::mask_where(mask, on, off)
    }
    fn mask_fill(x: NdTensor, mask: NdTensor, value: Scalar) -> NdTensor {
        mask::mask_fill(x, mask, value)
    }
    fn cast(x: NdTensor, dtype: DType) -> NdTensor {
        cast::cast(x, dtype)
    }

    fn reshape(x: NdTensor, shape: Shape) -> NdTensor {
        x.reshaped(shape)
    }
    fn permute(x: NdTensor, axes: Dims) -> NdTensor {
        layout::permute(x, &axes)
    }
    fn expand(x: NdTensor, shape: Shape) -> NdTensor {
        layout::expand(x, shape)
    }
    fn flip(x: NdTensor, axes: Dims) -> NdTensor {
        layout::flip(x, &axes)
    }
    fn slice(x: NdTensor, slices: Slices) -> NdTensor {
        layout::slice(x, &slices)
    }
    fn slice_assign(x: NdTensor, slices: Slices, value: NdTensor) -> NdTensor {
        layout::slice_assign(x, &slices, &value)
    }
    fn cat(xs: Vec<NdTensor>, dim: usize) -> NdTensor {
        layout::cat(xs, dim)
    }
    fn repeat_dim(x: NdTensor, dim: usize, times: usize) -> NdTensor {
        layout::repeat_dim(x, dim, times)
    }

    fn reduce(op: ReduceOp, x: NdTensor, dims: Dims) -> NdTensor {
        reduce::reduce(op, x, &dims)
    }
    fn arg_reduce(op: Extremum, x: NdTensor, dim: usize, index: DType) -> NdTensor {
        arg_reduce::arg_reduce(op, x, dim, index)
    }
    fn reduce_with_indices(op: Extremum, x: NdTensor, dim: usize, index: DType) -> (NdTensor, NdTensor) {
        order::reduce_with_indices(op, x, dim, index)
    }
    fn cumulative(op: CumulativeOp, x: NdTensor, dim: usize) -> NdTensor {
        scan::cumulative(op, x, dim)
    }
    fn sort(x: NdTensor, dim: usize, descending: bool) -> NdTensor {
        order::sort(x, dim, descending)
    }
    fn sort_with_indices(x: NdTensor, dim: usize, descending: bool, index: DType) -> (NdTensor, NdTensor) {
        order::sort_with_indices(x, dim, descending, index)
    }
    fn topk(x: NdTensor, k: usize, dim: usize, largest: bool, index: DType) -> (NdTensor, NdTensor) {
        order::topk(x, k, dim, largest, index)
    }

    fn gather(x: NdTensor, dim: usize, indices: NdTensor) -> NdTensor {
        index::gather(&x, dim, indices)
    }
    fn scatter(x: NdTensor, dim: usize, indices: NdTensor, value: NdTensor, update: IndexUpdate) -> NdTensor {
        index::scatter(x, dim, indices, value, update)
    }
    fn select(x: NdTensor, dim: usize, indices: NdTensor) -> NdTensor {
        index::select(x, dim, indices)
    }
    fn select_assign(
        x: NdTensor,
        dim: usize,
        indices: NdTensor,
        value: NdTensor,
        update: IndexUpdate,
    ) -> NdTensor {
        index::select_assign(x, dim, indices, value, update)
    }
    async fn argwhere(mask: NdTensor, index: DType) -> Result<NdTensor, DataError> {
        Ok(index::argwhere(mask, index))
    }

    fn matmul(lhs: NdTensor, rhs: NdTensor) -> NdTensor {
        matmul::matmul(lhs, rhs)
    }
    fn factorize(op: Factorization, x: NdTensor) -> NdTensor {
        linalg::factorize(op, x)
    }
    fn lu(x: NdTensor, index: DType) -> (NdTensor, NdTensor) {
        linalg::lu(x, index)
    }
    fn solve(a: NdTensor, b: NdTensor) -> NdTensor {
        linalg::solve(a, b)
    }
    fn solve_triangular(a: NdTensor, b: NdTensor, triangle: Triangle) -> NdTensor {
        linalg::solve_triangular(a, b, triangle)
    }
    fn conv(args: ConvArgs<NdTensor>) -> NdTensor {
        conv::conv(args)
    }
    fn conv_transpose(args: ConvGradArgs<NdTensor>) -> NdTensor {
        conv::conv_transpose(args)
    }
    fn conv_weight_grad(args: ConvGradArgs<NdTensor>) -> NdTensor {
        conv::conv_weight_grad(args)
    }
    fn pool(args: PoolArgs<NdTensor>) -> NdTensor {
        pool::pool(args)
    }
    fn pool_grad(args: PoolGradArgs<NdTensor>) -> NdTensor {
        pool::pool_grad(args)
    }
    fn max_pool_with_indices(x: NdTensor, options: PoolOptions, index: DType) -> (NdTensor, NdTensor) {
        pool::max_pool_with_indices(x, &options, index)
    }
    fn adaptive_avg_pool(x: NdTensor, size: Dims) -> NdTensor {
        pool::adaptive_avg_pool(x, &size)
    }
    fn adaptive_avg_pool_grad(grad: NdTensor, target: Shape) -> NdTensor {
        pool::adaptive_avg_pool_grad(grad, target)
    }

    fn interpolate(x: NdTensor, size: Dims, options: Interpolation) -> NdTensor {
        interpolate::interpolate(x, &size, &options)
    }
    fn interpolate_grad(grad: NdTensor, target: Shape, options: Interpolation) -> NdTensor {
        interpolate::interpolate_grad(grad, target, &options)
    }

    fn fft(op: FftOp, x: NdTensor, dim: usize) -> NdTensor {
        fft::fft(op, x, dim)
    }

    fn run_block(block: Block<NdTensor>) -> Vec<NdTensor> {
        fused::run(block)
    }

    fn softmax(x: NdTensor, dim: usize) -> NdTensor {
        softmax::softmax(x, dim)
    }
    fn log_softmax(x: NdTensor, dim: usize) -> NdTensor {
        softmax::log_softmax(x, dim)
    }
    fn layer_norm(args: LayerNormArgs<NdTensor>) -> NdTensor {
        norm::layer_norm(args)
    }
    fn layer_norm_grad(args: LayerNormGradArgs<NdTensor>) -> NdTensor {
        norm::layer_norm_grad(args)
    }
    fn attention(args: AttentionArgs<NdTensor>) -> (NdTensor, NdTensor) {
        attention::attention(args)
    }
    fn attention_grad(args: AttentionGradArgs<NdTensor>) -> (NdTensor, NdTensor, NdTensor) {
        attention::attention_grad(args)
    }
    fn recurrent(args: RecurrentArgs<NdTensor>) -> (NdTensor, NdTensor) {
        recurrent::recurrent(args)
    }
    fn recurrent_grad(args: RecurrentGradArgs<NdTensor>) -> (NdTensor, NdTensor) {
        recurrent::recurrent_grad(args)
    }
    fn quantize(args: QuantizeArgs<NdTensor>) -> NdTensor {
        quantization::quantize(args)
    }
    fn dequantize(x: Packed<NdTensor>) -> NdTensor {
        quantization::dequantize(x)
    }
    fn quantized_matmul(args: QuantizedMatmulArgs<NdTensor>) -> NdTensor {
        quantization::quantized_matmul(args)
    }
    fn integer_matmul(args: IntegerMatmulArgs<NdTensor>) -> NdTensor {
        quantization::integer_matmul(args)
    }
}

impl<F: Element, I: Element> FusionBackend for NdArray<F, I> {
    fn has_kernel(composite: Composite) -> bool {
        match composite {
            Composite::Softmax | Composite::LogSoftmax => true,
            Composite::LayerNorm | Composite::LayerNormGrad => true,
        }
    }
    fn takes_head(_kind: HeadKind) -> bool {
        true
    }
    fn fusion_object() -> &'static dyn FusionObject {
        object::fusion_object()
    }
}

use crate::{NdTensor, by_dtype, elementwise, fused, index, layout, object, plain, random};
use burn_backend::dynamic::BackendObject;
use burn_backend::*;
use std::marker::PhantomData;

/// The CPU leaf. `F` and `I` are the default element types; tensors may have others.
#[derive(Clone, Copy, Debug, Default)]
pub struct NdArray<F = f32, I = i64>(PhantomData<(F, I)>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NdArrayDevice {
    #[default]
    Cpu,
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
        Ok(by_dtype::into_data(x))
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

    fn from_data(data: TensorData, _device: &NdArrayDevice) -> NdTensor {
        by_dtype::from_data(data)
    }
    fn full(spec: TensorSpec, value: Scalar, _device: &NdArrayDevice) -> NdTensor {
        by_dtype::full(spec, value)
    }
    fn range(spec: TensorSpec, start: Scalar, step: Scalar, _device: &NdArrayDevice) -> NdTensor {
        plain::range(spec, start, step)
    }
    fn random(spec: TensorSpec, distribution: Distribution, _device: &NdArrayDevice) -> NdTensor {
        by_dtype::random(spec, distribution)
    }

    fn unary(op: UnaryOp, x: NdTensor) -> NdTensor {
        elementwise::unary(op, x)
    }
    fn binary(op: BinaryOp, lhs: NdTensor, rhs: NdTensor) -> NdTensor {
        elementwise::binary(op, lhs, rhs)
    }
    fn binary_scalar(op: BinaryOp, lhs: NdTensor, rhs: Scalar) -> NdTensor {
        elementwise::binary_scalar(op, lhs, rhs)
    }
    fn compare(op: CompareOp, lhs: NdTensor, rhs: NdTensor) -> NdTensor {
        elementwise::compare(op, lhs, rhs)
    }
    fn compare_scalar(op: CompareOp, lhs: NdTensor, rhs: Scalar) -> NdTensor {
        by_dtype::compare_scalar(op, lhs, rhs)
    }
    fn mask_where(mask: NdTensor, on: NdTensor, off: NdTensor) -> NdTensor {
        elementwise::mask_where(mask, on, off)
    }
    fn cast(x: NdTensor, dtype: DType) -> NdTensor {
        layout::cast(x, dtype)
    }

    fn reduce(op: ReduceOp, x: NdTensor, dims: Dims) -> NdTensor {
        by_dtype::reduce(op, x, dims)
    }
    fn arg_reduce(op: Extremum, x: NdTensor, dim: usize, index: DType) -> NdTensor {
        plain::run(Operation::ArgReduce { op, x, dim, index }).one()
    }
    fn reduce_with_indices(op: Extremum, x: NdTensor, dim: usize, index: DType) -> (NdTensor, NdTensor) {
        plain::run(Operation::ReduceWithIndices { op, x, dim, index }).two()
    }
    fn cumulative(op: CumulativeOp, x: NdTensor, dim: usize) -> NdTensor {
        plain::run(Operation::Cumulative { op, x, dim }).one()
    }
    fn sort(x: NdTensor, dim: usize, descending: bool) -> NdTensor {
        plain::run(Operation::Sort { x, dim, descending }).one()
    }
    fn sort_with_indices(x: NdTensor, dim: usize, descending: bool, index: DType) -> (NdTensor, NdTensor) {
        plain::run(Operation::SortWithIndices { x, dim, descending, index }).two()
    }
    fn topk(x: NdTensor, k: usize, dim: usize, largest: bool, index: DType) -> (NdTensor, NdTensor) {
        plain::run(Operation::TopK { x, k, dim, largest, index }).two()
    }
    fn flip(x: NdTensor, axes: Dims) -> NdTensor {
        plain::run(Operation::Flip { x, axes }).one()
    }
    fn repeat_dim(x: NdTensor, dim: usize, times: usize) -> NdTensor {
        plain::run(Operation::RepeatDim { x, dim, times }).one()
    }
    fn select(x: NdTensor, dim: usize, indices: NdTensor) -> NdTensor {
        plain::run(Operation::Select { x, dim, indices }).one()
    }
    fn select_assign(
        x: NdTensor,
        dim: usize,
        indices: NdTensor,
        value: NdTensor,
        update: IndexUpdate,
    ) -> NdTensor {
        plain::run(Operation::SelectAssign { x, dim, indices, value, update }).one()
    }
    fn mask_fill(x: NdTensor, mask: NdTensor, value: Scalar) -> NdTensor {
        plain::run(Operation::MaskFill { x, mask, value }).one()
    }
    fn clamp(x: NdTensor, min: Option<Scalar>, max: Option<Scalar>) -> NdTensor {
        plain::run(Operation::Clamp { x, min, max }).one()
    }
    fn pool(args: PoolArgs<NdTensor>) -> NdTensor {
        plain::run(Operation::Pool(Box::new(args))).one()
    }
    fn pool_grad(args: PoolGradArgs<NdTensor>) -> NdTensor {
        plain::run(Operation::PoolGrad(Box::new(args))).one()
    }
    fn max_pool_with_indices(x: NdTensor, options: PoolOptions, index: DType) -> (NdTensor, NdTensor) {
        plain::run(Operation::MaxPoolWithIndices { x, options: Box::new(options), index }).two()
    }
    fn adaptive_avg_pool(x: NdTensor, size: Dims) -> NdTensor {
        plain::run(Operation::AdaptiveAvgPool { x, size }).one()
    }
    fn adaptive_avg_pool_grad(grad: NdTensor, target: Shape) -> NdTensor {
        plain::run(Operation::AdaptiveAvgPoolGrad { grad, target }).one()
    }
    fn log_softmax(x: NdTensor, dim: usize) -> NdTensor {
        by_dtype::log_softmax(x, dim)
    }

    fn reshape(x: NdTensor, shape: Shape) -> NdTensor {
        by_dtype::reshape(x, shape)
    }
    fn permute(x: NdTensor, axes: Dims) -> NdTensor {
        by_dtype::permute(x, axes)
    }
    fn expand(x: NdTensor, shape: Shape) -> NdTensor {
        by_dtype::expand(x, shape)
    }
    fn slice(x: NdTensor, slices: Vec<Slice>) -> NdTensor {
        by_dtype::slice(x, slices)
    }
    fn slice_assign(x: NdTensor, slices: Vec<Slice>, value: NdTensor) -> NdTensor {
        by_dtype::slice_assign(x, slices, value)
    }
    fn cat(xs: Vec<NdTensor>, dim: usize) -> NdTensor {
        by_dtype::cat(xs, dim)
    }

    fn gather(x: NdTensor, dim: usize, indices: NdTensor) -> NdTensor {
        by_dtype::gather(x, dim, indices)
    }
    fn scatter(x: NdTensor, dim: usize, indices: NdTensor, value: NdTensor, update: IndexUpdate) -> NdTensor {
        by_dtype::scatter(x, dim, indices, value, update)
    }
    async fn argwhere(mask: NdTensor, _index: DType) -> Result<NdTensor, DataError> {
        Ok(index::argwhere(mask.into_bool()).into())
    }

    fn matmul(lhs: NdTensor, rhs: NdTensor) -> NdTensor {
        by_dtype::matmul(lhs, rhs)
    }
    fn conv(args: ConvArgs<NdTensor>) -> NdTensor {
        by_dtype::conv(args)
    }
    fn conv_transpose(args: ConvGradArgs<NdTensor>) -> NdTensor {
        by_dtype::conv_transpose(args)
    }
    fn conv_weight_grad(args: ConvGradArgs<NdTensor>) -> NdTensor {
        by_dtype::conv_weight_grad(args)
    }
    fn softmax(x: NdTensor, dim: usize) -> NdTensor {
        by_dtype::softmax(x, dim)
    }
}

impl<F: Element, I: Element> FusionBackend for NdArray<F, I> {
    fn has_kernel(composite: Composite) -> bool {
        match composite {
            Composite::Softmax | Composite::LogSoftmax => false,
        }
    }
    fn run_elementwise(block: Block<NdTensor>) -> Vec<NdTensor> {
        fused::run(block)
    }
    fn fusion_object() -> &'static dyn FusionObject {
        object::fusion_object()
    }
}

use crate::{NdTensor, by_dtype, elementwise, fused, index, layout, object, random};
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
    fn reduce_with_indices(op: Extremum, x: NdTensor, dim: usize) -> (NdTensor, NdTensor) {
        by_dtype::reduce_with_indices(op, x, dim)
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
    async fn argwhere(mask: NdTensor) -> Result<NdTensor, DataError> {
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
            Composite::Softmax => false,
        }
    }
    fn run_elementwise(block: Block<NdTensor>) -> Vec<NdTensor> {
        fused::run(block)
    }
    fn fusion_object() -> &'static dyn FusionObject {
        object::fusion_object()
    }
}

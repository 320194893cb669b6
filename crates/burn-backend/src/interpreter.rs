use crate::dynamic::BackendObject;
use crate::{Backend, Block, DeviceHandle, LinearMapError, LinearMapRef, Segment, TensorHandle};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use burn_ir::*;
use core::fmt::Debug;
use core::future::Future;

/// A backend that treats every call as a value: a decorator over other backends, or a wire.
///
/// An implementation has [`Backend`] for free, without code for each operation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a backend",
    note = "a backend is a leaf such as `NdArray`, or a decorator over backends such as `Autodiff<NdArray>`"
)]
pub trait Interpreter: Clone + Debug + Default + Send + Sync + 'static {
    type Device: DeviceHandle;
    type Tensor: TensorHandle;
    type FloatElem: Element;
    type IntElem: Element;

    #[track_caller]
    fn interpret(op: Operation<Self::Tensor>) -> Outputs<Self::Tensor>;
    /// See [`Backend::run_block`].
    fn run_block(block: Block<Self::Tensor>) -> Vec<Self::Tensor>;
    fn create(creation: Creation, device: &Self::Device) -> Self::Tensor;
    fn argwhere(
        mask: Self::Tensor,
        index: DType,
    ) -> impl Future<Output = Result<Self::Tensor, DataError>> + Send;
    fn read(x: Self::Tensor) -> impl Future<Output = Result<TensorData, DataError>> + Send;
    fn device(x: &Self::Tensor) -> Self::Device;
    fn to_device(x: Self::Tensor, device: &Self::Device) -> Self::Tensor;
    fn sync(device: &Self::Device);
    fn seed(seed: u64);
    fn name(device: &Self::Device) -> String;
    fn has_dtype(device: &Self::Device, dtype: DType) -> bool;

    /// See [`Backend::object`]: [`object_of::<Self>`](crate::dynamic::object_of).
    fn object() -> &'static dyn BackendObject;

    // Tracking is a property of one decorator; the others pass it on.
    fn tracks_gradients(device: &Self::Device) -> bool;
    fn set_require_grad(x: Self::Tensor, require_grad: bool) -> Self::Tensor;
    fn is_require_grad(x: &Self::Tensor) -> bool;
    fn detach(x: Self::Tensor) -> Self::Tensor;
    fn checkpoint(segment: Segment<Self::Tensor>, inputs: Vec<Self::Tensor>) -> Vec<Self::Tensor>;
    /// See [`Backend::linear_map`].
    ///
    /// # Errors
    /// Those of the map.
    fn linear_map(map: LinearMapRef, x: Self::Tensor) -> Result<Self::Tensor, LinearMapError>;
}

type T<D> = <D as Interpreter>::Tensor;

impl<D: Interpreter> Backend for D {
    type Device = <D as Interpreter>::Device;
    type Tensor = <D as Interpreter>::Tensor;
    type FloatElem = <D as Interpreter>::FloatElem;
    type IntElem = <D as Interpreter>::IntElem;

    fn execute(op: Operation<T<D>>) -> Outputs<T<D>> {
        D::interpret(op)
    }
    fn run_block(block: Block<T<D>>) -> Vec<T<D>> {
        <D as Interpreter>::run_block(block)
    }
    fn object() -> &'static dyn BackendObject {
        <D as Interpreter>::object()
    }
    fn name(device: &<D as Interpreter>::Device) -> String {
        <D as Interpreter>::name(device)
    }
    fn has_dtype(device: &<D as Interpreter>::Device, dtype: DType) -> bool {
        <D as Interpreter>::has_dtype(device, dtype)
    }
    fn seed(seed: u64) {
        <D as Interpreter>::seed(seed);
    }
    fn sync(device: &<D as Interpreter>::Device) {
        <D as Interpreter>::sync(device);
    }
    fn device(x: &T<D>) -> <D as Interpreter>::Device {
        <D as Interpreter>::device(x)
    }
    fn to_device(x: T<D>, device: &<D as Interpreter>::Device) -> T<D> {
        <D as Interpreter>::to_device(x, device)
    }
    fn into_data(x: T<D>) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        D::read(x)
    }
    fn tracks_gradients(device: &<D as Interpreter>::Device) -> bool {
        <D as Interpreter>::tracks_gradients(device)
    }
    fn set_require_grad(x: T<D>, require_grad: bool) -> T<D> {
        <D as Interpreter>::set_require_grad(x, require_grad)
    }
    fn is_require_grad(x: &T<D>) -> bool {
        <D as Interpreter>::is_require_grad(x)
    }
    fn detach(x: T<D>) -> T<D> {
        <D as Interpreter>::detach(x)
    }
    fn checkpoint(segment: Segment<T<D>>, inputs: Vec<T<D>>) -> Vec<T<D>> {
        <D as Interpreter>::checkpoint(segment, inputs)
    }
    fn linear_map(map: LinearMapRef, x: T<D>) -> Result<T<D>, LinearMapError> {
        <D as Interpreter>::linear_map(map, x)
    }
    fn from_data(data: TensorData, device: &<D as Interpreter>::Device) -> T<D> {
        D::create(Creation::Data(data), device)
    }
    fn full(spec: TensorSpec, value: Scalar, device: &<D as Interpreter>::Device) -> T<D> {
        D::create(Creation::Full { spec, value }, device)
    }
    fn range(spec: TensorSpec, start: Scalar, step: Scalar, device: &<D as Interpreter>::Device) -> T<D> {
        D::create(Creation::Range { spec, start, step }, device)
    }
    fn random(spec: TensorSpec, distribution: Distribution, device: &<D as Interpreter>::Device) -> T<D> {
        D::create(Creation::Random { spec, distribution }, device)
    }
    fn unary(op: UnaryOp, x: T<D>) -> T<D> {
        D::interpret(Operation::Unary { op, x }).one()
    }
    fn binary(op: BinaryOp, lhs: T<D>, rhs: T<D>) -> T<D> {
        D::interpret(Operation::Binary { op, lhs, rhs }).one()
    }
    fn binary_scalar(op: BinaryOp, lhs: T<D>, rhs: Scalar) -> T<D> {
        D::interpret(Operation::BinaryScalar { op, lhs, rhs }).one()
    }
    fn compare(op: CompareOp, lhs: T<D>, rhs: T<D>) -> T<D> {
        D::interpret(Operation::Compare { op, lhs, rhs }).one()
    }
    fn compare_scalar(op: CompareOp, lhs: T<D>, rhs: Scalar) -> T<D> {
        D::interpret(Operation::CompareScalar { op, lhs, rhs }).one()
    }
    fn clamp(x: T<D>, min: Option<Scalar>, max: Option<Scalar>) -> T<D> {
        D::interpret(Operation::Clamp { x, min, max }).one()
    }
    fn mask_where(mask: T<D>, on: T<D>, off: T<D>) -> T<D> {
        D::interpret(Operation::MaskWhere { mask, on, off }).one()
    }
    fn mask_fill(x: T<D>, mask: T<D>, value: Scalar) -> T<D> {
        D::interpret(Operation::MaskFill { x, mask, value }).one()
    }
    fn cast(x: T<D>, dtype: DType) -> T<D> {
        D::interpret(Operation::Cast { x, dtype }).one()
    }
    fn reshape(x: T<D>, shape: Shape) -> T<D> {
        D::interpret(Operation::Reshape { x, shape }).one()
    }
    fn permute(x: T<D>, axes: Dims) -> T<D> {
        D::interpret(Operation::Permute { x, axes }).one()
    }
    fn expand(x: T<D>, shape: Shape) -> T<D> {
        D::interpret(Operation::Expand { x, shape }).one()
    }
    fn flip(x: T<D>, axes: Dims) -> T<D> {
        D::interpret(Operation::Flip { x, axes }).one()
    }
    fn slice(x: T<D>, slices: Slices) -> T<D> {
        D::interpret(Operation::Slice { x, slices }).one()
    }
    fn slice_assign(x: T<D>, slices: Slices, value: T<D>) -> T<D> {
        D::interpret(Operation::SliceAssign { x, slices, value }).one()
    }
    fn cat(xs: Vec<T<D>>, dim: usize) -> T<D> {
        D::interpret(Operation::Cat { xs, dim }).one()
    }
    fn repeat_dim(x: T<D>, dim: usize, times: usize) -> T<D> {
        D::interpret(Operation::RepeatDim { x, dim, times }).one()
    }
    fn reduce(op: ReduceOp, x: T<D>, dims: Dims) -> T<D> {
        D::interpret(Operation::Reduce { op, x, dims }).one()
    }
    fn arg_reduce(op: Extremum, x: T<D>, dim: usize, index: DType) -> T<D> {
        D::interpret(Operation::ArgReduce { op, x, dim, index }).one()
    }
    fn reduce_with_indices(op: Extremum, x: T<D>, dim: usize, index: DType) -> (T<D>, T<D>) {
        D::interpret(Operation::ReduceWithIndices { op, x, dim, index }).two()
    }
    fn cumulative(op: CumulativeOp, x: T<D>, dim: usize) -> T<D> {
        D::interpret(Operation::Cumulative { op, x, dim }).one()
    }
    fn sort(x: T<D>, dim: usize, descending: bool) -> T<D> {
        D::interpret(Operation::Sort { x, dim, descending }).one()
    }
    fn sort_with_indices(x: T<D>, dim: usize, descending: bool, index: DType) -> (T<D>, T<D>) {
        D::interpret(Operation::SortWithIndices { x, dim, descending, index }).two()
    }
    fn topk(x: T<D>, k: usize, dim: usize, largest: bool, index: DType) -> (T<D>, T<D>) {
        D::interpret(Operation::TopK { x, k, dim, largest, index }).two()
    }
    fn gather(x: T<D>, dim: usize, indices: T<D>) -> T<D> {
        D::interpret(Operation::Gather { x, dim, indices }).one()
    }
    fn scatter(x: T<D>, dim: usize, indices: T<D>, value: T<D>, update: IndexUpdate) -> T<D> {
        D::interpret(Operation::Scatter { x, dim, indices, value, update }).one()
    }
    fn select(x: T<D>, dim: usize, indices: T<D>) -> T<D> {
        D::interpret(Operation::Select { x, dim, indices }).one()
    }
    fn select_assign(x: T<D>, dim: usize, indices: T<D>, value: T<D>, update: IndexUpdate) -> T<D> {
        D::interpret(Operation::SelectAssign { x, dim, indices, value, update }).one()
    }
    fn matmul(lhs: T<D>, rhs: T<D>) -> T<D> {
        D::interpret(Operation::Matmul { lhs, rhs }).one()
    }
    fn factorize(op: Factorization, x: T<D>) -> T<D> {
        D::interpret(Operation::Factorize { op, x }).one()
    }
    fn lu(x: T<D>, index: DType) -> (T<D>, T<D>) {
        D::interpret(Operation::Lu { x, index }).two()
    }
    fn solve(a: T<D>, b: T<D>) -> T<D> {
        D::interpret(Operation::Solve { a, b }).one()
    }
    fn solve_triangular(a: T<D>, b: T<D>, triangle: Triangle) -> T<D> {
        D::interpret(Operation::SolveTriangular { a, b, triangle }).one()
    }
    fn conv(args: ConvArgs<T<D>>) -> T<D> {
        D::interpret(Operation::Conv(Box::new(args))).one()
    }
    fn conv_transpose(args: ConvGradArgs<T<D>>) -> T<D> {
        D::interpret(Operation::ConvTranspose(Box::new(args))).one()
    }
    fn conv_weight_grad(args: ConvGradArgs<T<D>>) -> T<D> {
        D::interpret(Operation::ConvWeightGrad(Box::new(args))).one()
    }
    fn pool(args: PoolArgs<T<D>>) -> T<D> {
        D::interpret(Operation::Pool(Box::new(args))).one()
    }
    fn pool_grad(args: PoolGradArgs<T<D>>) -> T<D> {
        D::interpret(Operation::PoolGrad(Box::new(args))).one()
    }
    fn max_pool_with_indices(x: T<D>, options: PoolOptions, index: DType) -> (T<D>, T<D>) {
        D::interpret(Operation::MaxPoolWithIndices { x, options: Box::new(options), index }).two()
    }
    fn adaptive_avg_pool(x: T<D>, size: Dims) -> T<D> {
        D::interpret(Operation::AdaptiveAvgPool { x, size }).one()
    }
    fn adaptive_avg_pool_grad(grad: T<D>, target: Shape) -> T<D> {
        D::interpret(Operation::AdaptiveAvgPoolGrad { grad, target }).one()
    }
    fn interpolate(x: T<D>, size: Dims, options: Interpolation) -> T<D> {
        D::interpret(Operation::Interpolate { x, size, options: Box::new(options) }).one()
    }
    fn interpolate_grad(grad: T<D>, target: Shape, options: Interpolation) -> T<D> {
        D::interpret(Operation::InterpolateGrad { grad, target, options: Box::new(options) }).one()
    }
    fn fft(op: FftOp, x: T<D>, dim: usize) -> T<D> {
        D::interpret(Operation::Fft { op, x, dim }).one()
    }
    fn softmax(x: T<D>, dim: usize) -> T<D> {
        D::interpret(Operation::Softmax { x, dim }).one()
    }
    fn log_softmax(x: T<D>, dim: usize) -> T<D> {
        D::interpret(Operation::LogSoftmax { x, dim }).one()
    }
    fn layer_norm(args: LayerNormArgs<T<D>>) -> T<D> {
        D::interpret(Operation::LayerNorm(Box::new(args))).one()
    }
    fn layer_norm_grad(args: LayerNormGradArgs<T<D>>) -> T<D> {
        D::interpret(Operation::LayerNormGrad(Box::new(args))).one()
    }
    fn attention(args: AttentionArgs<T<D>>) -> (T<D>, T<D>) {
        D::interpret(Operation::Attention(Box::new(args))).two()
    }
    fn attention_grad(args: AttentionGradArgs<T<D>>) -> (T<D>, T<D>, T<D>) {
        D::interpret(Operation::AttentionGrad(Box::new(args))).three()
    }
    fn quantize(args: QuantizeArgs<T<D>>) -> T<D> {
        D::interpret(Operation::Quantize(Box::new(args))).one()
    }
    fn dequantize(x: Packed<T<D>>) -> T<D> {
        D::interpret(Operation::Dequantize(Box::new(x))).one()
    }
    fn quantized_matmul(args: QuantizedMatmulArgs<T<D>>) -> T<D> {
        D::interpret(Operation::QuantizedMatmul(Box::new(args))).one()
    }
    fn integer_matmul(args: IntegerMatmulArgs<T<D>>) -> T<D> {
        D::interpret(Operation::IntegerMatmul(Box::new(args))).one()
    }
    fn recurrent(args: RecurrentArgs<T<D>>) -> (T<D>, T<D>) {
        D::interpret(Operation::Recurrent(Box::new(args))).two()
    }
    fn recurrent_grad(args: RecurrentGradArgs<T<D>>) -> (T<D>, T<D>) {
        D::interpret(Operation::RecurrentGrad(Box::new(args))).two()
    }
    fn argwhere(mask: T<D>, index: DType) -> impl Future<Output = Result<T<D>, DataError>> + Send {
        <D as Interpreter>::argwhere(mask, index)
    }
}

use crate::Block;
use crate::dynamic::BackendObject;
use crate::{LinearMapError, LinearMapRef, NamedOps};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use burn_ir::*;
use core::fmt::Debug;
use core::future::Future;

/// A tensor of some backend: cheap to clone, knows its spec, crosses threads.
pub trait TensorHandle: HasSpec + Clone + Debug + Send + Sync + 'static {}
impl<T: HasSpec + Clone + Debug + Send + Sync + 'static> TensorHandle for T {}

/// Device of a backend, on which tensors are allocated.
pub trait DeviceHandle: Clone + Debug + Default + PartialEq + Send + Sync + 'static {}
impl<T: Clone + Debug + Default + PartialEq + Send + Sync + 'static> DeviceHandle for T {}

pub type Device<B> = <B as Backend>::Device;
/// A tensor expected to be of a float dtype; one type with the two below.
pub type FloatTensor<B> = <B as Backend>::Tensor;
pub type IntTensor<B> = <B as Backend>::Tensor;
pub type BoolTensor<B> = <B as Backend>::Tensor;

/// Segment of a program over tensors of a backend, which may run more than once.
pub type Segment<T> = Box<dyn Fn(Vec<T>) -> Vec<T> + Send>;

/// Backend: storage of tensors, and the computation of operations on them, by families of operations.
///
/// Programs are generic over it and use its device and nothing else; the operations are methods of `Tensor`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::Tensor;
/// use burn::tensor::backend::Backend;
///
/// fn mean_of_ones<B: Backend>(device: &B::Device) -> Tensor<B, 1> {
///     Tensor::<B, 2>::ones([2, 3], device).mean()
/// }
///
/// NdArray::<f32>::seed(42);
/// assert_eq!(mean_of_ones::<NdArray>(&Default::default()).into_scalar(), 1.0);
/// ```
///
/// No method has a body here: what a backend lacks, the compiler names.
/// Leaves implement this trait. Decorators implement [`Interpreter`](crate::interpreter::Interpreter) instead.
pub trait Backend: NamedOps<Self> + Clone + Debug + Default + Send + Sync + 'static {
    type Device: DeviceHandle;
    type Tensor: TensorHandle;
    type FloatElem: Element;
    type IntElem: Element;

    /// Executes any operation. A leaf calls [`dispatch`](crate::dispatch) in a function that is not generic,
    /// so that its own crate compiles it once, and no program does.
    #[track_caller]
    fn execute(op: Operation<Self::Tensor>) -> Outputs<Self::Tensor>;
    /// Returns this backend as an object, for code that is compiled once for all backends. A leaf implements
    /// it by a function that is not generic.
    fn object() -> &'static dyn BackendObject;

    // Device and host.
    /// Returns the name of the backend as it is printed with a tensor: `"ndarray"`, `"autodiff<ndarray>"`.
    fn name(device: &Self::Device) -> String;
    /// Returns whether tensors on `device` support `dtype`. Creating a tensor of an unsupported dtype panics.
    fn has_dtype(device: &Self::Device, dtype: DType) -> bool;
    /// Seeds the random number generator: the same seed and the same calls give the same numbers.
    fn seed(seed: u64);
    /// Waits until all queued work on `device` is complete.
    fn sync(device: &Self::Device);
    fn device(x: &Self::Tensor) -> Self::Device;
    fn to_device(x: Self::Tensor, device: &Self::Device) -> Self::Tensor;
    fn into_data(x: Self::Tensor) -> impl Future<Output = Result<TensorData, DataError>> + Send;

    // Gradient tracking; identity where nothing is tracked.
    /// Returns whether tensors on `device` can be tracked: true for `Autodiff` and decorators around it.
    /// Layers that act only in training, such as dropout, query it.
    fn tracks_gradients(device: &Self::Device) -> bool;
    fn set_require_grad(x: Self::Tensor, require_grad: bool) -> Self::Tensor;
    fn is_require_grad(x: &Self::Tensor) -> bool;
    fn detach(x: Self::Tensor) -> Self::Tensor;
    /// Computes `segment(inputs)` as a gradient checkpoint: where gradients are tracked, intermediate values
    /// are dropped and the segment runs again in the backward pass. Elsewhere it is a plain call.
    fn checkpoint(segment: Segment<Self::Tensor>, inputs: Vec<Self::Tensor>) -> Vec<Self::Tensor>;
    /// Computes a linear map that is no [`Operation`], such as a sum over processes. Where gradients are tracked, its
    /// transpose is the gradient; elsewhere it is [`apply_linear_map`](crate::apply_linear_map).
    ///
    /// # Errors
    /// Those of the map.
    fn linear_map(map: LinearMapRef, x: Self::Tensor) -> Result<Self::Tensor, LinearMapError>;

    // Creation.
    fn from_data(data: TensorData, device: &Self::Device) -> Self::Tensor;
    fn full(spec: TensorSpec, value: Scalar, device: &Self::Device) -> Self::Tensor;
    fn range(spec: TensorSpec, start: Scalar, step: Scalar, device: &Self::Device) -> Self::Tensor;
    fn random(spec: TensorSpec, distribution: Distribution, device: &Self::Device) -> Self::Tensor;

    // Elementwise.
    fn unary(op: UnaryOp, x: Self::Tensor) -> Self::Tensor;
    #[track_caller]
    fn binary(op: BinaryOp, lhs: Self::Tensor, rhs: Self::Tensor) -> Self::Tensor;
    fn binary_scalar(op: BinaryOp, lhs: Self::Tensor, rhs: Scalar) -> Self::Tensor;
    #[track_caller]
    fn compare(op: CompareOp, lhs: Self::Tensor, rhs: Self::Tensor) -> Self::Tensor;
    fn compare_scalar(op: CompareOp, lhs: Self::Tensor, rhs: Scalar) -> Self::Tensor;
    fn clamp(x: Self::Tensor, min: Option<Scalar>, max: Option<Scalar>) -> Self::Tensor;
    #[track_caller]
    fn mask_where(mask: Self::Tensor, on: Self::Tensor, off: Self::Tensor) -> Self::Tensor;
    #[track_caller]
    fn mask_fill(x: Self::Tensor, mask: Self::Tensor, value: Scalar) -> Self::Tensor;
    fn cast(x: Self::Tensor, dtype: DType) -> Self::Tensor;

    // Layout.
    fn reshape(x: Self::Tensor, shape: Shape) -> Self::Tensor;
    fn permute(x: Self::Tensor, axes: Dims) -> Self::Tensor;
    fn expand(x: Self::Tensor, shape: Shape) -> Self::Tensor;
    fn flip(x: Self::Tensor, axes: Dims) -> Self::Tensor;
    fn slice(x: Self::Tensor, slices: Slices) -> Self::Tensor;
    #[track_caller]
    fn slice_assign(x: Self::Tensor, slices: Slices, value: Self::Tensor) -> Self::Tensor;
    #[track_caller]
    fn cat(xs: Vec<Self::Tensor>, dim: usize) -> Self::Tensor;
    fn repeat_dim(x: Self::Tensor, dim: usize, times: usize) -> Self::Tensor;

    // Reduction and order.
    fn reduce(op: ReduceOp, x: Self::Tensor, dims: Dims) -> Self::Tensor;
    fn arg_reduce(op: Extremum, x: Self::Tensor, dim: usize, index: DType) -> Self::Tensor;
    fn reduce_with_indices(
        op: Extremum,
        x: Self::Tensor,
        dim: usize,
        index: DType,
    ) -> (Self::Tensor, Self::Tensor);
    fn cumulative(op: CumulativeOp, x: Self::Tensor, dim: usize) -> Self::Tensor;
    fn sort(x: Self::Tensor, dim: usize, descending: bool) -> Self::Tensor;
    fn sort_with_indices(
        x: Self::Tensor,
        dim: usize,
        descending: bool,
        index: DType,
    ) -> (Self::Tensor, Self::Tensor);
    fn topk(
        x: Self::Tensor,
        k: usize,
        dim: usize,
        largest: bool,
        index: DType,
    ) -> (Self::Tensor, Self::Tensor);

    // Indexing.
    #[track_caller]
    fn gather(x: Self::Tensor, dim: usize, indices: Self::Tensor) -> Self::Tensor;
    #[track_caller]
    fn scatter(
        x: Self::Tensor,
        dim: usize,
        indices: Self::Tensor,
        value: Self::Tensor,
        update: IndexUpdate,
    ) -> Self::Tensor;
    #[track_caller]
    fn select(x: Self::Tensor, dim: usize, indices: Self::Tensor) -> Self::Tensor;
    #[track_caller]
    fn select_assign(
        x: Self::Tensor,
        dim: usize,
        indices: Self::Tensor,
        value: Self::Tensor,
        update: IndexUpdate,
    ) -> Self::Tensor;

    // Linear algebra and networks.
    #[track_caller]
    fn matmul(lhs: Self::Tensor, rhs: Self::Tensor) -> Self::Tensor;
    fn factorize(op: Factorization, x: Self::Tensor) -> Self::Tensor;
    fn lu(x: Self::Tensor, index: DType) -> (Self::Tensor, Self::Tensor);
    #[track_caller]
    fn solve(a: Self::Tensor, b: Self::Tensor) -> Self::Tensor;
    #[track_caller]
    fn solve_triangular(a: Self::Tensor, b: Self::Tensor, triangle: Triangle) -> Self::Tensor;
    #[track_caller]
    fn conv(args: ConvArgs<Self::Tensor>) -> Self::Tensor;
    #[track_caller]
    fn conv_transpose(args: ConvGradArgs<Self::Tensor>) -> Self::Tensor;
    #[track_caller]
    fn conv_weight_grad(args: ConvGradArgs<Self::Tensor>) -> Self::Tensor;
    fn pool(args: PoolArgs<Self::Tensor>) -> Self::Tensor;
    #[track_caller]
    fn pool_grad(args: PoolGradArgs<Self::Tensor>) -> Self::Tensor;
    fn max_pool_with_indices(
        x: Self::Tensor,
        options: PoolOptions,
        index: DType,
    ) -> (Self::Tensor, Self::Tensor);
    fn adaptive_avg_pool(x: Self::Tensor, size: Dims) -> Self::Tensor;
    fn adaptive_avg_pool_grad(grad: Self::Tensor, target: Shape) -> Self::Tensor;
    fn interpolate(x: Self::Tensor, size: Dims, options: Interpolation) -> Self::Tensor;
    fn interpolate_grad(grad: Self::Tensor, target: Shape, options: Interpolation) -> Self::Tensor;
    fn fft(op: FftOp, x: Self::Tensor, dim: usize) -> Self::Tensor;

    /// Computes the outputs of a block, in order: in one pass, or call by call with
    /// [`reference::run_block`](crate::reference::run_block).
    #[track_caller]
    fn run_block(block: Block<Self::Tensor>) -> Vec<Self::Tensor>;

    // Composites: a leaf without a kernel calls its part of [`reference`](crate::reference).
    fn softmax(x: Self::Tensor, dim: usize) -> Self::Tensor;
    fn log_softmax(x: Self::Tensor, dim: usize) -> Self::Tensor;
    #[track_caller]
    fn layer_norm(args: LayerNormArgs<Self::Tensor>) -> Self::Tensor;
    #[track_caller]
    fn layer_norm_grad(args: LayerNormGradArgs<Self::Tensor>) -> Self::Tensor;
    fn attention(args: AttentionArgs<Self::Tensor>) -> (Self::Tensor, Self::Tensor);
    fn attention_grad(args: AttentionGradArgs<Self::Tensor>) -> (Self::Tensor, Self::Tensor, Self::Tensor);
    fn recurrent(args: RecurrentArgs<Self::Tensor>) -> (Self::Tensor, Self::Tensor);
    fn recurrent_grad(args: RecurrentGradArgs<Self::Tensor>) -> (Self::Tensor, Self::Tensor);

    // Quantized tensors. A leaf without kernels calls its parts of [`reference`](crate::reference).
    #[track_caller]
    fn quantize(args: QuantizeArgs<Self::Tensor>) -> Self::Tensor;
    #[track_caller]
    fn dequantize(x: Packed<Self::Tensor>) -> Self::Tensor;
    #[track_caller]
    fn quantized_matmul(args: QuantizedMatmulArgs<Self::Tensor>) -> Self::Tensor;
    #[track_caller]
    fn integer_matmul(args: IntegerMatmulArgs<Self::Tensor>) -> Self::Tensor;

    /// Coordinates of the true elements, `[count, rank]`, of the int dtype `index`. The only operation whose
    /// shape depends on data; it is not an [`Operation`], so that [`output_specs`] is total.
    fn argwhere(
        mask: Self::Tensor,
        index: DType,
    ) -> impl Future<Output = Result<Self::Tensor, DataError>> + Send;
}

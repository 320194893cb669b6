use crate::dynamic::BackendObject;
use crate::{
    Block, DeviceHandle, LaunchGraphs, LinearMapError, LinearMapRef, Segment, TensorHandle, TypedCalls,
};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use burn_ir::*;
use core::fmt::Debug;
use core::future::Future;

pub type Device<B> = <B as Backend>::Device;
/// A tensor expected to be of a float dtype; one type with the two below.
pub type FloatTensor<B> = <B as Backend>::Tensor;
pub type IntTensor<B> = <B as Backend>::Tensor;
pub type BoolTensor<B> = <B as Backend>::Tensor;

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
/// No method has a body here: what a backend lacks, the compiler names. An operation is a value, and a leaf
/// executes it by a match on its family; typed functions for each operation are those of [`TypedCalls`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a backend",
    note = "a backend is a leaf such as `NdArray`, or a decorator over backends such as `Autodiff<NdArray>`"
)]
pub trait Backend: TypedCalls<Self> + Clone + Debug + Default + Send + Sync + 'static {
    type Device: DeviceHandle;
    type Tensor: TensorHandle;
    type FloatElem: Element;
    type IntElem: Element;

    /// Executes any operation. A leaf calls a function that is not generic, so that its own crate compiles
    /// the kernels once, and no program does.
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
    /// Returns what records launches on `device`, so that it repeats them without the host; `None` where the
    /// device or the backend does not do that. [`RepeatedStep`](crate::RepeatedStep) is made of it.
    fn launch_graphs(device: &Self::Device) -> Option<Box<dyn LaunchGraphs>>;
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
    /// Computes a linear map that is no [`Operation`], such as a sum over processes. Where gradients are
    /// tracked, its transpose is the gradient; elsewhere it is [`apply_linear_map`](crate::apply_linear_map).
    ///
    /// # Errors
    /// Those of the map.
    fn linear_map(map: LinearMapRef, x: Self::Tensor) -> Result<Self::Tensor, LinearMapError>;

    /// Creates a tensor from what is no tensor: host data, a constant, a range, random numbers.
    fn create(creation: Creation, device: &Self::Device) -> Self::Tensor;

    /// Computes the outputs of a block, in order: in one pass, or call by call with
    /// [`reference::run_block`](crate::reference::run_block).
    #[track_caller]
    fn run_block(block: Block<Self::Tensor>) -> Vec<Self::Tensor>;

    /// Coordinates of the true elements, `[count, rank]`, of the int dtype `index`. The only operation whose
    /// shape depends on data; it is not an [`Operation`], so that [`output_specs`] is total.
    fn argwhere(
        mask: Self::Tensor,
        index: DType,
    ) -> impl Future<Output = Result<Self::Tensor, DataError>> + Send;
}

use crate::launch::tensor::CubeTensor;
use burn_backend::{ConvOptions, DType, LaunchGraphs};
use cubecl::server::Handle;
use std::fmt::Debug;
use std::sync::Arc;

/// Answer of a vendor library to a call that it is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The call is queued.
    Done,
    /// The library supports the call for operands in row-major order.
    IfContiguous,
    No,
    /// Not supported, although the library has calls of this kind; with the library's reason.
    Failed(Arc<str>),
}

/// Operations applied to a product before it is written, in this order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epilogue<'a> {
    /// Added to each row: as many elements as the product has columns, of its type, in order from the start
    /// of a buffer.
    pub bias: Option<&'a CubeTensor>,
    pub relu: bool,
}

/// Which of the tensors of a convolution is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    Output,
    Input,
    Weight,
}

/// A convolution of `x` with `weight` that gives `y`. One of the three is written, from the two others, and
/// is in row-major order or has its channels last.
#[derive(Clone, Copy, Debug)]
pub struct ConvolutionCall<'a> {
    pub wanted: Wanted,
    pub x: &'a CubeTensor,
    pub weight: &'a CubeTensor,
    pub y: &'a CubeTensor,
    /// A number for each channel of `y`, in order from the start of a buffer, which is added where `y` is
    /// written.
    pub bias: Option<&'a CubeTensor>,
    pub options: &'a ConvOptions,
}

/// Operands of attention.
#[derive(Clone, Copy, Debug)]
pub struct AttentionCall<'a> {
    pub query: &'a CubeTensor,
    pub key: &'a CubeTensor,
    pub value: &'a CubeTensor,
    /// Added to the scores, as which it has as many dimensions, some of them 1.
    pub mask: Option<&'a CubeTensor>,
    pub causal: bool,
    pub scale: f64,
}

/// The results of an attention and the gradient of the first one.
#[derive(Clone, Copy, Debug)]
pub struct AttentionResults<'a> {
    pub out: &'a CubeTensor,
    pub log_sums: &'a CubeTensor,
    pub grad: &'a CubeTensor,
}

/// Vendor library of a device, whose calls are in order with kernels. Calls that it declines run as kernels.
pub trait Library: Debug + Send + Sync {
    /// See [`Backend::launch_graphs`](burn_backend::Backend::launch_graphs).
    fn launch_graphs(&self) -> Option<Box<dyn LaunchGraphs>>;
    /// Returns whether kernels of a graph start while the kernel before them still runs (programmatic
    /// dependent launch).
    fn has_dependent_launches(&self) -> bool;
    /// Returns whether the graph that the calling thread records has not used this buffer so far, so that no
    /// launch of it writes there. True where the thread records nothing.
    fn is_untouched(&self, buffer: &Handle) -> bool;
    /// A buffer with these bytes, where there is a faster way to make one than the runtime's.
    fn create(&self, bytes: &[u8]) -> Option<Handle>;
    /// A buffer of so many bytes, as `create`.
    fn empty(&self, bytes: usize) -> Option<Handle>;
    /// Writes the product of (batches of) matrices to `out`, which is contiguous and of their shape. A
    /// dimension of the batch of an operand may be missing or 1.
    fn product(&self, lhs: &CubeTensor, rhs: &CubeTensor, out: &CubeTensor, epilogue: Epilogue) -> Answer;
    /// Writes the tensor of a convolution that is wanted.
    fn convolution(&self, call: ConvolutionCall) -> Answer;
    /// Whether it may take attention of elements of this dtype.
    fn has_attention(&self, dtype: DType) -> bool;
    /// Writes both results to tensors that are contiguous. What rows without a key get is open.
    fn attention(&self, call: AttentionCall, out: &CubeTensor, log_sums: &CubeTensor) -> Answer;
    /// Writes the gradients by query, key and value to tensors that are contiguous.
    fn attention_grad(&self, call: AttentionCall, of: AttentionResults, grads: [&CubeTensor; 3]) -> Answer;
}

use crate::tensor::CubeTensor;
use cubecl::server::Handle;
use std::fmt::Debug;

/// What a library that comes with a device says to a call it is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The result is on its way.
    Done,
    /// It would, if the operands were in row-major order.
    IfContiguous,
    No,
}

/// What a vendor has for a device beside kernels of ours, in order with them. What it declines we do ourselves.
pub trait Library: Debug + Send + Sync {
    /// A buffer with these bytes, where there is a faster way to make one than the runtime's.
    fn create(&self, bytes: &[u8]) -> Option<Handle>;
    /// Writes the product of (batches of) matrices to `out`, which is contiguous and of their shape. A dimension of
    /// the batch of an operand may be missing or 1.
    fn product(&self, lhs: &CubeTensor, rhs: &CubeTensor, out: &CubeTensor) -> Answer;
}

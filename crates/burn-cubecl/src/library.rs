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

/// What is done to a product before it is written, in this order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epilogue<'a> {
    /// Added to each row: as many elements as the product has columns, of its type, in order from the start of a buffer.
    pub bias: Option<&'a CubeTensor>,
    pub relu: bool,
}

/// What a vendor has for a device beside kernels of ours, in order with them. What it declines we do ourselves.
pub trait Library: Debug + Send + Sync {
    /// A buffer with these bytes, where there is a faster way to make one than the runtime's.
    fn create(&self, bytes: &[u8]) -> Option<Handle>;
    /// Writes the product of (batches of) matrices to `out`, which is contiguous and of their shape. A dimension of
    /// the batch of an operand may be missing or 1.
    fn product(&self, lhs: &CubeTensor, rhs: &CubeTensor, out: &CubeTensor, epilogue: Epilogue) -> Answer;
}

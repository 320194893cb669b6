//! Tensors in row-major order, copied where they are not.

use crate::kernels::copy;
use crate::tensor::NdTensor;
use burn_backend::Shape;
use bytemuck::Pod;

impl NdTensor {
    /// The elements for writing, copied unless they are unique and in order.
    pub(crate) fn make_mut<E: Pod>(&mut self) -> &mut [E] {
        if !self.is_writable() {
            *self = copy::to_contiguous(self);
        }
        self.as_mut_slice().expect("unique and contiguous")
    }

    /// The same elements in row-major order.
    pub(crate) fn into_contiguous(self) -> Self {
        if self.is_contiguous() { self } else { copy::to_contiguous(&self) }
    }

    /// The same elements in another shape; a view where the strides allow it.
    pub(crate) fn reshaped(self, shape: Shape) -> Self {
        self.reshaped_by(shape, copy::to_contiguous)
    }
}

//! The operand of a reduction, or of a search.

use crate::elements::collapsed::collapse;
use crate::elements::load::{Load, Wide};
use crate::kernels::copy;
use crate::tensor::NdTensor;
use crate::threads::parallel::Shared;
use burn_backend::{Dims, HasSpec, Shape};

/// Elements of the operand of a reduction.
#[derive(Clone, Copy)]
pub struct ReductionSource<E> {
    start: Shared<u8>,
    /// Bytes of an element.
    pub width: usize,
    pub load: Load<E>,
    /// Whether elements have the type of arithmetic.
    pub is_wide: bool,
    /// Whether they are more than the second cache holds.
    pub is_medium: bool,
    /// Whether they are more than the third cache holds for one thread.
    pub is_large: bool,
}

/// Bytes of elements from which on they come from the third cache.
const MEDIUM: usize = 2 << 20;
/// Bytes of elements from which on they come from memory.
const LARGE: usize = 12 << 20;

impl<E: Wide> ReductionSource<E> {
    pub fn new(x: &NdTensor) -> Self {
        let dtype = x.spec().dtype;
        let start = Shared(x.start().cast_mut());
        let (width, bytes) = (dtype.size(), x.len().saturating_mul(dtype.size()));
        let (is_medium, is_large) = (bytes >= MEDIUM, bytes >= LARGE);
        ReductionSource {
            start,
            width,
            load: E::load(dtype),
            is_wide: dtype == E::dtype(),
            is_medium,
            is_large,
        }
    }

    /// Address of an element.
    pub fn at(&self, offset: usize) -> *const u8 {
        self.start.get().wrapping_add(offset.wrapping_mul(self.width)).cast_const()
    }

    /// Elements of room that [`ReductionSource::gather`] needs for so many elements: those of narrow dtypes
    /// are brought into order before they are widened.
    pub fn room(&self, count: usize) -> usize {
        if self.is_wide { count } else { 2 * count }
    }

    /// Brings elements into row-major order, at the front of the room.
    ///
    /// # Safety
    /// The elements lie within the tensor.
    pub unsafe fn gather(&self, offset: usize, sizes: &[usize], steps: &[usize], room: &mut [E]) {
        let orders: Dims = Shape::from(sizes).strides();
        let walk = collapse(sizes, [&orders, steps]);
        let (out, picked) = room.split_at_mut(walk.rows() * walk.inner());
        // SAFETY: by the contract, and there is as much room.
        unsafe {
            if walk.rows() == 1 && walk.step(1) == 1 {
                (self.load)(self.at(offset), 1, out);
            } else if self.is_wide {
                copy::gather(&walk, self.width, out.as_mut_ptr().cast(), self.at(offset));
            } else {
                let picked = picked.as_mut_ptr().cast::<u8>();
                copy::gather(&walk, self.width, picked, self.at(offset));
                (self.load)(picked, 1, out);
            }
        }
    }
}

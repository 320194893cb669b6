use crate::tensor::NdTensor;
use crate::threads::parallel::Shared;
use burn_backend::{DType, HasSpec};

/// Writer of positions, as integers of any width.
#[derive(Clone, Copy, Debug)]
pub struct Positions {
    start: Shared<u8>,
    width: usize,
}

impl Positions {
    /// The dtype in which positions are written that are to have `index`.
    pub fn dtype(index: DType) -> DType {
        if index.is_int() { index } else { DType::I64 }
    }

    pub fn new(out: &mut NdTensor) -> Self {
        let width = out.spec().dtype.size();
        Positions { start: Shared(out.start_mut()), width }
    }

    /// Writes a position; of one that is too large, the low bits.
    ///
    /// # Safety
    /// The position lies within the tensor, and no other thread uses it.
    #[inline(always)]
    pub unsafe fn write(&self, at: usize, position: usize) {
        let place = self.start.get().wrapping_add(at * self.width);
        // SAFETY: by the contract.
        unsafe {
            match self.width {
                8 => place.cast::<u64>().write(position as u64),
                4 => place.cast::<u32>().write(position as u32),
                2 => place.cast::<u16>().write(position as u16),
                _ => place.write(position as u8),
            }
        }
    }
}

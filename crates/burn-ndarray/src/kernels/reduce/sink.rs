//! Writing results of a reduction.

use crate::elements::load::{Store, Wide};
use crate::threads::parallel::Shared;

/// Results of a kernel, in the type of arithmetic, on their way to the elements of a tensor.
#[derive(Clone, Copy)]
pub struct Sink<E> {
    start: Shared<u8>,
    /// Bytes of an element.
    width: usize,
    store: Store<E>,
    /// Divisor of the sums, for means.
    divisor: Option<E>,
}

impl<E: Wide> Sink<E> {
    pub fn new(start: *mut u8, dtype: burn_backend::DType, divisor: Option<E>) -> Self {
        Sink { start: Shared(start), width: dtype.size(), store: E::store(dtype), divisor }
    }

    /// Writes results from the one with this number on, `step` apart.
    ///
    /// # Safety
    /// The positions lie within the tensor, and nothing else uses them.
    pub unsafe fn write(&self, at: usize, step: usize, results: &mut [E]) {
        if let Some(divisor) = self.divisor {
            results.iter_mut().for_each(|x| *x = x.over(divisor));
        }
        let place = |at: usize| self.start.get().wrapping_add(at * self.width);
        // SAFETY: by the contract.
        unsafe {
            if step == 1 {
                return (self.store)(results, place(at));
            }
            for (k, result) in results.iter().enumerate() {
                (self.store)(core::slice::from_ref(result), place(at + k * step));
            }
        }
    }
}

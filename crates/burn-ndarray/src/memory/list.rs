use super::out_of_memory;
use alloc::vec::Vec;

/// `len` times `value`, as workspace. Where there is no memory for it, this ends the call: see
/// [`out_of_memory`].
pub fn list<E: Copy>(value: E, len: usize) -> Vec<E> {
    let mut list = Vec::new();
    if list.try_reserve_exact(len).is_err() {
        out_of_memory(None, len.checked_mul(size_of::<E>()));
    }
    list.resize(len, value);
    list
}

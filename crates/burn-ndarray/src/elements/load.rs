//! Elements of any dtype and spacing, read and written as one of the four types of arithmetic: kernels
//! convert a piece that stays in a cache instead of a whole tensor.

use crate::elements::dtype::{
    load_bf16, load_bool, load_f16, load_i8, load_i16, load_i32, load_u8, load_u16, load_u32, store_bf16,
    store_bool, store_f16, store_i8, store_i16, store_i32, store_u8, store_u16, store_u32,
};
use crate::elements::number::Number;
use crate::kernels::interleave::deinterleave;
use burn_backend::DType;
use bytemuck::Pod;
use core::slice;

/// Function that fills a slice with elements from an address on, `step` elements apart; steps below zero are
/// their two's complement.
///
/// # Safety
/// `out.len()` elements of the dtype may be read.
pub type Load<E> = unsafe fn(start: *const u8, step: usize, out: &mut [E]);

/// Function that writes contiguous elements from an address on.
///
/// # Safety
/// `xs.len()` elements of the dtype may be written.
pub type Store<E> = unsafe fn(xs: &[E], start: *mut u8);

/// A type of arithmetic, with the conversions of the dtypes that are computed in it.
pub trait Wide: Number {
    /// # Panics
    /// When elements of `dtype` are not computed in this type.
    fn load(dtype: DType) -> Load<Self>;
    /// # Panics
    /// When elements of `dtype` are not computed in this type.
    fn store(dtype: DType) -> Store<Self>;
    /// The dtype of this type.
    fn dtype() -> DType;
}

/// Elements that are picked up before they are converted.
const PICKED: usize = 256;

/// # Safety
/// See [`Load`].
unsafe fn pick<E: Pod>(start: *const E, step: usize, out: &mut [E]) {
    if step == 1 {
        // SAFETY: by the contract.
        return out.copy_from_slice(unsafe { slice::from_raw_parts(start, out.len()) });
    }
    // SAFETY: by the contract.
    if unsafe { deinterleave(start, step, out) } {
        return;
    }
    let mut at = start;
    for out in out {
        // SAFETY: by the contract.
        *out = unsafe { at.read() };
        at = at.wrapping_add(step);
    }
}

/// # Safety
/// See [`Load`].
unsafe fn load_strided<N: Pod, E>(
    start: *const N,
    step: usize,
    out: &mut [E],
    load: impl Fn(&[N], &mut [E]),
) {
    if step == 1 {
        // SAFETY: by the contract.
        return load(unsafe { slice::from_raw_parts(start, out.len()) }, out);
    }
    let mut picked = [N::zeroed(); PICKED];
    for (k, out) in out.chunks_mut(PICKED).enumerate() {
        let picked = &mut picked[..out.len()];
        // SAFETY: by the contract.
        unsafe { pick(start.wrapping_add((k * PICKED).wrapping_mul(step)), step, picked) };
        load(picked, out);
    }
}

macro_rules! wide {
    ($($E:ident $DTYPE:ident { $($narrow:ident $N:ty, $load:ident, $store:ident;)* })*) => {$(
        impl Wide for $E {
            fn load(dtype: DType) -> Load<Self> {
                match dtype {
                    DType::$DTYPE => |start, step, out| {
                        // SAFETY: by the contract of the pointer.
                        unsafe { pick(start.cast::<$E>(), step, out) }
                    },
                    $(DType::$narrow => |start, step, out| {
                        // SAFETY: by the contract of the pointer.
                        unsafe { load_strided(start.cast::<$N>(), step, out, $load) }
                    },)*
                    #[allow(clippy::wildcard_enum_match_arm)] // The others have another type of arithmetic.
                    other => unreachable!("{} elements are not computed in {}", other.name(), stringify!($E)),
                }
            }
            fn store(dtype: DType) -> Store<Self> {
                match dtype {
                    DType::$DTYPE => |xs, start| {
                        // SAFETY: by the contract of the pointer.
                        unsafe { slice::from_raw_parts_mut(start.cast::<$E>(), xs.len()) }.copy_from_slice(xs);
                    },
                    $(DType::$narrow => |xs, start| {
                        // SAFETY: by the contract of the pointer.
                        $store(xs, unsafe { slice::from_raw_parts_mut(start.cast::<$N>(), xs.len()) });
                    },)*
                    #[allow(clippy::wildcard_enum_match_arm)] // The others have another type of arithmetic.
                    other => unreachable!("{} elements are not computed in {}", other.name(), stringify!($E)),
                }
            }
            fn dtype() -> DType {
                DType::$DTYPE
            }
        }
    )*};
}
wide! {
    f64 F64 {}
    f32 F32 { F16 u16, load_f16, store_f16; BF16 u16, load_bf16, store_bf16; }
    i64 I64 {
        I32 i32, load_i32, store_i32; I16 i16, load_i16, store_i16; I8 i8, load_i8, store_i8;
        Bool u8, load_bool, store_bool;
    }
    u64 U64 { U32 u32, load_u32, store_u32; U16 u16, load_u16, store_u16; U8 u8, load_u8, store_u8; }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_at_any_step_and_written_back() {
        let xs: Vec<i16> = (0..1000).map(|i| i * 7 - 3000).collect();
        let mut found = vec![0_i64; 300];
        // SAFETY: 300 elements at steps of 3 and of -3 lie in the list.
        unsafe {
            i64::load(DType::I16)(xs.as_ptr().cast(), 3, &mut found);
            assert!(found.iter().zip(xs.iter().step_by(3)).all(|(&found, &x)| found == i64::from(x)));
            i64::load(DType::I16)(xs.as_ptr().wrapping_add(999).cast(), 3_usize.wrapping_neg(), &mut found);
        }
        assert!(found.iter().zip(xs.iter().rev().step_by(3)).all(|(&found, &x)| found == i64::from(x)));
        let mut back = vec![0_i16; 300];
        // SAFETY: the list has as many elements.
        unsafe { i64::store(DType::I16)(&found, back.as_mut_ptr().cast()) };
        assert!(back.iter().zip(&found).all(|(&x, &found)| i64::from(x) == found));
    }
}

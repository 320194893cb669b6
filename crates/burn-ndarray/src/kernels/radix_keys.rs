//! Unsigned integers that are in the order of elements, so that sorting looks at digits instead of comparing.

use crate::simd::dispatch;
use burn_backend::{bf16, f16};
use bytemuck::Pod;

/// The unsigned integers.
pub trait Key: Pod + Ord + Send + Sync {
    const BITS: usize;
    fn byte(self, index: usize) -> usize;
    /// The integer in which the order is turned round.
    fn flipped(self) -> Self;
    fn wide(self) -> u64;
    /// The key with these low bits.
    fn of(wide: u64) -> Self;
}

macro_rules! key {
    ($($ty:ident)*) => {$(
        impl Key for $ty {
            const BITS: usize = $ty::BITS as usize;

            #[inline(always)]
            fn byte(self, index: usize) -> usize {
                (self >> (index * 8)) as usize & 0xff
            }
            #[inline(always)]
            fn flipped(self) -> Self {
                !self
            }
            #[inline(always)]
            fn wide(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            fn of(wide: u64) -> Self {
                wide as $ty
            }
        }
    )*};
}
key!(u8 u16 u32 u64);

/// An element, as it is stored, that has a key of as many bits. NaN is larger than everything.
pub trait Keyed: Pod + Send + Sync {
    type Key: Key;
    /// Different for different elements; of two zeros the negative one comes first.
    fn key(self) -> Self::Key;
    /// Equal for equal elements.
    fn rank(self) -> Self::Key;
    /// The element with this key; any NaN for NaN.
    fn of_key(key: Self::Key) -> Self;
    /// Whether an element comes before all with this rank.
    fn any_below(row: &[Self], rank: Self::Key, descending: bool) -> bool;
}

macro_rules! float {
    ($($ty:ident $key:ident, $x:ident => $unsigned_zero:expr;)*) => {$(
        impl Keyed for $ty {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                const SIGN: $key = 1 << ($key::BITS - 1);
                let bits = self.to_bits();
                let key = if bits & SIGN == 0 { bits | SIGN } else { !bits };
                if self.is_nan() { $key::MAX } else { key }
            }
            #[inline(always)]
            fn rank(self) -> $key {
                let $x = self;
                $unsigned_zero.key()
            }
            #[inline(always)]
            fn of_key(key: $key) -> Self {
                const SIGN: $key = 1 << ($key::BITS - 1);
                $ty::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
            }
            fn any_below(row: &[Self], rank: $key, descending: bool) -> bool {
                below::$ty(row, rank, descending)
            }
        }
    )*};
}
float! {
    f64 u64, x => (x + 0.0);
    f32 u32, x => (x + 0.0);
    f16 u16, x => (if x == f16::ZERO { f16::ZERO } else { x });
    bf16 u16, x => (if x == bf16::ZERO { bf16::ZERO } else { x });
}

macro_rules! int {
    ($($ty:ident $key:ident $sign:expr;)*) => {$(
        impl Keyed for $ty {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                self as $key ^ $sign
            }
            #[inline(always)]
            fn rank(self) -> $key {
                self.key()
            }
            #[inline(always)]
            fn of_key(key: $key) -> Self {
                (key ^ $sign) as $ty
            }
            fn any_below(row: &[Self], rank: $key, descending: bool) -> bool {
                below::$ty(row, rank, descending)
            }
        }
    )*};
}
int! {
    i64 u64 1 << 63; i32 u32 1 << 31; i16 u16 1 << 15; i8 u8 1 << 7;
    u64 u64 0; u32 u32 0; u16 u16 0; u8 u8 0;
}

#[inline(always)]
fn any_below<E: Keyed>(row: &[E], worst: E::Key, descending: bool) -> bool {
    let mut any = false;
    if descending {
        for &x in row {
            any |= x.rank().flipped() < worst;
        }
    } else {
        for &x in row {
            any |= x.rank() < worst;
        }
    }
    any
}

/// [`Keyed::any_below`], compiled for the machine.
mod below {
    use super::{any_below, bf16, dispatch, f16};

    macro_rules! below {
        ($($ty:ident $key:ident $body:ident;)*) => {$(
            #[inline(always)]
            fn $body<const FMA: bool>(row: &[$ty], worst: $key, descending: bool) -> bool {
                any_below(row, worst, descending)
            }
            dispatch! { narrow pub fn $ty(row: &[$ty], worst: $key, descending: bool) -> bool = $body }
        )*};
    }
    below! {
        f64 u64 body_f64; f32 u32 body_f32; f16 u16 body_f16; bf16 u16 body_bf16;
        i64 u64 body_i64; i32 u32 body_i32; i16 u16 body_i16; i8 u8 body_i8;
        u64 u64 body_u64; u32 u32 body_u32; u16 u16 body_u16; u8 u8 body_u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miri::shrink;

    #[test]
    fn keys_are_in_the_order_of_elements() {
        let floats =
            [f32::NEG_INFINITY, f32::MIN, -1.5, -1e-45, -0.0, 0.0, 1e-45, 2.0, f32::INFINITY, f32::NAN];
        assert!(floats.windows(2).all(|pair| pair[0].key() < pair[1].key()));
        assert_eq!((-0.0_f32).rank(), 0.0_f32.rank());
        assert!(floats[..9].iter().all(|&x| f32::of_key(x.key()).to_bits() == x.to_bits()));
        assert!(f32::of_key(f32::NAN.key()).is_nan() && f64::of_key((-f64::NAN).key()).is_nan());
        let ints = [i64::MIN, -7, 0, 1, i64::MAX];
        assert!(ints.windows(2).all(|pair| pair[0].key() < pair[1].key()));
        assert!(ints.iter().all(|&x| i64::of_key(x.key()) == x));
        assert_eq!(u64::of_key(u64::MAX.key()), u64::MAX);
    }

    #[test]
    fn keys_of_narrow_types_are_in_the_order_of_elements() {
        let order: Vec<f16> =
            (0..=u16::MAX).step_by(shrink(1, 31)).map(f16::of_key).filter(|x| !x.is_nan()).collect();
        assert!(order.windows(2).all(|pair| pair[0] <= pair[1] && pair[0].key() < pair[1].key()));
        assert_eq!(f16::NEG_ZERO.rank(), f16::ZERO.rank());
        assert_eq!(bf16::NAN.key(), u16::MAX);
        let bytes: Vec<i8> = (0..=u8::MAX).map(i8::of_key).collect();
        assert!(bytes.is_sorted() && bytes[0] == i8::MIN && bytes[255] == i8::MAX);
    }
}

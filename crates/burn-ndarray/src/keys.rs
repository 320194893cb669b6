//! Unsigned integers that are in the order of elements, so that sorting looks at digits instead of comparing.

use crate::number::Number;
use bytemuck::Pod;

/// The unsigned integers of 32 and 64 bits.
pub trait Key: Pod + Ord + Send + Sync {
    const BITS: usize;
    fn byte(self, index: usize) -> usize;
    /// The integer in which the order is turned round.
    fn flipped(self) -> Self;
    fn wide(self) -> u64;
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
        }
    )*};
}
key!(u32 u64);

/// A number that has a key. NaN is larger than everything.
pub trait Keyed: Number {
    type Key: Key;
    /// Different for different elements; of two zeros the negative one comes first.
    fn key(self) -> Self::Key;
    /// Equal for equal elements.
    fn rank(self) -> Self::Key;
    /// The element with this key; any NaN for NaN.
    fn of_key(key: Self::Key) -> Self;
}

macro_rules! float {
    ($($ty:ident $key:ident)*) => {$(
        impl Keyed for $ty {
            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                const SIGN: $key = 1 << ($key::BITS - 1);
                let bits = self.to_bits();
                let key = if bits & SIGN == 0 { bits | SIGN } else { !bits };
                if $ty::is_nan(self) { $key::MAX } else { key }
            }
            #[inline(always)]
            fn rank(self) -> $key {
                (self + 0.0).key()
            }
            #[inline(always)]
            fn of_key(key: $key) -> Self {
                const SIGN: $key = 1 << ($key::BITS - 1);
                $ty::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
            }
        }
    )*};
}
float!(f32 u32 f64 u64);

macro_rules! int {
    ($($ty:ident $sign:expr;)*) => {$(
        impl Keyed for $ty {
            type Key = u64;

            #[inline(always)]
            fn key(self) -> u64 {
                self as u64 ^ $sign
            }
            #[inline(always)]
            fn rank(self) -> u64 {
                self.key()
            }
            #[inline(always)]
            fn of_key(key: u64) -> Self {
                (key ^ $sign) as $ty
            }
        }
    )*};
}
int!(i64 1 << 63; u64 0;);

#[cfg(test)]
mod tests {
    use super::*;

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
}

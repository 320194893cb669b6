//! Halves that are rounded by whole numbers: to the nearest for compilers that take a float which becomes a
//! half and a float again for the float itself, and down, which no conversion does.

use cubecl::prelude::*;

/// Mask of all bits but the sign.
const SIZE: u32 = 0x7fff_ffff;
/// Bits of infinity; NaN are above it.
const INFINITY: u32 = 0x7f80_0000;

/// Rounds `x` to the nearest `f16`, ties to even.
#[cube]
pub fn nearest_half(x: f32) -> f32 {
    let bits = u32::reinterpret(x);
    let size = bits & SIZE;
    let normal = rounded(size, 13u32);
    // Half a unit in the last place above the largest.
    let normal = select(size >= 0x477f_f000u32, INFINITY, normal);
    // Below 2^-14 all numbers have the unit 2^-24: where the last bits are depends on the exponent.
    let exponent = size >> 23u32;
    let shift = 126u32 - select(exponent < 101u32, 101u32, select(exponent > 112u32, 112u32, exponent));
    let digits = (size & 0x007f_ffffu32) | 0x0080_0000u32;
    let units = select(exponent < 101u32, 0u32, rounded(digits, shift) >> shift);
    let small = u32::reinterpret(f32::cast_from(units) * 5.960_464_5e-8f32);
    let nearest = select(size < 0x3880_0000u32, small, normal);
    f32::reinterpret(select(size > INFINITY, bits, nearest | (bits & !SIZE)))
}

/// The `bf16` nearest to `x`, of two the even one.
#[cube]
pub fn nearest_brain(x: f32) -> f32 {
    let bits = u32::reinterpret(x);
    let size = bits & SIZE;
    f32::reinterpret(select(size > INFINITY, bits, rounded(size, 16u32) | (bits & !SIZE)))
}

/// The largest `f16` not above `x`, for `x` between the least and the largest.
#[cube]
pub fn half_below(x: f32) -> f32 {
    let size = u32::reinterpret(x) & SIZE;
    let normal = below(x, 13u32);
    // Below 2^-14 all numbers have the unit 2^-24.
    let small = (x * 16_777_216.0f32).floor() * 5.960_464_5e-8f32;
    select(size < 0x3880_0000u32, small, normal)
}

/// As [`half_below`], of `bf16`.
#[cube]
pub fn brain_below(x: f32) -> f32 {
    below(x, 16u32)
}

/// `x` without its last `count` bits, rounded down.
#[cube]
fn below(x: f32, count: u32) -> f32 {
    let bits = u32::reinterpret(x);
    let last = (1u32 << count) - 1u32;
    let bits = bits + select((bits & !SIZE) == 0u32, 0u32, last);
    f32::reinterpret((bits >> count) << count)
}

/// `x` without its last `count` bits, rounded.
#[cube]
fn rounded(x: u32, count: u32) -> u32 {
    let last = (x >> count) & 1u32;
    let half = (1u32 << (count - 1u32)) - 1u32;
    ((x + half + last) >> count) << count
}

#[cfg(test)]
mod tests {
    use burn_backend::random::{bf16_below, f16_below};
    use burn_backend::{bf16, f16};

    fn rounded(x: u32, count: u32) -> u32 {
        ((x + (1 << (count - 1)) - 1 + (x >> count & 1)) >> count) << count
    }

    /// As the kernel.
    fn nearest_half(bits: u32) -> u32 {
        let size = bits & super::SIZE;
        let normal = if size >= 0x477f_f000 { super::INFINITY } else { rounded(size, 13) };
        let exponent = size >> 23;
        let shift = 126 - exponent.clamp(101, 112);
        let digits = size & 0x007f_ffff | 0x0080_0000;
        let units = if exponent < 101 { 0 } else { rounded(digits, shift) >> shift };
        let small = (units as f32 * 5.960_464_5e-8).to_bits();
        let nearest = if size < 0x3880_0000 { small } else { normal };
        if size > super::INFINITY { bits } else { nearest | bits & !super::SIZE }
    }

    fn nearest_brain(bits: u32) -> u32 {
        let size = bits & super::SIZE;
        if size > super::INFINITY { bits } else { rounded(size, 16) | bits & !super::SIZE }
    }

    #[test]
    fn floats_become_the_nearest_halves() {
        let near = |bits: u32| (bits.saturating_sub(2)..=bits.saturating_add(2)).step_by(1);
        let halves = (0..=u16::MAX).flat_map(|half| near(f16::from_bits(half).to_f32().to_bits()));
        // Halfway between two.
        let middles = (0..=u16::MAX).flat_map(|half| near(f16::from_bits(half).to_f32().to_bits() | 0x1000));
        let others = (0..u32::MAX).step_by(9_973);
        for bits in halves.chain(middles).chain(others) {
            let x = f32::from_bits(bits);
            if x.is_nan() {
                assert!(
                    f32::from_bits(nearest_half(bits)).is_nan()
                        && f32::from_bits(nearest_brain(bits)).is_nan()
                );
            } else {
                assert_eq!(nearest_half(bits), f16::from_f32(x).to_f32().to_bits(), "{x:e}");
                assert_eq!(nearest_brain(bits), bf16::from_f32(x).to_f32().to_bits(), "{x:e}");
            }
        }
    }

    fn below(x: f32, count: u32) -> f32 {
        let bits = x.to_bits() + if x.is_sign_negative() { (1 << count) - 1 } else { 0 };
        f32::from_bits(bits >> count << count)
    }

    fn half_below(x: f32) -> f32 {
        let size = x.to_bits() & super::SIZE;
        if size < 0x3880_0000 { (x * 16_777_216.0).floor() * 5.960_464_5e-8 } else { below(x, 13) }
    }

    #[test]
    fn floats_become_the_halves_below() {
        let halves = (0..=u16::MAX).map(|half| f16::from_bits(half).to_f32());
        let others = (0..u32::MAX).step_by(9_973).map(f32::from_bits);
        for x in halves.flat_map(|half| [half.next_down(), half, half.next_up()]).chain(others) {
            if x.abs() <= f16::MAX.to_f32() {
                assert_eq!(half_below(x), f16_below(x).to_f32(), "{x:e}");
            }
            if x.abs() <= bf16::MAX.to_f32() {
                assert_eq!(below(x, 16), bf16_below(x).to_f32(), "{x:e}");
            }
        }
    }
}

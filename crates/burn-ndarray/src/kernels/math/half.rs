//! Halves and singles, without branches, so that loops over them become vector code.

/// The bits of a half as `f32`, exactly.
#[inline(always)]
pub fn half_to_single(half: u16) -> f32 {
    const SCALE: f32 = f32::from_bits((254 - 15) << 23); // 2^112: between the biases of the exponents
    let magnitude = u32::from(half & 0x7fff) << 13;
    let finite = (f32::from_bits(magnitude) * SCALE).to_bits();
    let special = magnitude | 0x7f80_0000;
    let bits = if half & 0x7c00 == 0x7c00 { special } else { finite };
    f32::from_bits(bits | u32::from(half & 0x8000) << 16)
}

/// The bits of the nearest half, of two the even one.
#[inline(always)]
pub fn single_to_half(x: f32) -> u16 {
    const ROUND: u32 = 126 << 23; // 0.5: adding it leaves what a denormal half keeps in the low bits
    let bits = x.to_bits() & 0x7fff_ffff;
    let denormal = (f32::from_bits(bits) + f32::from_bits(ROUND)).to_bits().wrapping_sub(ROUND);
    let odd = bits >> 13 & 1;
    let normal = bits.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let special = if bits > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    let half = if bits < 113 << 23 { denormal } else { normal };
    let half = if bits >= 143 << 23 { special } else { half };
    (half | x.to_bits() >> 16 & 0x8000) as u16
}

/// The bits of the nearest `bf16`, of two the even one.
#[inline(always)]
pub fn single_to_brain(x: f32) -> u16 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    (if x.is_nan() { bits >> 16 | 0x40 } else { rounded }) as u16
}

/// The bits of a `bf16` as `f32`, exactly.
#[inline(always)]
pub fn brain_to_single(brain: u16) -> f32 {
    f32::from_bits(u32::from(brain) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miri::shrink;
    use burn_backend::{bf16, f16};

    #[test]
    fn every_half_is_converted_exactly() {
        for bits in (0..=u16::MAX).step_by(shrink(1, 13)) {
            let (half, brain) = (f16::from_bits(bits), bf16::from_bits(bits));
            let (single, wide) = (half_to_single(bits), brain_to_single(bits));
            if half.is_nan() {
                assert!(single.is_nan());
            } else {
                assert_eq!(single.to_bits(), half.to_f32().to_bits());
            }
            if brain.is_nan() {
                assert!(wide.is_nan());
            } else {
                assert_eq!(wide.to_bits(), brain.to_f32().to_bits());
            }
        }
    }

    #[test]
    fn singles_are_rounded_to_the_nearest_half() {
        // All exponents and signs, and fractions around every position where rounding turns.
        for high in (0..1 << 16).step_by(shrink(1, 127)) {
            for low in [0_u32, 1, 0xfff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001, 0xf000, 0xffff] {
                let x = f32::from_bits(high << 16 | low);
                let (half, brain) = (f16::from_f32(x), bf16::from_f32(x));
                if x.is_nan() {
                    assert!(f16::from_bits(single_to_half(x)).is_nan());
                    assert!(bf16::from_bits(single_to_brain(x)).is_nan());
                } else {
                    assert_eq!(single_to_half(x), half.to_bits(), "{x:e}");
                    assert_eq!(single_to_brain(x), brain.to_bits(), "{x:e}");
                }
            }
        }
    }
}

//! Vectors of WebAssembly, of four elements. Arrays of four are as wide, but the compiler puts few of them
//! together.

use super::lanes::Lanes;
use core::arch::wasm32::*;

impl Lanes for v128 {
    const LANES: usize = 4;
    #[cfg(feature = "std")]
    const UNROLLED: usize = 4;

    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        f32x4_splat(x)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: by the contract; so in all functions below.
        unsafe { v128_load(from.cast()) }
    }
    #[inline(always)]
    unsafe fn load_first(from: *const f32, count: usize) -> Self {
        // SAFETY: as above.
        unsafe {
            match count {
                0 => f32x4_splat(0.0),
                1 => v128_load32_zero(from.cast()),
                2 => v128_load64_zero(from.cast()),
                3 => v128_load32_lane::<2>(v128_load64_zero(from.cast()), from.wrapping_add(2).cast()),
                _ => v128_load(from.cast()),
            }
        }
    }
    #[inline(always)]
    unsafe fn load_within(from: *const f32, first: usize, end: usize) -> Self {
        let zero = f32x4_splat(0.0);
        // SAFETY: as above.
        unsafe {
            let x = Self::load_first(from.wrapping_add(first), end.saturating_sub(first));
            match first {
                0 => x,
                1 => i32x4_shuffle::<0, 4, 5, 6>(zero, x),
                2 => i32x4_shuffle::<0, 1, 4, 5>(zero, x),
                3 => i32x4_shuffle::<0, 1, 2, 4>(zero, x),
                _ => zero,
            }
        }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as above.
        unsafe { v128_store(to.cast(), self) }
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, count: usize) {
        // SAFETY: as above.
        unsafe {
            match count {
                0 => {}
                1 => v128_store32_lane::<0>(self, to.cast()),
                2 => v128_store64_lane::<0>(self, to.cast()),
                3 => {
                    v128_store64_lane::<0>(self, to.cast());
                    v128_store32_lane::<2>(self, to.wrapping_add(2).cast());
                }
                _ => v128_store(to.cast(), self),
            }
        }
    }
    #[inline(always)]
    unsafe fn times_plus(self, factor: Self, sum: Self) -> Self {
        f32x4_add(f32x4_mul(self, factor), sum)
    }
    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        f32x4_add(self, other)
    }
    #[inline(always)]
    unsafe fn minus(self, other: Self) -> Self {
        f32x4_sub(self, other)
    }
    #[inline(always)]
    unsafe fn at_least(self, least: Self) -> Self {
        // The instruction returns its first operand where one is NaN or both are equal.
        f32x4_pmax(self, least)
    }
    #[inline(always)]
    unsafe fn at_most(self, most: Self) -> Self {
        // As above.
        f32x4_pmin(self, most)
    }
    #[inline(always)]
    unsafe fn interleave(self, other: Self) -> (Self, Self) {
        (i32x4_shuffle::<0, 4, 1, 5>(self, other), i32x4_shuffle::<2, 6, 3, 7>(self, other))
    }
    #[inline(always)]
    unsafe fn deinterleave(self, other: Self) -> (Self, Self) {
        (i32x4_shuffle::<0, 2, 4, 6>(self, other), i32x4_shuffle::<1, 3, 5, 7>(self, other))
    }
    #[inline(always)]
    unsafe fn rotated_up(self) -> Self {
        i32x4_shuffle::<3, 0, 1, 2>(self, self)
    }
    #[inline(always)]
    unsafe fn shifted_down_before(self, next: Self) -> Self {
        i32x4_shuffle::<1, 2, 3, 4>(self, next)
    }
    #[inline(always)]
    unsafe fn splat_halves(lower: f32, upper: f32) -> Self {
        f32x4(lower, lower, upper, upper)
    }
    #[inline(always)]
    unsafe fn load_halves(lower: *const f32, upper: *const f32, count: usize) -> Self {
        // SAFETY: as above.
        unsafe {
            match count {
                0 => f32x4_splat(0.0),
                1 => v128_load32_lane::<2>(v128_load32_zero(lower.cast()), upper.cast()),
                _ => v128_load64_lane::<1>(v128_load64_zero(lower.cast()), upper.cast()),
            }
        }
    }
    #[inline(always)]
    unsafe fn store_halves(self, lower: *mut f32, upper: *mut f32) {
        // SAFETY: as above.
        unsafe {
            v128_store64_lane::<0>(self, lower.cast());
            v128_store64_lane::<1>(self, upper.cast());
        }
    }
    #[inline(always)]
    unsafe fn store_first_of_halves(self, lower: *mut f32, upper: *mut f32, count: usize) {
        // SAFETY: as above.
        unsafe {
            match count {
                0 => {}
                1 => {
                    v128_store32_lane::<0>(self, lower.cast());
                    v128_store32_lane::<2>(self, upper.cast());
                }
                _ => self.store_halves(lower, upper),
            }
        }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        let halves = f32x4_add(self, i32x4_shuffle::<2, 3, 2, 3>(self, self));
        f32x4_extract_lane::<0>(halves) + f32x4_extract_lane::<1>(halves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::hint::black_box;

    /// Results of each function for one kind of vectors, all elements of them, and what is written.
    unsafe fn results<V: Lanes>() -> Vec<[f32; 8]> {
        // Elements that the compiler knows may become a maximum that prefers 0.0 to -0.0.
        let from = black_box([1.5_f32, -0.0, f32::INFINITY, -4.0, 5.25, 6.0, -7.0, 8.0]);
        let other = black_box([0.0_f32, 0.0, 1.0, -4.5, 2.0, -1.0, 3.0, 0.5]);
        let mut all = Vec::new();
        // SAFETY: both arrays are twice as long as a vector.
        unsafe {
            let (x, y) = (V::load(from.as_ptr()), V::load(other.as_ptr()));
            let z = V::load(from.as_ptr().add(4));
            let (even, odd) = z.deinterleave(y);
            let (low, high) = z.interleave(y);
            let pair = |n: usize| V::load_halves(from.as_ptr(), from.as_ptr().add(4), n);
            let within = |first: usize, end: usize| V::load_within(from.as_ptr(), first, end);
            let mut vectors = vec![x.plus(y), x.minus(y), z.times_plus(y, z), x.at_least(y), x.at_most(y)];
            vectors.extend([even, odd, low, high, z.rotated_up(), z.shifted_down_before(y)]);
            vectors.extend([V::splat(2.5), V::splat_halves(1.0, 2.0), pair(0), pair(1), pair(2)]);
            vectors.extend((0..5).map(|n| V::load_first(from.as_ptr(), n)));
            vectors.extend((0..5).flat_map(|end| (0..=end).map(move |first| within(first, end))));
            for (n, vector) in vectors.into_iter().enumerate() {
                let mut to = [9.0; 8];
                match n % 3 {
                    0 => vector.store(to.as_mut_ptr()),
                    1 => vector.store_first(to.as_mut_ptr(), n % 5),
                    _ => vector.store_apart(to.as_mut_ptr(), 4),
                }
                all.push(to);
                let (mut lower, mut upper) = ([9.0; 8], [9.0; 8]);
                vector.store_first_of_halves(lower.as_mut_ptr(), upper.as_mut_ptr(), n % 3);
                all.extend([lower, upper, [vector.sum(); 8]]);
            }
        }
        all
    }

    #[test]
    fn vectors_have_the_bits_of_arrays() {
        // SAFETY: the target has the instructions.
        let (found, expected) = unsafe { (results::<v128>(), results::<[f32; 4]>()) };
        for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let bits = |xs: &[f32; 8]| xs.map(|x| if x.is_nan() { 0 } else { x.to_bits() });
            assert_eq!(bits(found), bits(expected), "{n}: {found:?}, not {expected:?}");
        }
    }
}

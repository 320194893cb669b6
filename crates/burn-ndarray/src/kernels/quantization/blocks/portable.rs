use super::unit::Unit;
use burn_backend::f16;
use core::array::from_fn;

/// The unit of any machine.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Unit for Portable {
    type Bytes = [u8; 32];
    type Half = [i8; 16];
    type Ints = [i32; 8];
    type Floats = [f32; 8];
    type Scales = [i8; 16];
    type Scale = [i32; 2];

    /// x86-64 without AVX2 is rare, and kernels of several rows take longer to compile than those of the
    /// other units together.
    const ROWS: usize = if cfg!(all(feature = "std", target_arch = "x86_64")) { 1 } else { 4 };

    #[inline(always)]
    fn load(bytes: &[u8; 32]) -> [u8; 32] {
        *bytes
    }
    #[inline(always)]
    fn load_codes(codes: &[i8; 32]) -> [u8; 32] {
        codes.map(i8::cast_unsigned)
    }
    #[inline(always)]
    fn nibbles(bytes: &[u8; 16]) -> [u8; 32] {
        from_fn(|i| if i < 16 { bytes[i] & 15 } else { bytes[i - 16] >> 4 })
    }
    #[inline(always)]
    fn bits(bits: u32, value: u8) -> [u8; 32] {
        from_fn(|i| if bits >> i & 1 == 1 { value } else { 0 })
    }
    #[inline(always)]
    fn right<const RIGHT: i32>(x: [u8; 32], mask: u8) -> [u8; 32] {
        x.map(|x| x >> RIGHT & mask)
    }
    #[inline(always)]
    fn left<const LEFT: i32>(x: [u8; 32], mask: u8) -> [u8; 32] {
        x.map(|x| x << LEFT & mask)
    }
    #[inline(always)]
    fn or(x: [u8; 32], y: [u8; 32]) -> [u8; 32] {
        from_fn(|i| x[i] | y[i])
    }
    #[inline(always)]
    fn load_half(bytes: &[u8; 16]) -> [i8; 16] {
        bytes.map(u8::cast_signed)
    }
    #[inline(always)]
    fn words(words: [u32; 4]) -> [i8; 16] {
        from_fn(|i| words[i / 4].to_le_bytes()[i % 4].cast_signed())
    }
    #[inline(always)]
    fn twice(words: [u32; 2]) -> [i8; 16] {
        from_fn(|i| words[i / 8].to_le_bytes()[i % 8 / 2].cast_signed())
    }
    #[inline(always)]
    fn nibbles_of_half<const RIGHT: i32>(x: [i8; 16]) -> [i8; 16] {
        x.map(|x| (x.cast_unsigned() >> RIGHT & 15).cast_signed())
    }
    #[inline(always)]
    fn subtract(x: [i8; 16], y: i8) -> [i8; 16] {
        x.map(|x| x.wrapping_sub(y))
    }
    #[inline(always)]
    fn dot(weights: [u8; 32], x: [u8; 32]) -> [i32; 8] {
        let term = |i: usize| i32::from(weights[i]) * i32::from(x[i].cast_signed());
        from_fn(|i| (4 * i..4 * i + 4).map(term).sum())
    }
    #[inline(always)]
    fn dot_signed(weights: [u8; 32], x: [u8; 32]) -> [i32; 8] {
        let term = |i: usize| i32::from(weights[i].cast_signed()) * i32::from(x[i].cast_signed());
        from_fn(|i| (4 * i..4 * i + 4).map(term).sum())
    }
    #[inline(always)]
    fn scales(scales: [i8; 16]) -> [i8; 16] {
        scales
    }
    #[inline(always)]
    fn scale(scales: [i8; 16], index: usize) -> [i32; 2] {
        [scales[2 * index].into(), scales[2 * index + 1].into()]
    }
    #[inline(always)]
    fn no_ints() -> [i32; 8] {
        [0; 8]
    }
    #[inline(always)]
    fn dot_scaled(sums: [i32; 8], weights: [u8; 32], x: [u8; 32], scale: [i32; 2]) -> [i32; 8] {
        let dots = Self::dot(weights, x);
        from_fn(|i| sums[i] + dots[i] * scale[i / 4])
    }
    #[inline(always)]
    fn dot_sums(scales: [i8; 16], sums: &[i16; 16]) -> [i32; 8] {
        let term = |i: usize| i32::from(scales[i]) * i32::from(sums[i]);
        from_fn(|i| term(2 * i) + term(2 * i + 1))
    }
    #[inline(always)]
    fn float16(bytes: [u8; 2]) -> [f32; 8] {
        [f16::from_le_bytes(bytes).to_f32(); 8]
    }
    #[inline(always)]
    fn splat(x: f32) -> [f32; 8] {
        [x; 8]
    }
    #[inline(always)]
    fn multiply(x: [f32; 8], y: [f32; 8]) -> [f32; 8] {
        from_fn(|i| x[i] * y[i])
    }
    #[inline(always)]
    fn add_scaled(sums: [f32; 8], x: [i32; 8], scale: [f32; 8]) -> [f32; 8] {
        from_fn(|i| sums[i] + x[i] as f32 * scale[i])
    }
    #[inline(always)]
    fn multiply_add(sums: [f32; 8], x: [f32; 8], y: [f32; 8]) -> [f32; 8] {
        from_fn(|i| sums[i] + x[i] * y[i])
    }
    #[inline(always)]
    fn add(x: [f32; 8], y: [f32; 8]) -> [f32; 8] {
        from_fn(|i| x[i] + y[i])
    }
    #[inline(always)]
    fn sum(x: [f32; 8]) -> f32 {
        ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
    }
}

use super::TILE;
use super::groups::Groups;
use super::words::pack;
use crate::elements::dtype::wide;
use crate::kernels::cast::cast;
use crate::simd::dispatch;
use crate::tensor::NdTensor;
use crate::threads::parallel;
use burn_backend::{DType, FLOAT8_NAN, Float8, HasSpec, QuantizationScheme, QuantizeArgs, Shape, TensorSpec};
use bytemuck::Pod;

/// Elements of a tile, divided by their scales, as numbers.
pub trait Encoded: Pod + Send + Sync {
    const ZERO: Self;
    /// Integers, with the zero points and the range.
    fn integers(codes: &mut [u8], x: &[Self], scale: &[Self], zero: &[i32], range: (i32, i32));
    fn floats(codes: &mut [u8], x: &[Self], scale: &[Self], format: Float8);
}

pub fn quantize(args: QuantizeArgs<NdTensor>) -> NdTensor {
    let QuantizeArgs { x, scale, zero, scheme } = args;
    let (shape, dtype) = (x.shape().clone(), wide(x.dtype()));
    let [x, scale] = [x, scale].map(|x| cast(x, dtype).into_contiguous());
    let zero = zero.map(NdTensor::into_contiguous);
    if dtype == DType::F64 {
        encode::<f64>(&x, &scale, zero.as_ref(), scheme, &shape)
    } else {
        encode::<f32>(&x, &scale, zero.as_ref(), scheme, &shape)
    }
}

fn encode<E: Encoded>(
    x: &NdTensor,
    scale: &NdTensor,
    zero: Option<&NdTensor>,
    scheme: QuantizationScheme,
    shape: &Shape,
) -> NdTensor {
    let (x, scale, groups) = (x.slice::<E>(), scale.slice::<E>(), Groups::new(scheme, shape));
    let (zero, range) = (zero.map(NdTensor::slice::<i32>), scheme.range());
    let (range, pack) = ((range.0 as i32, range.1 as i32), pack(scheme.value));
    let part = |index: usize, words: &mut [u32]| {
        let start = index * TILE;
        let x = &x[start..x.len().min(start + TILE)];
        let (mut scales, mut zeros, mut codes) = ([E::ZERO; TILE], [0; TILE], [0; TILE]);
        let scales = &mut scales[..x.len()];
        groups.fill(scale, start, scales);
        match scheme.value.float8() {
            Some(format) => E::floats(&mut codes[..x.len()], x, scales, format),
            None => {
                if let Some(zero) = zero {
                    groups.fill(zero, start, &mut zeros[..x.len()]);
                }
                E::integers(&mut codes[..x.len()], x, scales, &zeros, range);
            }
        }
        pack(&codes, words);
    };
    let spec = TensorSpec::new([scheme.words(shape)], DType::I32);
    NdTensor::with(spec, |words: &mut [u32]| {
        parallel::for_chunks(words, TILE / scheme.value.per_word(), 4 * TILE, &part);
    })
}

/// Beyond every range and every distance from a zero point, and far below the position where integers are no
/// longer exact.
const FAR: i32 = 1 << 20;

macro_rules! integers {
    ($($ty:ident $magic:literal: $name:ident = $body:ident;)*) => {$(
        #[inline(always)]
        fn $body<const FMA: bool>(
            codes: &mut [u8],
            x: &[$ty],
            scale: &[$ty],
            zero: &[i32],
            (low, high): (i32, i32),
        ) {
            let (x, scale, zero) = (&x[..codes.len()], &scale[..codes.len()], &zero[..codes.len()]);
            const MOST: $ty = FAR as $ty;
            // Numbers of its size have no fraction: what is added to it is rounded to an integer, halves to
            // the even one.
            const WHOLE: $ty = $magic;
            for i in 0..codes.len() {
                let ratio = x[i] / scale[i];
                let ratio = if ratio.is_nan() { 0.0 } else { ratio };
                let ratio = if ratio < MOST { ratio } else { MOST };
                let ratio = if ratio > -MOST { ratio } else { -MOST };
                let near = (ratio + WHOLE).to_bits().wrapping_sub(WHOLE.to_bits()) as i32;
                codes[i] = near.wrapping_add(zero[i]).clamp(low, high) as u8;
            }
        }
        dispatch! {
            fn $name(codes: &mut [u8], x: &[$ty], scale: &[$ty], zero: &[i32], range: (i32, i32)) = $body
        }
    )*};
}
integers! {
    // Three halves of 2^23 and of 2^52.
    f32 12_582_912.0: integers_f32 = integers_body_f32;
    f64 6_755_399_441_055_744.0: integers_f64 = integers_body_f64;
}

/// [`Float8::encode`] of quotients in `f32`, without branches.
#[inline(always)]
fn floats_body<const FMA: bool>(codes: &mut [u8], x: &[f32], scale: &[f32], format: Float8) {
    let (x, scale) = (&x[..codes.len()], &scale[..codes.len()]);
    let (fraction, bias) = (format.fraction_bits(), format.bias() as u32);
    let (largest, drop) = (format.largest().0, 23 - fraction);
    let normal = f32::from_bits((127 + 1 - bias) << 23);
    // Magnitude whose last place is the smallest subnormal of the format: adding it rounds to that step.
    let steps = f32::from_bits((127 + 1 - bias + drop) << 23);
    for i in 0..codes.len() {
        let ratio = x[i] / scale[i];
        let size = f32::from_bits(ratio.to_bits() & 0x7FFF_FFFF);
        let size = if size < largest { size } else { largest };
        let bits = size.to_bits();
        let even = (bits >> drop) & 1;
        let rounded = bits.wrapping_add((1 << (drop - 1)) - 1 + even) >> drop;
        let large = rounded.wrapping_sub((127 - bias) << fraction);
        let small = (size + steps).to_bits().wrapping_sub(steps.to_bits());
        let code = if size < normal { small } else { large };
        let sign = if ratio < 0.0 && code > 0 { 0x80 } else { 0 };
        codes[i] = if ratio.is_nan() { FLOAT8_NAN } else { (code | sign) as u8 };
    }
}
dispatch! { fn floats(codes: &mut [u8], x: &[f32], scale: &[f32], format: Float8) = floats_body }

impl Encoded for f32 {
    const ZERO: Self = 0.0;

    fn integers(codes: &mut [u8], x: &[f32], scale: &[f32], zero: &[i32], range: (i32, i32)) {
        integers_f32(codes, x, scale, zero, range);
    }
    fn floats(codes: &mut [u8], x: &[f32], scale: &[f32], format: Float8) {
        floats(codes, x, scale, format);
    }
}

impl Encoded for f64 {
    const ZERO: Self = 0.0;

    fn integers(codes: &mut [u8], x: &[f64], scale: &[f64], zero: &[i32], range: (i32, i32)) {
        integers_f64(codes, x, scale, zero, range);
    }
    fn floats(codes: &mut [u8], x: &[f64], scale: &[f64], format: Float8) {
        for (code, (x, scale)) in codes.iter_mut().zip(x.iter().zip(scale)) {
            *code = format.encode(x / scale);
        }
    }
}

use super::TILE;
use super::words::Numbers;
use crate::elements::dtype::wide;
use crate::kernels::cast::cast;
use crate::simd::dispatch;
use crate::tensor::NdTensor;
use crate::threads::parallel;
use burn_backend::{DType, HasSpec, Packed, TensorSpec};
use bytemuck::Pod;

/// Floats that numbers become.
pub trait Decoded: Pod + Send + Sync + From<f32> {
    const ZERO: Self;
    fn times(self, other: Self) -> Self;
    fn integers(out: &mut [Self], codes: &[u8], scale: &[Self], zero: &[i32]);
}

/// A quantized tensor on its way to floats.
#[derive(Debug)]
pub struct Decoder<E> {
    numbers: Numbers,
    scale: NdTensor,
    /// The numbers of all codes, where they are floats.
    table: Option<[E; 256]>,
}

impl<E: Decoded> Decoder<E> {
    /// Creates a decoder; `dtype` is that of `E`.
    pub fn new(x: Packed<NdTensor>, dtype: DType) -> Self {
        let (numbers, scale) = Numbers::new(x);
        let format = numbers.scheme.value.float8();
        let table = format.map(|format| core::array::from_fn(|code| format.decode(code as u8).into()));
        Decoder { numbers, scale: cast(scale, dtype).into_contiguous(), table }
    }

    /// The elements from `start` on.
    pub fn read(&self, start: usize, out: &mut [E]) {
        let (mut scales, mut zeros, mut room) = ([E::ZERO; TILE], [0; TILE], [0; TILE + 32]);
        for (index, out) in out.chunks_mut(TILE).enumerate() {
            let start = start + index * TILE;
            let codes = self.numbers.codes(start, out.len(), &mut room);
            let scales = &mut scales[..out.len()];
            self.numbers.groups.fill(self.scale.slice::<E>(), start, scales);
            match &self.table {
                Some(table) => {
                    for (out, (&code, scale)) in out.iter_mut().zip(codes.iter().zip(scales)) {
                        *out = table[usize::from(code)].times(*scale);
                    }
                }
                None => {
                    self.numbers.zeros(start, &mut zeros[..out.len()]);
                    E::integers(out, codes, scales, &zeros);
                }
            }
        }
    }
}

pub fn dequantize(x: Packed<NdTensor>) -> NdTensor {
    let dtype = x.scale.dtype();
    let whole = if dtype == DType::F64 { decode::<f64>(x, dtype) } else { decode::<f32>(x, wide(dtype)) };
    cast(whole, dtype)
}

/// All elements, of `dtype`, which is that of `E`.
pub fn decode<E: Decoded>(x: Packed<NdTensor>, dtype: DType) -> NdTensor {
    let spec = TensorSpec { shape: x.shape.clone(), dtype };
    let decoder = Decoder::<E>::new(x, dtype);
    NdTensor::with(spec, |out: &mut [E]| {
        parallel::for_chunks(out, TILE, 2 * TILE, &|index, out| decoder.read(index * TILE, out));
    })
}

macro_rules! decoded {
    ($($ty:ident: $name:ident = $body:ident;)*) => {$(
        #[inline(always)]
        fn $body<const FMA: bool>(out: &mut [$ty], codes: &[u8], scale: &[$ty], zero: &[i32]) {
            let (codes, scale, zero) = (&codes[..out.len()], &scale[..out.len()], &zero[..out.len()]);
            for i in 0..out.len() {
                out[i] = i32::from(codes[i] as i8).wrapping_sub(zero[i]) as $ty * scale[i];
            }
        }
        dispatch! { fn $name(out: &mut [$ty], codes: &[u8], scale: &[$ty], zero: &[i32]) = $body }

        impl Decoded for $ty {
            const ZERO: Self = 0.0;

            fn times(self, other: Self) -> Self {
                self * other
            }
            fn integers(out: &mut [$ty], codes: &[u8], scale: &[$ty], zero: &[i32]) {
                $name(out, codes, scale, zero);
            }
        }
    )*};
}
decoded! {
    f32: integers_f32 = integers_body_f32;
    f64: integers_f64 = integers_body_f64;
}

use crate::{DType, bf16, f16};
use half::slice::HalfFloatSliceExt;

/// Converts elements of half precision to `f32`, many at a time. `from` are the bytes of `F16` elements, or
/// of `BF16` elements for another dtype.
pub fn widen(dtype: DType, from: &[u8], to: &mut [f32]) {
    if dtype == DType::F16 {
        bytemuck::cast_slice::<u8, f16>(from).convert_to_f32_slice(to);
    } else {
        bytemuck::cast_slice::<u8, bf16>(from).convert_to_f32_slice(to);
    }
}

#[cfg(test)]
mod tests {
    use crate::{DType, TensorData, bf16, f16};
    use alloc::vec::Vec;

    #[test]
    fn every_half_is_widened_to_the_same_number_as_alone() {
        let codes = || 0..=u16::MAX;
        let halves: Vec<f16> = codes().map(f16::from_bits).collect();
        let brains: Vec<bf16> = codes().map(bf16::from_bits).collect();
        let same = |x: f32, y: f32| x == y || (x.is_nan() && y.is_nan());
        let found = TensorData::new(halves, [256, 256]).convert::<f32>();
        assert_eq!((found.dtype, &found.shape[..]), (DType::F32, &[256, 256][..]));
        for (found, code) in found.iter::<f32>().zip(codes()) {
            assert!(same(found, f16::from_bits(code).to_f32_const()), "{code:#x}");
        }
        let found = TensorData::new(brains, [1 << 16]).convert_dtype(DType::F32);
        for (found, code) in found.iter::<f32>().zip(codes()) {
            assert!(same(found, f32::from_bits(u32::from(code) << 16)), "{code:#x}");
        }
    }
}

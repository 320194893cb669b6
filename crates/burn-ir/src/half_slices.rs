use crate::{DType, TensorData, bf16, f16};
use half::slice::HalfFloatSliceExt;

/// Converts elements of half precision to `f32`, many at a time, into data of the new type; `None` for other
/// types.
pub fn widened(data: &TensorData) -> Option<TensorData> {
    match data.dtype {
        DType::F16 | DType::BF16 => {}
        DType::F64
        | DType::F32
        | DType::I64
        | DType::I32
        | DType::I16
        | DType::I8
        | DType::U64
        | DType::U32
        | DType::U16
        | DType::U8
        | DType::Bool => return None,
    }
    let mut wide = TensorData::of_size(data.shape.clone(), DType::F32);
    let to = bytemuck::cast_slice_mut(wide.as_mut_bytes());
    match data.dtype == DType::F16 {
        true => bytemuck::cast_slice::<u8, f16>(data.as_bytes()).convert_to_f32_slice(to),
        false => bytemuck::cast_slice::<u8, bf16>(data.as_bytes()).convert_to_f32_slice(to),
    }
    Some(wide)
}

#[cfg(test)]
mod tests {
    use super::*;
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

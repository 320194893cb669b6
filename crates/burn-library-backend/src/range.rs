use burn_backend::{DType, Scalar};

/// Returns the elements `start, start + step, ..` by their index, computed in 64 bits.
#[inline]
pub fn range_elements(dtype: DType, start: Scalar, step: Scalar) -> impl Fn(usize) -> Scalar {
    #[inline]
    move |i| {
        if dtype.is_float() {
            Scalar::Float(start.to_f64() + step.to_f64() * i as f64)
        } else {
            let (start, step) = (start.elem::<i64>(), step.elem::<i64>());
            Scalar::Int(start.wrapping_add(step.wrapping_mul(i as i64)))
        }
    }
}

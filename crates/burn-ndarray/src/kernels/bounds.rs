use crate::simd::Lanes;
use burn_backend::{BlockStep, DType, Element, Register, UnaryOp};

/// Bounds of `f32` results that a kernel applies in registers: the bits of a `relu` or `clamp` afterwards.
/// NaN stays NaN.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    least: f32,
    most: f32,
    /// Added last: a positive zero turns -0.0 into 0.0, a negative one changes nothing.
    zero: f32,
}

impl Bounds {
    /// Bounds that change nothing.
    pub const NONE: Bounds = Bounds { least: f32::NEG_INFINITY, most: f32::INFINITY, zero: -0.0 };

    /// Returns the bounds that a step applies to its operand of `dtype`; `None` if it is another operation,
    /// or treats zeros or NaN in its own way.
    pub fn of(step: &BlockStep<Register>, dtype: DType) -> Option<Self> {
        if dtype != DType::F32 {
            return None;
        }
        let op = step.as_elementwise()?;
        if op.as_unary() == Some(UnaryOp::Relu) {
            return Some(Bounds { least: 0.0, ..Bounds::NONE });
        }
        let (min, max) = op.as_clamp()?;
        let least = min.map_or(f32::NEG_INFINITY, f32::from_scalar);
        let most = max.map_or(f32::INFINITY, f32::from_scalar);
        // `clamp` returns a bound that equals the element, which shows where both are zeros.
        let zero = if least.to_bits() == 0 { 0.0 } else { -0.0 };
        let is_other =
            least.is_nan() || most.is_nan() || most == 0.0 || least.to_bits() == (-0.0_f32).to_bits();
        (!is_other).then_some(Bounds { least, most, zero })
    }

    /// Applies the bounds to one element.
    #[inline]
    pub fn apply_one(self, x: f32) -> f32 {
        let x = if self.least > x { self.least } else { x };
        let x = if self.most < x { self.most } else { x };
        x + self.zero
    }

    /// Returns the bounds as vectors.
    ///
    /// # Safety
    /// The machine has the instructions of `V`.
    #[inline(always)]
    pub unsafe fn splat<V: Lanes>(self) -> Vectors<V> {
        // SAFETY: by the contract.
        unsafe {
            Vectors { least: V::splat(self.least), most: V::splat(self.most), zero: V::splat(self.zero) }
        }
    }

    /// Applies the bounds to all vectors of a tile.
    ///
    /// # Safety
    /// The machine has the instructions of `V`.
    #[inline(always)]
    pub unsafe fn apply_tile<V: Lanes, const M: usize, const N: usize>(
        self,
        mut tile: [[V; N]; M],
    ) -> [[V; N]; M] {
        // SAFETY: by the contract.
        unsafe {
            let bounds = self.splat::<V>();
            for m in 0..M {
                for n in 0..N {
                    tile[m][n] = bounds.apply(tile[m][n]);
                }
            }
        }
        tile
    }
}

/// [`Bounds`] in vectors.
#[derive(Clone, Copy)]
pub struct Vectors<V> {
    least: V,
    most: V,
    zero: V,
}

impl<V: Lanes> Vectors<V> {
    /// # Safety
    /// The machine has the instructions of `V`.
    #[inline(always)]
    pub unsafe fn apply(self, x: V) -> V {
        // SAFETY: by the contract.
        unsafe { x.at_least(self.least).at_most(self.most).plus(self.zero) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::clamp::clamp;
    use crate::kernels::unary::unary;
    use crate::simd::with_lanes;
    use crate::tensor::NdTensor;
    use alloc::vec::Vec;
    use burn_backend::Elementwise;
    use burn_backend::{Scalar, TensorSpec};
    use core::hint::black_box;

    const VALUES: [f32; 16] = [
        f32::NAN,
        -0.0,
        0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        -1.0,
        1.0,
        6.0,
        6.5,
        -6.0,
        0.25,
        -0.25,
        1e-45,
        -1e-45,
        f32::MAX,
        f32::MIN,
    ];

    with_lanes! { fn apply(bounds: Bounds, xs: &mut [f32; 16]) = vector_by_vector }

    /// # Safety
    /// The machine has the instructions of `V`.
    #[inline(always)]
    unsafe fn vector_by_vector<V: Lanes, const R: usize, const N: usize>(bounds: Bounds, xs: &mut [f32; 16]) {
        for xs in xs.chunks_exact_mut(V::LANES) {
            // SAFETY: by the contract; the chunk is as long as a vector.
            unsafe { bounds.splat::<V>().apply(V::load(xs.as_ptr())).store(xs.as_mut_ptr()) };
        }
    }

    /// Compares with the operation by itself, where one NaN is like another.
    fn check(step: &BlockStep<Register>, alone: impl FnOnce(NdTensor) -> NdTensor) {
        let bits =
            |xs: &[f32]| xs.iter().map(|x| if x.is_nan() { 0 } else { x.to_bits() }).collect::<Vec<_>>();
        let bounds = Bounds::of(step, DType::F32).expect("a step of bounds");
        let x = NdTensor::with::<f32>(TensorSpec::new([16], DType::F32), |xs| xs.copy_from_slice(&VALUES));
        let expected = bits(alone(x).slice());
        // Elements that the compiler knows may become a maximum that prefers 0.0 to -0.0.
        let (mut vectors, mut all) = (black_box(VALUES), black_box(VALUES));
        // SAFETY: the machine is asked for its instructions.
        unsafe { apply(bounds, &mut vectors) };
        all.iter_mut().for_each(|x| *x = bounds.apply_one(*x));
        assert_eq!(bits(&vectors), expected, "{step:?}");
        assert_eq!(bits(&all), expected, "{step:?}");
        // The values of a NaN have no bits to compare, but it stays one.
        assert!(vectors[0].is_nan() && all[0].is_nan());
    }

    #[test]
    fn bounds_have_the_bits_of_the_operation() {
        check(&BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Relu, x: 0 }), |x| {
            unary(UnaryOp::Relu, x)
        });
        let numbers = [-6.0, -0.25, 0.0, 0.25, 6.0, f64::INFINITY, f64::NEG_INFINITY];
        let scalars = || numbers.into_iter().map(|x| Some(Scalar::Float(x))).chain([None]);
        for min in scalars() {
            for max in scalars().filter(|max| *max != Some(Scalar::Float(0.0))) {
                check(&BlockStep::Elementwise(Elementwise::Clamp { x: 0, min, max }), |x| clamp(x, min, max));
            }
        }
    }

    #[test]
    fn bounds_with_signs_of_zeros_of_their_own_stay_steps() {
        let clamp = |min, max| BlockStep::Elementwise(Elementwise::Clamp { x: 0, min, max });
        let float = |x| Some(Scalar::Float(x));
        for step in [
            clamp(float(-0.0), None),
            clamp(None, float(0.0)),
            clamp(float(f64::NAN), float(1.0)),
            clamp(None, float(f64::NAN)),
            BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Abs, x: 0 }),
        ] {
            assert!(Bounds::of(&step, DType::F32).is_none(), "{step:?}");
        }
        assert!(
            Bounds::of(&BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Relu, x: 0 }), DType::F16)
                .is_none()
        );
    }
}

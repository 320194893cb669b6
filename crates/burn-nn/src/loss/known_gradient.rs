//! A gradient that is computed with the value of a loss, instead of by a rule in the backward pass.

use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{
    Backend, BinaryOp, Creation, DType, HasSpec, LinearMap, LinearMapError, LinearMapRef, Scalar, Shape,
    TensorSpec, TypedCalls, arc_dyn,
};
use burn_core::tensor::Tensor;
use burn_ir::sync::Arc;
use spin::Mutex;

type Slot = Arc<Mutex<Option<DynamicTensor>>>;

/// The gradient of a scalar by one operand, which the tape may ask for.
///
/// The tape records a linear map from the operand to a zero. Added to the value of the scalar, the zero
/// changes nothing, and the transposed map multiplies the gradient of the scalar by this gradient.
pub struct KnownGradient {
    map: LinearMapRef,
    slot: Slot,
}

impl KnownGradient {
    /// Returns the gradient by `operand`, to be set, and the zero of `dtype` and shape `[1]`.
    #[track_caller]
    pub fn of<B: Backend, const D: usize>(operand: Tensor<B, D>, dtype: DType) -> (Self, Tensor<B, 1>) {
        let (slot, operand) = (Slot::default(), operand.into_handle());
        let map = ToZero { spec: operand.spec().clone(), dtype, slot: slot.clone() };
        let map = arc_dyn!(map as dyn LinearMap);
        let zero = apply::<B>(map.clone(), operand);
        (KnownGradient { map, slot }, Tensor::from_handle(zero))
    }

    /// Returns whether a gradient is wanted: the tape keeps the map of an operand that is tracked, and of no
    /// other. Asked while the zero is alive.
    pub fn is_wanted(&self) -> bool {
        Arc::strong_count(&self.map) > 1
    }

    /// Sets the gradient, which has the shape of the operand and is untracked.
    #[track_caller]
    pub fn set<B: Backend, const D: usize>(&self, gradient: Tensor<B, D>) {
        // A map sees the tensor of the backend below the tape, which is the one that computes gradients.
        let map = Store { slot: self.slot.clone() };
        apply::<B>(arc_dyn!(map as dyn LinearMap), gradient.into_handle());
    }
}

#[track_caller]
fn apply<B: Backend>(map: LinearMapRef, x: B::Tensor) -> B::Tensor {
    match B::linear_map(map, x) {
        Ok(result) => result,
        Err(error) => panic!("{error}"),
    }
}

/// Maps the operand to a zero, as a change of zero changes a scalar by zero.
struct ToZero {
    spec: TensorSpec,
    dtype: DType,
    slot: Slot,
}

/// Multiplies the gradient of the scalar by the known gradient.
struct TimesGradient {
    spec: TensorSpec,
    dtype: DType,
    slot: Slot,
}

/// Keeps a tensor.
struct Store {
    slot: Slot,
}

impl LinearMap for ToZero {
    fn apply(&self, x: DynamicTensor) -> Result<DynamicTensor, LinearMapError> {
        let spec = TensorSpec::new(Shape::from([1]), self.dtype);
        Ok(Dynamic::create(Creation::Full { spec, value: Scalar::Float(0.0) }, &Dynamic::device(&x)))
    }

    fn transpose(&self) -> LinearMapRef {
        let (spec, dtype, slot) = (self.spec.clone(), self.dtype, self.slot.clone());
        let map = TimesGradient { spec, dtype, slot };
        arc_dyn!(map as dyn LinearMap)
    }
}

impl LinearMap for TimesGradient {
    fn apply(&self, upstream: DynamicTensor) -> Result<DynamicTensor, LinearMapError> {
        let gradient = self.slot.lock().clone();
        let Some(gradient) = gradient else { return Err("the gradient of a loss was not computed".into()) };
        let ones = alloc::vec![1; self.spec.shape.rank()];
        let factor = Dynamic::reshape(upstream, Shape::from(ones));
        let cast = |x: DynamicTensor, dtype| if x.dtype() == dtype { x } else { Dynamic::cast(x, dtype) };
        let scaled = Dynamic::binary(BinaryOp::Mul, cast(gradient, self.dtype), cast(factor, self.dtype));
        Ok(cast(scaled, self.spec.dtype))
    }

    fn transpose(&self) -> LinearMapRef {
        let (spec, dtype, slot) = (self.spec.clone(), self.dtype, self.slot.clone());
        let map = ToZero { spec, dtype, slot };
        arc_dyn!(map as dyn LinearMap)
    }
}

impl LinearMap for Store {
    fn apply(&self, x: DynamicTensor) -> Result<DynamicTensor, LinearMapError> {
        *self.slot.lock() = Some(x.clone());
        Ok(x)
    }

    fn transpose(&self) -> LinearMapRef {
        let map = Store { slot: self.slot.clone() };
        arc_dyn!(map as dyn LinearMap)
    }
}

macro_rules! debug_names {
    ($($map:ident)*) => {$(
        impl core::fmt::Debug for $map {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str("a loss with a known gradient")
            }
        }
    )*};
}
debug_names!(ToZero TimesGradient Store);

//! Master weights: an `f32` copy of a half-precision parameter, which the update rule steps.
//!
//! An update of a thousandth of a weight vanishes in the rounding of `bf16`, which has three digits. The copy
//! is a part of the state, so that it is saved (Micikevicius et al. 2017, section 3.1).

use crate::arithmetic::{cast, is_half};
use crate::{LearningRate, ParamState, UpdateRule};
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, DType, HasSpec, TensorSpec};

/// Name of the copy in the state.
pub const MASTER_WEIGHT: &str = "master_weight";

/// Computes the parameter after a step, in the dtype that it has. Rules compute in `f32` for half-precision
/// parameters, and their state is `f32`: the square of a gradient of 300 overflows in `f16`, and that of 1e-4
/// vanishes.
pub fn update(
    rule: &dyn UpdateRule,
    x: DynamicTensor,
    grad: DynamicTensor,
    lr: LearningRate,
    state: &mut ParamState,
    master_weights: bool,
) -> DynamicTensor {
    let dtype = x.dtype();
    if !is_half(dtype) {
        return rule.update(x, cast(grad, dtype), lr, state);
    }
    let grad = cast(grad, DType::F32);
    if !master_weights {
        return cast(rule.update(cast(x, DType::F32), grad, lr, state), dtype);
    }
    let spec = TensorSpec::new(x.shape(), DType::F32);
    let master = match state.take_spec(MASTER_WEIGHT, &spec, &Dynamic::device(&x)) {
        Some(master) => master,
        None => cast(x, DType::F32),
    };
    let master = rule.update(master, grad, lr, state);
    let x = Dynamic::cast(master.clone(), dtype);
    state.put(MASTER_WEIGHT, master);
    x
}

//! Master weights: an `f32` copy of a half-precision parameter, which the update rule steps.
//!
//! An update of a thousandth of a weight vanishes in the rounding of `bf16`, which has three digits. The copy
//! is a part of the state, so that it is saved (Micikevicius et al. 2017, section 3.1).

use crate::arithmetic::{cast, is_half};
use crate::param_update::{ParamUpdate, UpdatedParam};
use crate::{LearningRate, ParamState, UpdateRule};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, DType, HasSpec, TensorSpec};

/// Name of the copy in the state.
pub const MASTER_WEIGHT: &str = "master_weight";

/// Options that all parameters of a step have in common.
#[derive(Clone, Copy)]
pub struct StepOptions<'a> {
    pub rule: &'a dyn UpdateRule,
    pub lr: LearningRate,
    /// Factor of all gradients, shape `[1]`.
    pub factor: Option<&'a DynamicTensor>,
    pub master_weights: bool,
}

/// Computes the parameter after a step, in the dtype that it has. Rules compute in `f32` for half-precision
/// parameters, and their state is `f32`: the square of a gradient of 300 overflows in `f16`, and that of 1e-4
/// vanishes.
pub fn update(
    options: StepOptions<'_>,
    x: DynamicTensor,
    grad: DynamicTensor,
    state: &mut ParamState,
) -> DynamicTensor {
    let StepOptions { rule, lr, factor, master_weights } = options;
    let (dtype, factor) = (x.dtype(), factor.cloned());
    if !is_half(dtype) {
        return rule.update_in_one_pass(ParamUpdate { x, grad, factor, lr, rounded_to: None }, state).x;
    }
    let spec = TensorSpec::new(x.shape(), DType::F32);
    let master = match master_weights {
        true => state.take_spec(MASTER_WEIGHT, &spec, &Dynamic::device(&x)),
        false => None,
    };
    let master = master.unwrap_or_else(|| cast(x, DType::F32));
    let step = ParamUpdate { x: master, grad, factor, lr, rounded_to: Some(dtype) };
    let UpdatedParam { x: master, rounded } = rule.update_in_one_pass(step, state);
    if master_weights {
        state.put(MASTER_WEIGHT, master);
    }
    rounded.expect("a step rounds what it is asked to")
}

use crate::LearningRate;
use crate::arithmetic::cast;
use crate::gradient_norm::times_factor;
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{DType, HasSpec};

/// Operands of the step of one parameter.
#[derive(Clone, Debug)]
pub struct ParamUpdate {
    /// The parameter, of a half-precision one its values in `f32`.
    pub x: DynamicTensor,
    /// The gradient, in the dtype that the backward pass gave it.
    pub grad: DynamicTensor,
    /// Factor of the gradient, shape `[1]`, where gradients are clipped by their common norm.
    pub factor: Option<DynamicTensor>,
    /// Learning rate.
    pub lr: LearningRate,
    /// Dtype of the parameter, if it is another than that of `x`.
    pub rounded_to: Option<DType>,
}

/// A parameter after a step.
#[derive(Clone, Debug)]
pub struct UpdatedParam {
    /// The parameter, in the dtype of [`ParamUpdate::x`].
    pub x: DynamicTensor,
    /// The parameter in the dtype [`ParamUpdate::rounded_to`], if there is one.
    pub rounded: Option<DynamicTensor>,
}

impl ParamUpdate {
    /// Returns the step of a parameter with a gradient of its own dtype.
    pub(crate) fn plain(x: DynamicTensor, grad: DynamicTensor, lr: LearningRate) -> Self {
        ParamUpdate { x, grad, factor: None, lr, rounded_to: None }
    }

    /// Computes the step by a rule that takes parameter, gradient and learning rate.
    pub(crate) fn by(
        self,
        update: impl FnOnce(DynamicTensor, DynamicTensor, LearningRate) -> DynamicTensor,
    ) -> UpdatedParam {
        let ParamUpdate { x, grad, factor, lr, rounded_to } = self;
        let grad = match factor {
            Some(factor) => times_factor(grad, &factor),
            None => grad,
        };
        let grad = cast(grad, x.dtype());
        let x = update(x, grad, lr);
        let rounded = rounded_to.map(|dtype| cast(x.clone(), dtype));
        UpdatedParam { x, rounded }
    }
}

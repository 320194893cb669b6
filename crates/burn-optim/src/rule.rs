use crate::param_update::{ParamUpdate, UpdatedParam};
use crate::{LearningRate, ParamState};
use burn_backend::Shape;
use burn_backend::dynamic::DynamicTensor;
use core::fmt::Debug;

/// Update rule of one parameter. [`OptimizerAdaptor`](crate::OptimizerAdaptor) makes an optimizer of it.
///
/// Tensors are passed by value, so that a rule that clones nothing needlessly works in place.
///
/// ```
/// use burn::optim::dynamic::{Dynamic, DynamicTensor, TypedCalls, UnaryOp, ops};
/// use burn::optim::{OptimizerAdaptor, ParamState, UpdateRule};
///
/// /// Descent with the sign of the gradient.
/// #[derive(Clone, Debug)]
/// struct SignDescent;
///
/// impl UpdateRule for SignDescent {
///     fn state_names() -> &'static [&'static str] {
///         &[]
///     }
///     fn update(&self, x: DynamicTensor, grad: DynamicTensor, lr: f64, _: &mut ParamState) -> DynamicTensor {
///         let sign = Dynamic::unary(UnaryOp::Sign, grad);
///         ops::sub::<Dynamic>(x, ops::scale::<Dynamic>(sign, lr))
///     }
/// }
///
/// let optimizer = OptimizerAdaptor::new(SignDescent);
/// # let _ = optimizer;
/// ```
pub trait UpdateRule: Debug + Send + Sync + 'static {
    /// Returns the names of the tensors that the rule stores in the [`ParamState`].
    fn state_names() -> &'static [&'static str]
    where
        Self: Sized;

    /// Returns the names of the numbers that the rule stores in the [`ParamState`].
    fn scalar_names() -> &'static [&'static str]
    where
        Self: Sized,
    {
        &[]
    }

    /// Returns the shape of the state tensor `name` of a parameter of shape `parameter`, which is `parameter`
    /// unless a rule says otherwise. Records are checked against it.
    fn state_shape(_name: &str, parameter: &Shape) -> Shape
    where
        Self: Sized,
    {
        parameter.clone()
    }

    /// Computes the parameter after a step. Of a half-precision parameter, `x` and `grad` are `f32` and the
    /// result is rounded.
    fn update(
        &self,
        x: DynamicTensor,
        grad: DynamicTensor,
        lr: LearningRate,
        state: &mut ParamState,
    ) -> DynamicTensor;

    /// Computes the parameter after a step, together with what stands around [`update`](Self::update): the
    /// factor of clipping, the cast of a half-precision gradient, and the rounding of a half-precision
    /// parameter. By default each is a pass of its own; rules that are often used do all in one.
    fn update_in_one_pass(&self, step: ParamUpdate, state: &mut ParamState) -> UpdatedParam {
        step.by(|x, grad, lr| self.update(x, grad, lr, state))
    }
}

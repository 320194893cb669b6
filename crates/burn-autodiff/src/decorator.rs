use crate::NoCheckpointing;
use core::marker::PhantomData;

/// Automatic differentiation: a decorator that adds gradients to the backend `B`.
///
/// Reverse mode on a tape: operations on tensors that depend on one that requires a gradient are recorded,
/// and `Tensor::backward` walks the tape backwards. `C` decides which values are kept for that: all that are
/// needed ([`NoCheckpointing`]), or fewer, with the others recomputed
/// ([`BalancedCheckpointing`](crate::BalancedCheckpointing)). PyTorch: `torch.autograd`.
///
/// ```
/// use burn::backend::{Autodiff, NdArray};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let x = Tensor::<Autodiff<NdArray>, 1>::from_data([1.0, 2.0, 3.0], &device).require_grad();
/// let gradients = x.clone().powf_scalar(2.0).sum().backward();
///
/// // The derivative of `x^2` is `2 x`.
/// let grad: Tensor<NdArray, 1> = x.grad(&gradients).unwrap();
/// assert_eq!(grad.into_data().to_f64(), [2.0, 4.0, 6.0]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Autodiff<B, C = NoCheckpointing>(PhantomData<(B, C)>);

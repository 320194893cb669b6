use super::tensors::Tensors;
use alloc::boxed::Box;
use burn_backend::Backend;

/// Computes `f(inputs)` as a gradient checkpoint: the tape keeps the inputs but no intermediate value, and
/// `f` runs again in the backward pass (Chen et al., "Training deep nets with sublinear memory cost", 2016).
/// PyTorch: `torch.utils.checkpoint.checkpoint`.
///
/// Gradients are those of calling `f` as it is, to the last bit. They reach the inputs and everything tracked
/// that `f` uses beside them, such as the parameters of a module that it owns. Random numbers are the same
/// both times, so there may be dropout in it. Segments nest, and take and give what [`Tensors`] are: a tensor
/// of any kind, arrays and tuples.
///
/// Side effects of `f` happen twice: a running mean is updated twice. Tensors made inside must leave `f` only
/// as its results. On a backend that tracks no gradients, this is the call `f(inputs)`.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::tensor::{Tensor, grad};
///
/// type B = Autodiff<NdArray>;
/// let x = Tensor::<B, 1>::from_data([0.5, -1.0], &Default::default()).require_grad();
/// let y = grad::checkpoint(|x: Tensor<B, 1>| x.exp().sin().square(), x.clone());
/// let kept = x.grad(&y.backward()).unwrap();
/// let plain = x.grad(&x.clone().exp().sin().square().backward()).unwrap();
/// assert_eq!(kept.into_data(), plain.into_data());
/// ```
///
/// # Panics
/// In the backward pass, when `f` gives other shapes or draws other random numbers than the first time.
pub fn checkpoint<X, Y>(f: impl Fn(X) -> Y + Send + 'static, inputs: X) -> Y
where
    X: Tensors,
    Y: Tensors<Backend = X::Backend>,
{
    let segment = Box::new(move |inputs| f(X::from_handles(inputs)).into_handles());
    Y::from_handles(X::Backend::checkpoint(segment, inputs.into_handles()))
}

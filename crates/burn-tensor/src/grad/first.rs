use super::pullback::{List, pullback, pushforward};
use super::tensors::{FloatTensors, Inner, Innermost, Tensors};
use crate::check::ensure;
use crate::{Tensor, TensorError};
use alloc::vec::Vec;
use burn_backend::kernel_error::without_catch;
use burn_backend::{AutodiffBackend, HasSpec, InnerTensor, Scalar, Shape};
use burn_derive::fallible;

/// Converts `f` to a function on lists of the backend's own tensors. User code in `f` panics at its own
/// lines.
pub(super) fn untyped<X: Tensors, Y: Tensors<Backend = X::Backend>>(
    f: impl FnOnce(X) -> Y,
) -> impl FnOnce(List<X::Backend>) -> List<X::Backend> {
    |x| without_catch(|| f(X::from_handles(x)).into_handles())
}

/// Computes the gradient of `f` at `x`: the same tensors as `x`. PyTorch: `torch.func.grad`.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::tensor::{Tensor, grad};
///
/// type B = Autodiff<NdArray>;
/// let device = Default::default();
/// let x = Tensor::<NdArray, 1>::from_data([1.0, 2.0], &device);
/// let y = Tensor::<NdArray, 2>::from_data([[3.0], [4.0]], &device);
/// let f = |(x, y): (Tensor<B, 1>, Tensor<B, 2>)| (x.square() * y.reshape([2])).sum();
/// let (by_x, by_y) = grad::grad(f, (x, y));
/// assert_eq!(by_x.into_data().to_f64(), [6.0, 16.0]);
/// assert_eq!(by_y.into_data().to_f64(), [1.0, 4.0]);
/// ```
///
/// # Errors
/// When `f` gives another number of elements than one.
#[fallible]
pub fn try_grad<B: AutodiffBackend, X: FloatTensors<Backend = B>, const D: usize>(
    f: impl FnOnce(X) -> Tensor<B, D>,
    x: Inner<X>,
) -> Result<Inner<X>, TensorError> {
    Ok(try_value_and_grad(f, x)?.1)
}

/// Computes the value of `f` at `x`, and [`grad()`] there. PyTorch: `torch.func.grad_and_value`.
///
/// # Errors
/// When `f` gives another number of elements than one.
#[fallible]
pub fn try_value_and_grad<B: AutodiffBackend, X: FloatTensors<Backend = B>, const D: usize>(
    f: impl FnOnce(X) -> Tensor<B, D>,
    x: Inner<X>,
) -> Result<(Tensor<B::InnerBackend, D>, Inner<X>), TensorError> {
    let ones = |values: &[InnerTensor<B>]| values.iter().map(ones::<B::InnerBackend>).collect();
    let (mut values, gradients) = pullback::<B>(untyped(f), x.into_handles(), ones);
    let shape = values[0].shape();
    let count = shape.num_elements();
    ensure!(
        count == 1,
        "grad",
        "the function gives {count} numbers, {shape:?}: sum them, or use vjp or jacobian"
    );
    Ok((Tensor::from_handle(values.remove(0)), X::On::<B::InnerBackend>::from_handles(gradients)))
}

/// Creates a tensor of ones of the spec of `x`.
pub(super) fn ones<B: burn_backend::Backend>(x: &B::Tensor) -> B::Tensor {
    B::full(x.spec().clone(), Scalar::Int(1), &B::device(x))
}

/// Computes a vector-Jacobian product: the values of `f` at `x`, and the product of `v` and the Jacobian,
/// which is the gradient by `x` of `sum(v * f(x))`. `v` has the shapes of the values. PyTorch:
/// `torch.func.vjp`.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::tensor::{Tensor, grad};
///
/// let device = Default::default();
/// let x = Tensor::<NdArray, 1>::from_data([1.0, 2.0, 3.0], &device);
/// let v = Tensor::<NdArray, 1>::from_data([1.0, 0.0, -1.0], &device);
/// let (y, product) = grad::vjp(|x: Tensor<Autodiff<NdArray>, 1>| x.square(), x, v);
/// assert_eq!(y.into_data().to_f64(), [1.0, 4.0, 9.0]);
/// assert_eq!(product.into_data().to_f64(), [2.0, 0.0, -6.0]);
/// ```
///
/// # Errors
/// When a tensor of `v` has another shape or element type than the value it belongs to.
#[fallible]
pub fn try_vjp<X, Y>(
    f: impl FnOnce(X) -> Y,
    x: Inner<X>,
    v: Inner<Y>,
) -> Result<(Inner<Y>, Inner<X>), TensorError>
where
    X: FloatTensors<Backend: AutodiffBackend>,
    Y: FloatTensors<Backend = X::Backend>,
{
    let v = v.into_handles();
    let mut fits = true;
    let (values, gradients) = pullback::<X::Backend>(untyped(f), x.into_handles(), |values| {
        fits = alike(values, &v);
        if fits { v } else { Vec::new() }
    });
    ensure!(fits, "vjp", "the factors have other shapes than the values, {:?}", shapes(&values));
    Ok((Tensors::from_handles(values), Tensors::from_handles(gradients)))
}

/// Returns whether shapes and dtypes are the same, pairwise.
pub(super) fn alike<T: HasSpec>(xs: &[T], ys: &[T]) -> bool {
    xs.iter().map(HasSpec::spec).eq(ys.iter().map(HasSpec::spec))
}

pub(super) fn shapes<T: HasSpec>(xs: &[T]) -> Vec<Shape> {
    xs.iter().map(HasSpec::shape).collect()
}

/// Computes a Jacobian-vector product: the values of `f` at `x`, and their directional derivative along `v`.
/// `v` has the shapes of `x`. PyTorch: `torch.func.jvp`.
///
/// It is the gradient of [`vjp`] by its factor, and so needs a backend that differentiates twice.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::tensor::{Tensor, grad};
///
/// type Twice = Autodiff<Autodiff<NdArray>>;
/// let device = Default::default();
/// let x = Tensor::<NdArray, 1>::from_data([1.0, 2.0, 3.0], &device);
/// let v = Tensor::<NdArray, 1>::from_data([1.0, 1.0, 2.0], &device);
/// let (y, moved) = grad::jvp(|x: Tensor<Twice, 1>| x.square().sum(), x, v);
/// assert_eq!(y.into_data().to_f64(), [14.0]);
/// assert_eq!(moved.into_data().to_f64(), [18.0]);
/// ```
///
/// # Errors
/// When a tensor of `v` has another shape or element type than the argument it belongs to.
#[fallible]
pub fn try_jvp<X, Y>(
    f: impl FnOnce(X) -> Y,
    x: Innermost<X>,
    v: Innermost<X>,
) -> Result<(Innermost<Y>, Innermost<Y>), TensorError>
where
    X: FloatTensors<Backend: AutodiffBackend<InnerBackend: AutodiffBackend>>,
    Y: FloatTensors<Backend = X::Backend>,
{
    let (x, v) = (x.into_handles(), v.into_handles());
    ensure!(alike(&x, &v), "jvp", "the direction has other shapes than the arguments, {:?}", shapes(&x));
    let (values, moved) = pushforward::<X::Backend>(untyped(f), x, v);
    Ok((Tensors::from_handles(values), Tensors::from_handles(moved)))
}

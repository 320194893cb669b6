use super::first::{alike, ones, shapes, untyped};
use super::pullback::{List, pullback, rows};
use super::tensors::{Below, FloatTensors, Inner, Innermost, Tensors};
use crate::check::ensure;
use crate::promotion::all_promoted;
use crate::{Tensor, TensorError};
use alloc::vec::Vec;
use burn_backend::TypedCalls;
use burn_backend::{AutodiffBackend, Backend, HasSpec, Scalar, Shape, TensorSpec};
use burn_derive::fallible;

/// Stacks rows of flattened gradients, `[count, elements]`, in the dtype that all have in common.
fn stacked<B: Backend>(rows: Vec<List<B>>, x: &[B::Tensor]) -> B::Tensor {
    let columns: usize = x.iter().map(|x| x.spec().shape.num_elements()).sum();
    if rows.is_empty() || columns == 0 {
        let dtype = x[1..].iter().fold(x[0].dtype(), |dtype, x| dtype.promote(x.dtype()));
        let device = B::device(&x[0]);
        return B::full(TensorSpec::new([rows.len(), columns], dtype), Scalar::Int(0), &device);
    }
    let line = |gradients: List<B>| {
        let flat = |x: B::Tensor| {
            let size = x.spec().shape.num_elements();
            B::reshape(x, Shape::from([1, size]))
        };
        let mut parts: List<B> = all_promoted::<B>(gradients.into_iter().map(flat).collect());
        if parts.len() == 1 { parts.remove(0) } else { B::cat(parts, 1) }
    };
    let mut lines: List<B> = rows.into_iter().map(line).collect();
    if lines.len() == 1 { lines.remove(0) } else { B::cat(lines, 0) }
}

/// Computes the Jacobian: the derivative of each element of `f(x)` by each element of `x`: of the shape of
/// the value, then that of `x`, so `R` is `D + E`. PyTorch: `torch.func.jacrev`.
///
/// `f` is called once for each element of its value, and has to give the same each time.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::tensor::{Tensor, grad};
///
/// let x = Tensor::<NdArray, 1>::from_data([2.0, 3.0], &Default::default());
/// let f = |x: Tensor<Autodiff<NdArray>, 1>| x.clone() * x.clone().flip([0]) + x.square();
/// let jacobian: Tensor<_, 2> = grad::jacobian(f, x);
/// assert_eq!(jacobian.into_data().to_f64(), [7.0, 2.0, 3.0, 8.0]);
/// ```
#[fallible]
pub fn try_jacobian<B: AutodiffBackend, const D: usize, const E: usize, const R: usize>(
    f: impl Fn(Tensor<B, D>) -> Tensor<B, E>,
    x: Tensor<B::InnerBackend, D>,
) -> Result<Tensor<B::InnerBackend, R>, TensorError> {
    const { assert!(R == D + E, "the rank of a Jacobian is that of the value plus that of the argument") };
    let x = x.into_handles();
    let (rows, mut shapes) = rows::<B>(|x| untyped(&f)(x), x.clone());
    let shape: Shape = shapes.remove(0).iter().chain(x[0].spec().shape.iter()).copied().collect();
    Ok(Tensor::from_handle(B::InnerBackend::reshape(stacked::<B::InnerBackend>(rows, &x), shape)))
}

/// [`jacobian`] for several arguments and values: one matrix, with a row for each element of all values and a
/// column for each element of all arguments, in order. PyTorch: `torch.func.jacrev`.
///
/// `f` is called once for each row, and has to give the same each time.
#[fallible]
pub fn try_jacobian_matrix<X, Y>(
    f: impl Fn(X) -> Y,
    x: Inner<X>,
) -> Result<Tensor<Below<X::Backend>, 2>, TensorError>
where
    X: FloatTensors<Backend: AutodiffBackend>,
    Y: FloatTensors<Backend = X::Backend>,
{
    let x = x.into_handles();
    let (rows, _) = rows::<X::Backend>(|x| untyped(&f)(x), x.clone());
    Ok(Tensor::from_handle(stacked::<Below<X::Backend>>(rows, &x)))
}

/// Computes the Hessian: the second derivatives of `f` at `x`: of the shape of `x` twice, so `R` is `2 D`.
/// PyTorch: `torch.func.hessian`.
///
/// `f` gives one number, on a backend that differentiates twice; it is called once for each element of `x`,
/// and has to give the same each time.
///
/// # Errors
/// When `f` gives another number of elements than one.
#[fallible]
pub fn try_hessian<B, const D: usize, const E: usize, const R: usize>(
    f: impl Fn(Tensor<B, D>) -> Tensor<B, E>,
    x: Tensor<Below<Below<B>>, D>,
) -> Result<Tensor<Below<Below<B>>, R>, TensorError>
where
    B: AutodiffBackend<InnerBackend: AutodiffBackend>,
{
    const { assert!(R == 2 * D, "the rank of a Hessian is twice that of the argument") };
    let shape: Shape = x.dims().into_iter().chain(x.dims()).collect();
    let matrix = try_hessian_matrix::<B, Tensor<B, D>, E>(f, x)?;
    Ok(Tensor::from_handle(<Below<Below<B>>>::reshape(matrix.into_handle(), shape)))
}

/// [`hessian`] for several arguments: one square matrix, with a row and a column for each element of all of
/// them. PyTorch: `torch.func.hessian`.
///
/// # Errors
/// When `f` gives another number of elements than one.
#[fallible]
pub fn try_hessian_matrix<B, X, const E: usize>(
    f: impl Fn(X) -> Tensor<B, E>,
    x: Innermost<X>,
) -> Result<Tensor<Below<Below<B>>, 2>, TensorError>
where
    B: AutodiffBackend<InnerBackend: AutodiffBackend>,
    X: FloatTensors<Backend = B>,
{
    let x = x.into_handles();
    let mut result = Shape::from([0; 0]);
    let rows = rows::<Below<B>>(|x| slope::<B, X, E>(&f, x, &mut result), x.clone()).0;
    one_number(&result)?;
    Ok(Tensor::from_handle(stacked::<Below<Below<B>>>(rows, &x)))
}

/// Computes the product of the Hessian of `f` at `x` and `v`, which has the shapes of `x`, without computing
/// the Hessian. PyTorch: `torch.autograd.functional.hvp`.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::tensor::{Tensor, grad};
///
/// type Twice = Autodiff<Autodiff<NdArray>>;
/// let device = Default::default();
/// let x = Tensor::<NdArray, 1>::from_data([1.0, 2.0], &device);
/// let v = Tensor::<NdArray, 1>::from_data([1.0, -1.0], &device);
/// // The sum of x^3 has 6 x on the diagonal.
/// let product = grad::hvp(|x: Tensor<Twice, 1>| x.powi_scalar(3).sum(), x, v);
/// assert_eq!(product.into_data().to_f64(), [6.0, -12.0]);
/// ```
///
/// # Errors
/// When `f` gives another number of elements than one, or a tensor of `v` has another shape or element type
/// than the argument it belongs to.
#[fallible]
pub fn try_hvp<B, X, const E: usize>(
    f: impl FnOnce(X) -> Tensor<B, E>,
    x: Innermost<X>,
    v: Innermost<X>,
) -> Result<Innermost<X>, TensorError>
where
    B: AutodiffBackend<InnerBackend: AutodiffBackend>,
    X: FloatTensors<Backend = B>,
{
    let (x, v, mut result) = (x.into_handles(), v.into_handles(), Shape::from([0; 0]));
    ensure!(alike(&x, &v), "hvp", "the factors have other shapes than the arguments, {:?}", shapes(&x));
    // The Hessian is symmetric: its product from the left is that from the right.
    let (_, product) = pullback::<Below<B>>(|x| slope::<B, X, E>(f, x, &mut result), x, |_| v);
    one_number(&result)?;
    Ok(Tensors::from_handles(product))
}

#[track_caller]
fn one_number(shape: &Shape) -> Result<(), TensorError> {
    ensure!(
        shape.num_elements() == 1,
        "hessian",
        "the function gives a tensor of shape {shape:?}, and only one number has a Hessian"
    );
    Ok(())
}

/// Computes the gradient of `f` at `x`, which is tracked on the backend below; and the shape of what `f`
/// gives.
fn slope<B, X, const E: usize>(
    f: impl FnOnce(X) -> Tensor<B, E>,
    x: List<Below<B>>,
    result: &mut Shape,
) -> List<Below<B>>
where
    B: AutodiffBackend,
    X: Tensors<Backend = B>,
{
    let (values, gradients) =
        pullback::<B>(untyped(f), x, |values| values.iter().map(ones::<Below<B>>).collect());
    *result = values[0].spec().shape.clone();
    gradients
}

//! Derivatives of functions of tensors: gradients, products with Jacobians and Hessians, whole Jacobians and
//! Hessians; and segments of a program that keep no values for the backward pass.
//!
//! A function is given on a backend that differentiates, `Autodiff<B>`; its arguments and its derivatives are
//! on the backend below, `B`. So derivatives nest: what [`grad()`] gives is a function of tensors of `B`, and
//! where `B` differentiates too, it can be differentiated again. Second derivatives, and [`jvp`], need
//! `Autodiff<Autodiff<B>>`. A function takes and gives a tensor, an array or a tuple of tensors:
//! [`FloatTensors`].
//!
//! A result that does not depend on an argument has zeros for its derivative, here. PyTorch: `torch.func`.
//!
//! ```
//! use burn::backend::Autodiff;
//! use burn::backend::NdArray;
//! use burn::tensor::backend::Backend;
//! use burn::tensor::{Tensor, grad};
//!
//! type Once = Autodiff<NdArray<f64>>;
//! type Twice = Autodiff<Once>;
//!
//! /// `x0^2 x1`
//! fn f<B: Backend>(x: Tensor<B, 1>) -> Tensor<B, 1> {
//!     x.clone().slice([0..1]).square() * x.slice([1..2])
//! }
//!
//! let x = Tensor::<NdArray<f64>, 1>::from_data([3.0, 5.0], &Default::default());
//! let (value, slope) = grad::value_and_grad(f::<Once>, x.clone());
//! assert_eq!(value.into_data().to_f64(), [45.0]);
//! assert_eq!(slope.into_data().to_f64(), [30.0, 9.0]);
//!
//! let curvature: Tensor<_, 2> = grad::hessian(f::<Twice>, x);
//! assert_eq!(curvature.into_data().to_f64(), [10.0, 6.0, 6.0, 0.0]);
//! ```

mod first;
mod matrix;
mod pullback;
mod segment;
mod tensors;

pub use first::{grad, jvp, try_grad, try_jvp, try_value_and_grad, try_vjp, value_and_grad, vjp};
pub use matrix::{
    hessian, hessian_matrix, hvp, jacobian, jacobian_matrix, try_hessian, try_hessian_matrix, try_hvp,
    try_jacobian, try_jacobian_matrix,
};
pub use segment::checkpoint;
pub use tensors::{FloatTensors, Inner, Innermost, Tensors};

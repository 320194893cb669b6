//! Gradients by LibTorch's own backward pass, for kernels of it that `tch` has no binding of.

use tch::{TchError, Tensor};

/// The gradient by `x` of `f(x)`, whose gradient is `grad`.
pub fn gradient(
    x: &Tensor,
    grad: &Tensor,
    f: impl FnOnce(&Tensor) -> Result<Tensor, TchError>,
) -> Result<Tensor, TchError> {
    tch::with_grad(|| {
        let x = x.f_detach()?.f_set_requires_grad(true)?;
        // The backward pass starts from ones, which become `grad` behind this product.
        let product = f(&x)?.f_mul(grad)?;
        let mut gradients = Tensor::f_run_backward(&[product], &[&x], false, false)?;
        gradients.swap_remove(0).f_detach()
    })
}

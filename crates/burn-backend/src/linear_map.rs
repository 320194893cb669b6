//! Linear maps between tensors that are no [`Operation`](crate::Operation), with their transposes as
//! gradients.

use crate::dynamic::DynamicTensor;
use alloc::boxed::Box;
use burn_ir::sync::Arc;
use core::error::Error;
use core::fmt::Debug;

/// Error of a [`LinearMap`], which the caller downcasts to its own type.
pub type LinearMapError = Box<dyn Error + Send + Sync>;

/// A linear map that can be applied again.
pub type LinearMapRef = Arc<dyn LinearMap>;

/// A linear function of a tensor that is computed outside of the backend, such as a sum over processes.
///
/// Its derivative is itself, so the gradient of its operand is its transpose, applied to the gradient of its
/// result: `Autodiff` records [`Backend::linear_map`](crate::Backend::linear_map) so, and other backends just
/// compute it.
///
/// ```
/// use burn_backend::dynamic::{Dynamic, DynamicTensor};
/// use burn_backend::{BinaryOp, LinearMap, LinearMapError, LinearMapRef, Scalar};
///
/// /// Multiplication by a number: its own transpose.
/// #[derive(Debug)]
/// struct Scale(f64);
///
/// impl LinearMap for Scale {
///     fn apply(&self, x: DynamicTensor) -> Result<DynamicTensor, LinearMapError> {
///         use burn_backend::TypedCalls;
///         Ok(Dynamic::binary_scalar(BinaryOp::Mul, x, Scalar::Float(self.0)))
///     }
///     fn transpose(&self) -> LinearMapRef {
///         std::sync::Arc::new(Scale(self.0))
///     }
/// }
/// ```
pub trait LinearMap: Debug + Send + Sync + 'static {
    /// Computes the result for `x`, on the backend of `x`.
    ///
    /// # Errors
    /// Error of the map, as a type of its own.
    fn apply(&self, x: DynamicTensor) -> Result<DynamicTensor, LinearMapError>;
    /// Returns the transposed map: from gradients of results to gradients of operands, which have the spec of
    /// the operand.
    fn transpose(&self) -> LinearMapRef;
}

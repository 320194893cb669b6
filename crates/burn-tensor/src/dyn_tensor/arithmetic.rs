use crate::check::{check, ensure, together};
use crate::in_operation::in_operation;
use crate::number::written;
use crate::operators::Number;
use crate::{Bool, DynTensor, Numeric, Tensor, TensorError, TensorKind};
use burn_backend::{
    Backend, BinaryOp, CompareOp, Elementwise, HasSpec, Linalg, Operation, Scalar, Shape, UnaryOp,
};
use burn_derive::fallible;
use core::ops::{Add, Div, Mul, Neg, Rem, Sub};

/// Aligns the ranks: prepends dimensions of size 1 to the smaller.
pub(super) fn aligned<B: Backend>(lhs: B::Tensor, rhs: B::Tensor) -> (B::Tensor, B::Tensor) {
    let rank = lhs.spec().shape.rank().max(rhs.spec().shape.rank());
    let widened = |x: B::Tensor| {
        let missing = rank - x.spec().shape.rank();
        if missing == 0 {
            return x;
        }
        let shape: Shape = core::iter::repeat_n(1, missing).chain(x.spec().shape.iter().copied()).collect();
        B::reshape(x, shape)
    };
    (widened(lhs), widened(rhs))
}

impl<B: Backend, K: Numeric> DynTensor<B, K> {
    #[track_caller]
    fn binary(self, op: BinaryOp, other: Self) -> Result<Self, TensorError> {
        let (lhs, rhs) = aligned::<B>(self.handle, other.handle);
        check(&Operation::Elementwise(Elementwise::Binary { op, lhs: lhs.spec(), rhs: rhs.spec() }))?;
        together::<B>(op.name(), &lhs, &[&rhs])?;
        Ok(Self::from_handle(B::binary(op, lhs, rhs)))
    }

    #[track_caller]
    fn binary_scalar(self, op: BinaryOp, value: Scalar) -> Result<Self, TensorError> {
        check(&Operation::Elementwise(Elementwise::BinaryScalar {
            op,
            lhs: self.handle.spec(),
            rhs: value,
        }))?;
        let value = written(op.name(), value, self.dtype())?;
        Ok(Self::from_handle(B::binary_scalar(op, self.handle, value)))
    }
}

macro_rules! dyn_operators {
    ($($trait:ident, $operator:ident, $method:ident, $scalar:ident => $op:ident, $symbol:literal, $torch:literal;)*) => {
        #[fallible]
        impl<B: Backend, K: Numeric> DynTensor<B, K> {$(
            #[doc = concat!("`x ", $symbol, " y`; shapes broadcast. PyTorch: `", $torch, "`.")]
            ///
            /// # Errors
            /// When the shapes do not broadcast.
            #[allow(clippy::should_implement_trait)]
            pub fn $method(self, other: Self) -> Result<Self, TensorError> {
                self.binary(BinaryOp::$op, other)
            }

            #[doc = concat!("`x ", $symbol, " value`. PyTorch: `", $torch, "`.")]
            ///
            /// # Errors
            /// When the value beside an Int tensor is a fraction.
            pub fn $scalar(self, value: impl Into<Scalar>) -> Result<Self, TensorError> {
                self.binary_scalar(BinaryOp::$op, value.into())
            }
        )*}

        $(
            impl<B: Backend, K: Numeric> $trait for DynTensor<B, K> {
                type Output = Self;
                #[track_caller]
                fn $operator(self, other: Self) -> Self {
                    match self.binary(BinaryOp::$op, other) {
                        Ok(value) => value,
                        Err(error) => error.raise(),
                    }
                }
            }

            impl<B: Backend, K: Numeric, S: Number> $trait<S> for DynTensor<B, K> {
                type Output = Self;
                #[track_caller]
                fn $operator(self, other: S) -> Self {
                    match self.binary_scalar(BinaryOp::$op, other.into()) {
                        Ok(value) => value,
                        Err(error) => error.raise(),
                    }
                }
            }
        )*
    };
}

dyn_operators! {
    Add, add, try_add, try_add_scalar => Add, "+", "torch.add";
    Sub, sub, try_sub, try_sub_scalar => Sub, "-", "torch.sub";
    Mul, mul, try_mul, try_mul_scalar => Mul, "*", "torch.mul";
    Div, div, try_div, try_div_scalar => Div, "/", "torch.div";
    Rem, rem, try_remainder, try_remainder_scalar => Remainder, "%", "torch.remainder";
}

impl<B: Backend, K: Numeric> Neg for DynTensor<B, K> {
    type Output = Self;
    #[track_caller]
    fn neg(self) -> Self {
        in_operation("neg", || Self::from_handle(B::unary(UnaryOp::Neg, self.handle)))
    }
}

macro_rules! dyn_comparisons {
    ($($method:ident => $op:ident, $symbol:literal, $torch:literal;)*) => {
        #[fallible]
        impl<B: Backend, K: TensorKind> DynTensor<B, K> {$(
            #[doc = concat!("`x ", $symbol, " y` of each pair; shapes broadcast. PyTorch: `", $torch, "`.")]
            ///
            /// # Errors
            /// When the shapes do not broadcast, or the order of two booleans is asked for.
            pub fn $method(self, other: Self) -> Result<DynTensor<B, Bool>, TensorError> {
                let (op, (lhs, rhs)) = (CompareOp::$op, aligned::<B>(self.handle, other.handle));
                check(&Operation::Elementwise(Elementwise::Compare { op, lhs: lhs.spec(), rhs: rhs.spec() }))?;
                together::<B>(op.name(), &lhs, &[&rhs])?;
                Ok(DynTensor::from_handle(B::compare(op, lhs, rhs)))
            }
        )*}
    };
}

dyn_comparisons! {
    try_equal => Equal, "=", "torch.eq";
    try_not_equal => NotEqual, "!=", "torch.ne";
    try_greater => Greater, ">", "torch.gt";
    try_greater_equal => GreaterEqual, ">=", "torch.ge";
    try_lower => Less, "<", "torch.lt";
    try_lower_equal => LessEqual, "<=", "torch.le";
}

#[fallible]
impl<B: Backend, K: TensorKind> DynTensor<B, K> {
    /// Applies an elementwise function of [`Tensor`]: `x.elementwise(Tensor::exp)`. PyTorch has no
    /// counterpart.
    ///
    /// ```
    /// use burn::tensor::{Bool, DynTensor, activation, backend::Backend};
    /// fn hidden<B: Backend>(x: DynTensor<B>) -> (DynTensor<B>, DynTensor<B, Bool>) {
    ///     (x.clone().elementwise(activation::gelu), x.elementwise(|x| x.greater_elem(0)))
    /// }
    /// ```
    ///
    /// # Errors
    /// When `function` gives another number of elements.
    pub fn try_elementwise<K2: TensorKind, F: FnOnce(Tensor<B, 1, K>) -> Tensor<B, 1, K2>>(
        self,
        function: F,
    ) -> Result<DynTensor<B, K2>, TensorError> {
        let shape = self.shape();
        let result = function(self.flat());
        let ([found], wanted) = (result.dims(), shape.num_elements());
        ensure!(found == wanted, "elementwise", "the {wanted} elements of {shape:?} became {found}");
        Ok(DynTensor::from_handle(B::reshape(result.into_handle(), shape)))
    }

    /// Fills with `value` where the mask is true. PyTorch: `torch.masked_fill`.
    ///
    /// # Errors
    /// When the mask does not broadcast to `x`, or an Int tensor is filled with a fraction.
    pub fn try_mask_fill(
        self,
        mask: DynTensor<B, Bool>,
        value: impl Into<Scalar>,
    ) -> Result<Self, TensorError> {
        let value = written("mask_fill", value.into(), self.dtype())?;
        let (x, mask) = aligned::<B>(self.handle, mask.handle);
        check(&Operation::Elementwise(Elementwise::MaskFill { x: x.spec(), mask: mask.spec(), value }))?;
        together::<B>("mask_fill", &x, &[&mask])?;
        Ok(Self::from_handle(B::mask_fill(x, mask, value)))
    }
}

#[fallible]
impl<B: Backend, K: Numeric> DynTensor<B, K> {
    /// Computes the matrix product of the last two dimensions; the others broadcast. PyTorch: `torch.matmul`.
    ///
    /// # Errors
    /// When a rank is below 2 or the shapes do not fit.
    pub fn try_matmul(self, other: Self) -> Result<Self, TensorError> {
        let (left, right) = (self.shape(), other.shape());
        let matrices = left.rank().min(right.rank()) >= 2;
        ensure!(matrices, "matmul", "needs at least rank 2, found {left:?} and {right:?}");
        let (lhs, rhs) = aligned::<B>(self.handle, other.handle);
        check(&Operation::Linalg(Linalg::Matmul { lhs: lhs.spec(), rhs: rhs.spec() }))?;
        together::<B>("matmul", &lhs, &[&rhs])?;
        Ok(Self::from_handle(B::matmul(lhs, rhs)))
    }
}

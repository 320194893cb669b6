use crate::check::check;
use crate::{Bool, Float, Numeric, Tensor, TensorKind};
use burn_backend::{Backend, CompareOp, HasSpec, Operation, Scalar};

impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    #[track_caller]
    fn compare(self, op: CompareOp, other: Self) -> Tensor<B, D, Bool> {
        check(&Operation::Compare { op, lhs: self.handle.spec(), rhs: other.handle.spec() });
        Tensor::from_handle(B::compare(op, self.handle, other.handle))
    }

    fn compare_scalar(self, op: CompareOp, other: Scalar) -> Tensor<B, D, Bool> {
        Tensor::from_handle(B::compare_scalar(op, self.handle, other))
    }

    /// `x == y`; shapes broadcast; NaN equals nothing. PyTorch: `torch.eq`.
    #[track_caller]
    #[must_use]
    pub fn equal(self, other: Self) -> Tensor<B, D, Bool> {
        self.compare(CompareOp::Equal, other)
    }

    /// `x != y`. PyTorch: `torch.ne`.
    #[track_caller]
    #[must_use]
    pub fn not_equal(self, other: Self) -> Tensor<B, D, Bool> {
        self.compare(CompareOp::NotEqual, other)
    }

    /// `x == value`.
    #[must_use]
    pub fn equal_elem(self, value: impl Into<Scalar>) -> Tensor<B, D, Bool> {
        self.compare_scalar(CompareOp::Equal, value.into())
    }

    /// `x != value`.
    #[must_use]
    pub fn not_equal_elem(self, value: impl Into<Scalar>) -> Tensor<B, D, Bool> {
        self.compare_scalar(CompareOp::NotEqual, value.into())
    }
}

macro_rules! ordered {
    ($($method:ident, $scalar:ident => $op:ident, $symbol:literal, $torch:literal;)*) => {
        impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {$(
            #[doc = concat!("`x ", $symbol, " y`; shapes broadcast. PyTorch: `", $torch, "`.")]
            #[track_caller]
            #[must_use]
            pub fn $method(self, other: Self) -> Tensor<B, D, Bool> {
                self.compare(CompareOp::$op, other)
            }

            #[doc = concat!("`x ", $symbol, " value`.")]
            #[must_use]
            pub fn $scalar(self, value: impl Into<Scalar>) -> Tensor<B, D, Bool> {
                self.compare_scalar(CompareOp::$op, value.into())
            }
        )*}
    };
}

ordered! {
    greater, greater_elem => Greater, ">", "torch.gt";
    greater_equal, greater_equal_elem => GreaterEqual, ">=", "torch.ge";
    lower, lower_elem => Less, "<", "torch.lt";
    lower_equal, lower_equal_elem => LessEqual, "<=", "torch.le";
}

impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Whether each element is NaN, which no integer is. PyTorch: `torch.isnan`.
    #[must_use]
    pub fn is_nan(self) -> Tensor<B, D, Bool> {
        let copy = self.handle.clone();
        Tensor::from_handle(B::compare(CompareOp::NotEqual, copy, self.handle))
    }

    /// Whether any element is NaN, shape `[1]`.
    #[must_use]
    pub fn contains_nan(self) -> Tensor<B, 1, Bool> {
        self.is_nan().any()
    }

    /// `|x - y| <= atol + rtol * |y|`, or both the same infinity. The defaults are PyTorch's, `1e-5` and
    /// `1e-8`. PyTorch: `torch.isclose`.
    #[track_caller]
    #[must_use]
    pub fn is_close(self, other: Self, rtol: Option<f64>, atol: Option<f64>) -> Tensor<B, D, Bool> {
        let equal = self.clone().equal(other.clone());
        let (x, y) = (as_float(self), as_float(other));
        let finite = y.clone().is_inf().bool_not();
        let tolerance = y.clone().abs() * rtol.unwrap_or(1e-5) + atol.unwrap_or(1e-8);
        let near = (x - y).abs().lower_equal(tolerance);
        near.bool_and(finite).bool_or(equal)
    }

    /// Whether every element [is close](Tensor::is_close); reads the device. PyTorch: `torch.allclose`.
    #[track_caller]
    #[must_use]
    pub fn all_close(self, other: Self, rtol: Option<f64>, atol: Option<f64>) -> bool {
        self.is_close(other, rtol, atol).all().into_scalar()
    }
}

fn as_float<B: Backend, const D: usize, K: Numeric>(x: Tensor<B, D, K>) -> Tensor<B, D, Float> {
    let float = x.dtype().is_float();
    Tensor::from_handle(if float { x.handle } else { B::cast(x.handle, Float::dtype::<B>()) })
}

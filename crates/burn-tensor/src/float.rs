use crate::Tensor;
use burn_backend::{Backend, UnaryOp};

macro_rules! float_functions {
    ($($name:ident => $variant:ident, $doc:literal;)*) => {
        impl<B: Backend, const D: usize> Tensor<B, D> {$(
            #[doc = concat!($doc, " PyTorch: `torch.", stringify!($name), "`.")]
            #[must_use]
            pub fn $name(self) -> Self {
                self.unary(UnaryOp::$variant)
            }
        )*}
    };
}

float_functions! {
    exp => Exp, "`e^x`.";
    expm1 => ExpM1, "`e^x - 1`, exact near zero.";
    log => Log, "Natural logarithm; NaN for `x < 0`.";
    log1p => Log1p, "`log(1 + x)`, exact near zero.";
    sqrt => Sqrt, "Square root; NaN for `x < 0`.";
    sin => Sin, "Sine of radians.";
    cos => Cos, "Cosine of radians.";
    tan => Tan, "Tangent of radians.";
    asin => Asin, "Inverse sine.";
    acos => Acos, "Inverse cosine.";
    atan => Atan, "Inverse tangent.";
    sinh => Sinh, "Hyperbolic sine.";
    cosh => Cosh, "Hyperbolic cosine.";
    tanh => Tanh, "Hyperbolic tangent.";
    asinh => Asinh, "Inverse hyperbolic sine.";
    acosh => Acosh, "Inverse hyperbolic cosine; NaN for `x < 1`.";
    atanh => Atanh, "Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond.";
    sigmoid => Sigmoid, "`1 / (1 + e^-x)`.";
    erf => Erf, "Gauss error function.";
    floor => Floor, "Largest integer not above `x`. The gradient is zero.";
    ceil => Ceil, "Smallest integer not below `x`. The gradient is zero.";
    round => Round, "Nearest integer, halves to the even one. The gradient is zero.";
    trunc => Trunc, "The integer part, toward zero. The gradient is zero.";
}

impl<B: Backend, const D: usize> Tensor<B, D> {
    /// `1 / x`. PyTorch: `torch.reciprocal`.
    #[must_use]
    pub fn recip(self) -> Self {
        self.unary(UnaryOp::Recip)
    }
}

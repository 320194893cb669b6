use crate::{Int, Tensor, TensorError};
use burn_backend::{Backend, BinaryOp, Scalar};
use burn_derive::fallible;

macro_rules! bitwise {
    ($($method:ident, $scalar:ident => $op:ident, $doc:literal, $torch:literal;)*) => {
        #[fallible]
        /// # Bits of integers, of Int tensors
        impl<B: Backend, const D: usize> Tensor<B, D, Int> {$(
            #[doc = concat!($doc, "; shapes broadcast. PyTorch: `", $torch, "`.")]
            ///
            /// # Errors
            /// When the shapes do not broadcast.
            pub fn $method(self, other: Self) -> Result<Self, TensorError> {
                self.binary(BinaryOp::$op, other)
            }

            #[doc = concat!($doc, ", of one number. PyTorch: `", $torch, "`.")]
            ///
            /// # Errors
            /// When the number is a fraction.
            pub fn $scalar(self, value: impl Into<Scalar>) -> Result<Self, TensorError> {
                self.binary_scalar(BinaryOp::$op, value.into())
            }
        )*}
    };
}

bitwise! {
    try_bitwise_and, try_bitwise_and_scalar => And, "Bits that are set in both", "torch.bitwise_and";
    try_bitwise_or, try_bitwise_or_scalar => Or, "Bits that are set in either or both", "torch.bitwise_or";
    try_bitwise_xor, try_bitwise_xor_scalar => Xor, "Bits that are set in exactly one", "torch.bitwise_xor";
    try_bitwise_left_shift, try_bitwise_left_shift_scalar => ShiftLeft,
        "`x * 2^y`, wrapping; 0 if `y` is negative or not below the width", "torch.bitwise_left_shift";
    try_bitwise_right_shift, try_bitwise_right_shift_scalar => ShiftRight,
        "`x / 2^y` rounded down; 0 or -1, by the sign, if `y` is negative or not below the width",
        "torch.bitwise_right_shift";
}

//! Names and operators of PyTorch that tensors do not have: the compiler says what to write in place of them.

use crate::{Tensor, TensorKind};
use burn_backend::Backend;
use core::cmp::Ordering;
use core::ops::Index;

/// Declares for each name a trait that no kind implements, and a method that needs it; the message of the
/// trait is what the compiler says about a call.
macro_rules! names {
    ($($trait:ident $method:ident($($argument:ident)?): $message:literal;)*) => {
        /// Traits that no kind of tensor implements.
        pub mod absent {$(
            #[doc(hidden)]
            #[diagnostic::on_unimplemented(message = $message, label = $message)]
            pub trait $trait {}
        )*}

        #[doc(hidden)]
        impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {$(
            #[doc(hidden)]
            #[must_use]
            pub fn $method$(<$argument>)?(self $(, _: $argument)?) -> Self
            where
                K: absent::$trait,
            {
                self
            }
        )*}
    };
}

names! {
    View view(A): "`view` is `reshape` here: write `x.reshape([2, -1])`";
    Size size(A): "`size` is `dims` here: write `x.dims()[0]`, or `x.shape()`";
    Item item(): "`item` is `into_scalar` here: write `x.into_scalar()`";
    Numpy numpy(): "`numpy` is `into_data` here: write `x.into_data().to_vec::<f32>()`";
    ToList tolist(): "`tolist` is `into_data` here: write `x.into_data().to_vec::<f32>()`";
    Mm mm(A): "`mm` is `matmul` here: write `x.matmul(y)`";
    Bmm bmm(A): "`bmm` is `matmul` here: write `x.matmul(y)`";
    To to(A): "`to` is `to_device` or `cast` here: write `x.to_device(&device)`, or `x.cast(DType::F16)`";
    Cpu cpu(): "`cpu` is `to_device` here: write `x.to_device(&device)`; the device is a value of the backend";
    OnCuda cuda(): "`cuda` is `to_device` here: write `x.to_device(&device)`; the device is a value of the backend";
    RequiresGradInPlace requires_grad_(A): "`requires_grad_` is `require_grad` here: write `x.require_grad()`";
    MaskedFill masked_fill(A): "`masked_fill` is `mask_fill` here: write `x.mask_fill(mask, 0.0)`";
    MaskedSelect masked_select(A): "`masked_select` is `mask_select` here: write `x.mask_select(mask)`";
    IndexSelect index_select(A): "`index_select` is `select` here: write `x.select(0, indices)`";
    Type type_as(A): "`type_as` is `cast` here: write `x.cast(y.dtype())`";
    Numel numel(): "`numel` is `num_elements` here: write `x.shape().num_elements()`";
    NormMethod norm(): "`norm` is a function here: write `linalg::norm(x, ..)`";
    Softmax softmax(A): "`softmax` is a function here: write `activation::softmax(x, 1)`";
    Relu relu(): "`relu` is a function here: write `activation::relu(x)`";
}

#[diagnostic::on_unimplemented(
    message = "a tensor is not indexed by `[..]`",
    label = "write `x.slice(s![0, 1..3])`, or `x.select_dim(0, 0)`, or `x.select(0, indices)`"
)]
#[doc(hidden)]
pub trait IndexedByBrackets {}

#[doc(hidden)]
impl<B: Backend, const D: usize, K: TensorKind, I: IndexedByBrackets> Index<I> for Tensor<B, D, K> {
    type Output = Self;

    fn index(&self, _: I) -> &Self {
        self
    }
}

#[diagnostic::on_unimplemented(
    message = "tensors are not compared by operators, whose result is one `bool`",
    label = "write `x.greater(y)`, `x.lower_elem(0.0)`, `x.equal(y)`: a tensor of bools"
)]
#[doc(hidden)]
pub trait ComparedByOperator {}

#[doc(hidden)]
impl<B: Backend, const D: usize, K: TensorKind, R: ComparedByOperator> PartialEq<R> for Tensor<B, D, K> {
    fn eq(&self, _: &R) -> bool {
        false
    }
}

#[doc(hidden)]
impl<B: Backend, const D: usize, K: TensorKind, R: ComparedByOperator> PartialOrd<R> for Tensor<B, D, K> {
    fn partial_cmp(&self, _: &R) -> Option<Ordering> {
        None
    }
}

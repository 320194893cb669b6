use crate::{Tensor, TensorKind};
use alloc::vec;
use alloc::vec::Vec;
use burn_backend::Backend;

/// The operands of [`einsum`](crate::einsum): tensors of any ranks in a tuple, or of one rank in an array or
/// a list.
pub trait EinsumOperands<B: Backend, K> {
    fn into_handles(self) -> Vec<B::Tensor>;
}

impl<B: Backend, const D: usize, K: TensorKind> EinsumOperands<B, K> for Vec<Tensor<B, D, K>> {
    fn into_handles(self) -> Vec<B::Tensor> {
        self.into_iter().map(Tensor::into_handle).collect()
    }
}

impl<B: Backend, const D: usize, K: TensorKind, const N: usize> EinsumOperands<B, K>
    for [Tensor<B, D, K>; N]
{
    fn into_handles(self) -> Vec<B::Tensor> {
        self.into_iter().map(Tensor::into_handle).collect()
    }
}

macro_rules! tuple {
    ($($name:ident $rank:ident),+) => {
        impl<B: Backend, K: TensorKind, $(const $rank: usize),+> EinsumOperands<B, K>
            for ($(Tensor<B, $rank, K>,)+)
        {
            fn into_handles(self) -> Vec<B::Tensor> {
                let ($($name,)+) = self;
                vec![$($name.into_handle()),+]
            }
        }
    };
}

tuple!(a D1);
tuple!(a D1, b D2);
tuple!(a D1, b D2, c D3);
tuple!(a D1, b D2, c D3, d D4);
tuple!(a D1, b D2, c D3, d D4, e D5);
tuple!(a D1, b D2, c D3, d D4, e D5, f D6);

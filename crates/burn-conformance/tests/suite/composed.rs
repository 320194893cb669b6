//! The compositions that leaves without kernels call, on a leaf with strides, half precision and every
//! integer.

use burn_backend::{Around, Backend, Operation, Outputs, around, reference};
use std::marker::PhantomData;

/// A backend whose kernels are compositions, where there are such.
#[derive(Clone, Copy, Debug, Default)]
pub struct Composed<B>(PhantomData<B>);

impl<B: Backend> Around for Composed<B> {
    type Inner = B;
    const NAME: &'static str = "composed";

    fn interpret(op: Operation<B::Tensor>) -> Outputs<B::Tensor> {
        reference::try_decompose::<B>(op).unwrap_or_else(B::execute)
    }
}

around!(Composed<B>);

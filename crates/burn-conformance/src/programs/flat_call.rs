//! Operations as programs name them: by the variant, without its family.

use burn_backend::{
    Attention, Convolution, Elementwise, Index, Layout, Linalg, Normalization, Operation, Order, Pooling,
    Quantized, Recurrent, Reduction, Resize, Spectral,
};
use serde::Deserialize;

/// Operation on numbered tensors, such as `{"Unary": {"op": "Neg", "x": 0}}`.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum FlatCall {
    Elementwise(Elementwise<usize>),
    Layout(Layout<usize>),
    Reduction(Reduction<usize>),
    Order(Order<usize>),
    Index(Index<usize>),
    Linalg(Linalg<usize>),
    Convolution(Convolution<usize>),
    Pooling(Pooling<usize>),
    Resize(Resize<usize>),
    Spectral(Spectral<usize>),
    Normalization(Normalization<usize>),
    Attention(Attention<usize>),
    Quantized(Quantized<usize>),
    Recurrent(Recurrent<usize>),
}

impl From<FlatCall> for Operation<usize> {
    fn from(call: FlatCall) -> Self {
        match call {
            FlatCall::Elementwise(op) => op.into(),
            FlatCall::Layout(op) => op.into(),
            FlatCall::Reduction(op) => op.into(),
            FlatCall::Order(op) => op.into(),
            FlatCall::Index(op) => op.into(),
            FlatCall::Linalg(op) => op.into(),
            FlatCall::Convolution(op) => op.into(),
            FlatCall::Pooling(op) => op.into(),
            FlatCall::Resize(op) => op.into(),
            FlatCall::Spectral(op) => op.into(),
            FlatCall::Normalization(op) => op.into(),
            FlatCall::Attention(op) => op.into(),
            FlatCall::Quantized(op) => op.into(),
            FlatCall::Recurrent(op) => op.into(),
        }
    }
}

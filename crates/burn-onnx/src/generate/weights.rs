//! Constants that are no weights of a layer: parameters of the model, or literals in its source.

use super::literal::{dtype, float, integer, integer_i64, integer_u64, size, sizes};
use crate::graph::Constant;
use burn_ir::{DType, TensorData};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

/// The most integers or booleans that are written into the source.
const MOST_WRITTEN: usize = 64;

/// Whether the constant is written into the source: a single number, or a few integers.
pub(super) fn is_literal(constant: &Constant) -> bool {
    let count = constant.data.num_elements();
    count <= 1 || (!constant.data.dtype.is_float() && count <= MOST_WRITTEN)
}

/// The type of tensors of a rank.
pub(super) fn tensor_type(dtype: DType, rank: usize) -> TokenStream {
    let (rank, kind) = (size(rank), kind(dtype));
    quote!(Tensor<B, #rank #kind>)
}

/// The kind of tensors with elements of a type, as it stands after the rank in `Tensor<B, 2, Int>`.
fn kind(dtype: DType) -> TokenStream {
    if dtype.is_float() {
        TokenStream::new()
    } else if dtype.is_int() {
        quote!(, Int)
    } else {
        quote!(, Bool)
    }
}

/// An expression that makes the constant on `device`.
pub(super) fn literal(data: &TensorData) -> TokenStream {
    let (list, kind, dtype) = (list(data), kind(data.dtype), dtype(data.dtype));
    let line = quote!(Tensor::<B, 1 #kind>::from_data(#list, (device, #dtype)));
    if data.shape.len() > 1 {
        let shape = sizes(&data.shape);
        quote!(#line.reshape(#shape))
    } else {
        line
    }
}

/// The elements as an array, whose first one says the type of integers.
fn list(data: &TensorData) -> TokenStream {
    let (first, values): (TokenStream, Vec<TokenStream>) = if data.dtype.is_float() {
        let values: Vec<TokenStream> = data.iter::<f64>().map(float).collect();
        (values.first().cloned().unwrap_or_default(), values)
    } else if data.dtype == DType::Bool {
        let values: Vec<TokenStream> = data.iter::<bool>().map(|value| quote!(#value)).collect();
        (values.first().cloned().unwrap_or_default(), values)
    } else if data.dtype == DType::U64 {
        let first = data.iter::<u64>().next().map(integer_u64);
        let unsuffixed = |value: u64| Literal::u64_unsuffixed(value).into_token_stream();
        (first.unwrap_or_default(), data.iter::<u64>().map(unsuffixed).collect())
    } else {
        let first = data.iter::<i64>().next().map(integer_i64);
        (first.unwrap_or_default(), data.iter::<i64>().map(integer).collect())
    };
    let texts: Vec<String> = values.iter().map(TokenStream::to_string).collect();
    match &values[..] {
        [] => quote!([0_i64; 0]),
        [_, _, ..] if texts.iter().all(|text| *text == texts[0]) => {
            let count = size(values.len());
            quote!([#first; #count])
        }
        [_, rest @ ..] => quote!([#first #(, #rest)*]),
    }
}

/// Rank of the tensor of a constant: that of a scalar is 1.
pub(super) fn rank(data: &TensorData) -> usize {
    data.shape.len().max(1)
}

/// An expression that makes a parameter of random or zero values on `device`.
pub(super) fn initial(data: &TensorData) -> TokenStream {
    let shape = if data.shape.is_empty() { sizes(&[1]) } else { sizes(&data.shape) };
    if data.dtype.is_float() {
        return quote!(Initializer::Normal { mean: 0.0, std: 0.02 }.init(#shape, device));
    }
    let zeros = quote!(Tensor::zeros(#shape, device));
    quote!(Param::uninitialized(ParamId::new(), #shape, device.clone(), move |device| #zeros))
}

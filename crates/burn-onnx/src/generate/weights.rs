//! Constants that are no weights of a layer: parameters of the model, or literals in its source.

use super::numbers::float;
use crate::graph::Constant;
use burn_ir::{DType, TensorData};

/// The most integers or truth values that are written into the source.
const MOST_WRITTEN: usize = 64;

/// Whether the constant is written into the source: a single number, or a few integers.
pub(super) fn is_literal(constant: &Constant) -> bool {
    let count = constant.data.num_elements();
    count <= 1 || (!constant.data.dtype.is_float() && count <= MOST_WRITTEN)
}

/// The kind of tensors with elements of a type, as it stands after rank in `Tensor<B, 2, Int>`.
pub(super) fn kind(dtype: DType) -> &'static str {
    if dtype.is_float() {
        ""
    } else if dtype.is_int() {
        ", Int"
    } else {
        ", Bool"
    }
}

/// The type of tensors of a rank.
pub(super) fn tensor_type(dtype: DType, rank: usize) -> String {
    format!("Tensor<B, {rank}{}>", kind(dtype))
}

/// An expression that makes the constant on `device`.
pub(super) fn literal(data: &TensorData) -> String {
    let values: Vec<String> = if data.dtype.is_float() {
        data.iter::<f64>().map(float).collect()
    } else if data.dtype == DType::Bool {
        data.iter::<bool>().map(|value| value.to_string()).collect()
    } else if data.dtype == DType::U64 {
        data.iter::<u64>().map(|value| value.to_string()).collect()
    } else {
        data.iter::<i64>().map(|value| value.to_string()).collect()
    };
    let suffix = if data.dtype == DType::U64 {
        "_u64"
    } else if data.dtype.is_int() {
        "_i64"
    } else {
        ""
    };
    let list = match &values[..] {
        [] => "[0_i64; 0]".into(),
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|value| value == first) => {
            format!("[{first}{suffix}; {}]", values.len())
        }
        [first, rest @ ..] => {
            let rest: String = rest.iter().map(|value| format!(", {value}")).collect();
            format!("[{first}{suffix}{rest}]")
        }
    };
    let line =
        format!("Tensor::<B, 1{}>::from_data({list}, (device, DType::{:?}))", kind(data.dtype), data.dtype);
    if data.shape.len() > 1 { format!("{line}.reshape({:?})", data.shape) } else { line }
}

/// Rank of the tensor of a constant: that of a scalar is 1.
pub(super) fn rank(data: &TensorData) -> usize {
    data.shape.len().max(1)
}

/// An expression that makes a parameter of random or zero values on `device`.
pub(super) fn initial(data: &TensorData) -> String {
    let shape = if data.shape.is_empty() { "[1]".into() } else { format!("{:?}", data.shape) };
    if data.dtype.is_float() {
        return format!("Initializer::Normal {{ mean: 0.0, std: 0.02 }}.init({shape}, device)");
    }
    let zeros = format!("Tensor::zeros({shape}, device)");
    format!("Param::uninitialized(ParamId::new(), {shape}, device.clone(), move |device| {zeros})")
}

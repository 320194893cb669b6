//! Tensors as values to be read by people.
//!
//! Numbers have the digits that give them back exactly. What JSON has no number for is a text: `"inf"`, `"-inf"`, and
//! `"NaN(7fc00000)"` with the bits.

use super::Node;
use crate::tensor::{DType, Shape, TensorData};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::{Serialize, Serializer};

/// The elements, in order.
pub struct Values<'a>(pub &'a TensorData);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Values(data) = self;
        let dtype = data.dtype;
        if dtype == DType::Bool {
            serializer.collect_seq(data.iter::<bool>())
        } else if dtype.is_float() {
            let elements = data.iter::<f64>().zip(data.as_bytes().chunks_exact(dtype.size()));
            serializer.collect_seq(elements.map(|(value, bytes)| Float { value, dtype, bytes }))
        } else if dtype.is_signed() {
            serializer.collect_seq(data.iter::<i64>())
        } else {
            serializer.collect_seq(data.iter::<u64>())
        }
    }
}

struct Float<'a> {
    value: f64,
    dtype: DType,
    bytes: &'a [u8],
}

impl Serialize for Float<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.value.is_nan() {
            let bits = self.bytes.iter().rev().fold(0_u64, |bits, &byte| (bits << 8) | u64::from(byte));
            serializer.collect_str(&format_args!("NaN({bits:x})"))
        } else if self.value.is_infinite() {
            serializer.collect_str(&self.value)
        } else if self.dtype == DType::F64 {
            serializer.serialize_f64(self.value)
        } else {
            serializer.serialize_f32(self.value as f32)
        }
    }
}

/// The tensor that `values` are the elements of.
pub fn read(dtype: DType, shape: Shape, values: &[Node]) -> Result<TensorData, String> {
    if shape.checked_num_elements() != Some(values.len()) {
        return Err(format!("{} values are not the elements of shape {shape:?}", values.len()));
    }
    let wrong = |node: &Node| format!("{} is no {dtype}", node.kind());
    if dtype == DType::Bool {
        let bools = values.iter().map(|node| match node {
            Node::Bool(value) => Ok(*value),
            other => Err(wrong(other)),
        });
        return Ok(TensorData::new(bools.collect::<Result<Vec<_>, _>>()?, shape));
    }
    if dtype.is_float() {
        return read_floats(dtype, shape, values);
    }
    let data = if dtype.is_signed() {
        let numbers = values.iter().map(|node| match node {
            Node::Int(number) => Ok(*number),
            Node::UInt(number) => i64::try_from(*number).map_err(|error| error.to_string()),
            other => Err(wrong(other)),
        });
        TensorData::new(numbers.collect::<Result<Vec<_>, _>>()?, shape)
    } else {
        let numbers = values.iter().map(|node| match node {
            Node::UInt(number) => Ok(*number),
            other => Err(wrong(other)),
        });
        TensorData::new(numbers.collect::<Result<Vec<_>, _>>()?, shape)
    };
    data.try_convert_dtype(dtype).map_err(|error| error.to_string())
}

fn read_floats(dtype: DType, shape: Shape, values: &[Node]) -> Result<TensorData, String> {
    let mut nans = Vec::new();
    let mut number = |(index, node): (usize, &Node)| match node {
        Node::Float(number) => Ok(*number),
        Node::Int(number) => Ok(*number as f64),
        Node::UInt(number) => Ok(*number as f64),
        Node::Text(text) if text == "inf" => Ok(f64::INFINITY),
        Node::Text(text) if text == "-inf" => Ok(f64::NEG_INFINITY),
        other => match nan_bits(other) {
            Some(bits) => {
                nans.push((index, bits));
                Ok(f64::NAN)
            }
            None => Err(format!("{} is no {dtype}", other.kind())),
        },
    };
    let numbers: Vec<f64> = values.iter().enumerate().map(&mut number).collect::<Result<_, String>>()?;
    let data = TensorData::new(numbers, shape).convert_dtype(dtype);
    if nans.is_empty() {
        return Ok(data);
    }
    // Which of the many NaN it was is part of the value.
    let (shape, size) = (data.shape.clone(), dtype.size());
    let mut bytes = data.into_bytes();
    for (index, bits) in nans {
        bytes[index * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
    }
    TensorData::from_bytes(&bytes, shape, dtype).map_err(|error| error.to_string())
}

fn nan_bits(node: &Node) -> Option<u64> {
    match node {
        Node::Text(text) => u64::from_str_radix(text.strip_prefix("NaN(")?.strip_suffix(')')?, 16).ok(),
        _ => None,
    }
}

//! Tensors as JSON values.

use super::Node;
use super::bytes::Sink;
use super::named::{SHAPE, TENSOR, VALUES};
use crate::tensor::{DType, Shape, TensorData};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub fn write(data: &TensorData, sink: &mut dyn Sink) {
    let (name, shape) = (data.dtype.name(), &data.shape);
    sink.put(format!("{{\"{TENSOR}\": \"{name}\", \"{SHAPE}\": {shape:?}, \"{VALUES}\": [").as_bytes());
    let mut separator = "";
    let mut put = |value: String| {
        sink.put(separator.as_bytes());
        sink.put(value.as_bytes());
        separator = ", ";
    };
    if data.dtype == DType::Bool {
        data.iter::<bool>().for_each(|value| put(value.to_string()));
    } else if data.dtype.is_float() {
        let elements = data.as_bytes().chunks_exact(data.dtype.size());
        data.iter::<f64>().zip(elements).for_each(|(x, bytes)| put(float(x, data.dtype, bytes)));
    } else if data.dtype.is_signed() {
        data.iter::<i64>().for_each(|value| put(value.to_string()));
    } else {
        data.iter::<u64>().for_each(|value| put(value.to_string()));
    }
    sink.put(b"]}");
}

/// The fewest digits that give the number back, or a text for what is no number.
fn float(x: f64, dtype: DType, bytes: &[u8]) -> String {
    if x.is_nan() {
        let bits = bytes.iter().rev().fold(0_u64, |bits, &byte| (bits << 8) | u64::from(byte));
        format!("\"NaN({bits:x})\"")
    } else if x.is_infinite() {
        format!("\"{x}\"")
    } else if dtype == DType::F64 {
        format!("{x:?}")
    } else {
        format!("{:?}", x as f32)
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

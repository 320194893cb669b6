//! Tensors as values to be read by people.
//!
//! Numbers have the digits that give them back exactly. What JSON has no number for is a text: `"inf"`,
//! `"-inf"`, and `"NaN(7fc00000)"` with the bits.

use crate::tensor::{DType, Shape, TensorData};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Formatter;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

/// Serializer of the elements, in order.
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

/// Deserializer of the elements of a tensor one by one, so that they take the memory of numbers, not of
/// nodes.
pub struct Elements {
    pub dtype: DType,
    pub shape: Shape,
}

impl<'de> DeserializeSeed<'de> for Elements {
    type Value = TensorData;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<TensorData, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements {
    type Value = TensorData;

    fn expecting(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str("the elements of a tensor")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<TensorData, A::Error> {
        let Elements { dtype, shape } = self;
        let expected = shape.checked_num_elements();
        let mut buffer = Buffer::new(dtype);
        while elements.next_element_seed(Element { buffer: &mut buffer, dtype })?.is_some() {
            if Some(buffer.len()) > expected {
                break;
            }
        }
        if Some(buffer.len()) != expected {
            let count = buffer.len();
            let count = if Some(count) > expected { format!("{count} and more") } else { count.to_string() };
            return Err(A::Error::custom(format!("{count} values are not the elements of shape {shape:?}")));
        }
        buffer.into_data(dtype, shape).map_err(A::Error::custom)
    }
}

/// Elements as the widest type of their kind.
enum Buffer {
    Bools(Vec<bool>),
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
    /// Floats, with the positions and bits of NaN, whose payload is preserved.
    Floats(Vec<f64>, Vec<(usize, u64)>),
}

impl Buffer {
    fn new(dtype: DType) -> Self {
        if dtype == DType::Bool {
            Buffer::Bools(Vec::new())
        } else if dtype.is_float() {
            Buffer::Floats(Vec::new(), Vec::new())
        } else if dtype.is_signed() {
            Buffer::Signed(Vec::new())
        } else {
            Buffer::Unsigned(Vec::new())
        }
    }

    fn len(&self) -> usize {
        match self {
            Buffer::Bools(values) => values.len(),
            Buffer::Signed(values) => values.len(),
            Buffer::Unsigned(values) => values.len(),
            Buffer::Floats(values, _) => values.len(),
        }
    }

    fn into_data(self, dtype: DType, shape: Shape) -> Result<TensorData, String> {
        match self {
            Buffer::Bools(values) => Ok(TensorData::new(values, shape)),
            Buffer::Signed(values) => narrow(TensorData::new(values, shape), dtype),
            Buffer::Unsigned(values) => narrow(TensorData::new(values, shape), dtype),
            Buffer::Floats(values, nans) => {
                let data = TensorData::new(values, shape).convert_dtype(dtype);
                if nans.is_empty() { Ok(data) } else { with_bits(data, &nans) }
            }
        }
    }
}

fn narrow(data: TensorData, dtype: DType) -> Result<TensorData, String> {
    data.try_convert_dtype(dtype).map_err(|error| error.to_string())
}

fn with_bits(data: TensorData, nans: &[(usize, u64)]) -> Result<TensorData, String> {
    let (shape, dtype, size) = (data.shape.clone(), data.dtype, data.dtype.size());
    let mut bytes = data.into_bytes();
    for (index, bits) in nans {
        bytes[index * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
    }
    TensorData::from_bytes(&bytes, shape, dtype).map_err(|error| error.to_string())
}

/// Adds one element to the others.
struct Element<'a> {
    buffer: &'a mut Buffer,
    dtype: DType,
}

impl Element<'_> {
    fn wrong<E: Error>(&self, found: &str) -> Result<(), E> {
        Err(E::custom(format!("{found} is no {}", self.dtype)))
    }
}

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Element<'_> {
    type Value = ();

    fn expecting(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        write!(f, "an element of type {}", self.dtype)
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        match self.buffer {
            Buffer::Bools(values) => values.push(value),
            Buffer::Signed(_) | Buffer::Unsigned(_) | Buffer::Floats(..) => return self.wrong("a boolean"),
        }
        Ok(())
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        match self.buffer {
            Buffer::Signed(values) => values.push(number),
            Buffer::Floats(values, _) => values.push(number as f64),
            Buffer::Unsigned(_) | Buffer::Bools(_) => return self.wrong("an integer"),
        }
        Ok(())
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        match self.buffer {
            Buffer::Signed(values) => values.push(i64::try_from(number).map_err(E::custom)?),
            Buffer::Unsigned(values) => values.push(number),
            Buffer::Floats(values, _) => values.push(number as f64),
            Buffer::Bools(_) => return self.wrong("an integer"),
        }
        Ok(())
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        match self.buffer {
            Buffer::Floats(values, _) => values.push(number),
            Buffer::Signed(_) | Buffer::Unsigned(_) | Buffer::Bools(_) => return self.wrong("a number"),
        }
        Ok(())
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let Buffer::Floats(values, nans) = self.buffer else { return self.wrong("a text") };
        match text {
            "inf" => values.push(f64::INFINITY),
            "-inf" => values.push(f64::NEG_INFINITY),
            other => match nan_bits(other) {
                Some(bits) => {
                    nans.push((values.len(), bits));
                    values.push(f64::NAN);
                }
                None => return self.wrong("a text"),
            },
        }
        Ok(())
    }
}

fn nan_bits(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("NaN(")?.strip_suffix(')')?, 16).ok()
}

//! Tensors in formats that describe themselves: what follows the key `$tensor`.

use super::budget::Budget;
use super::envelope::dtype;
use super::json_tensor::Elements;
use super::named::{BYTES, SHAPE, VALUES};
use crate::tensor::{DType, Shape, TensorData};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Formatter;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

const FORM: &str = "a tensor is not made of its dtype, shape and elements";

/// Reads the tensor in a map whose first key has been read.
pub fn read<'de, A: MapAccess<'de>>(mut entries: A, budget: &Budget) -> Result<TensorData, A::Error> {
    let dtype = dtype(&entries.next_value::<String>()?).map_err(A::Error::custom)?;
    if entries.next_key::<String>()?.as_deref() != Some(SHAPE) {
        return Err(A::Error::custom(FORM));
    }
    let shape = entries.next_value_seed(Sizes(budget))?;
    let data = match entries.next_key::<String>()?.as_deref() {
        Some(BYTES) => entries.next_value_seed(Content { dtype, shape })?,
        Some(VALUES) => entries.next_value_seed(Elements { dtype, shape })?,
        _ => return Err(A::Error::custom(FORM)),
    };
    match entries.next_key::<IgnoredAny>()? {
        None => Ok(data),
        Some(_) => Err(A::Error::custom(FORM)),
    }
}

/// Reads a shape.
struct Sizes<'a>(&'a Budget);

impl<'de> DeserializeSeed<'de> for Sizes<'_> {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Sizes<'_> {
    type Value = Shape;

    fn expecting(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str("the shape of a tensor")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut sizes: A) -> Result<Shape, A::Error> {
        let mut shape = Vec::new();
        while let Some(size) = sizes.next_element::<u64>()? {
            self.0.size(shape.len()).map_err(A::Error::custom)?;
            shape.push(usize::try_from(size).map_err(A::Error::custom)?);
        }
        Ok(Shape::from(shape))
    }
}

/// Reads the elements of a tensor as bytes.
struct Content {
    dtype: DType,
    shape: Shape,
}

impl<'de> DeserializeSeed<'de> for Content {
    type Value = TensorData;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<TensorData, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Content {
    type Value = TensorData;

    fn expecting(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str("the bytes of a tensor")
    }
    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<TensorData, E> {
        TensorData::from_bytes(bytes, self.shape, self.dtype).map_err(E::custom)
    }
}

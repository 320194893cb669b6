use polars_core::prelude::{AnyValue, Series};
use serde::de::value::{Error, SeqDeserializer, StrDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use crate::source::row_deserializer::newtype_as_inner;

/// Reads one value of a row.
pub(super) struct ValueReader<'a>(pub(super) AnyValue<'a>);

impl<'de> Deserializer<'de> for ValueReader<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            AnyValue::Null => visitor.visit_unit(),
            AnyValue::Boolean(value) => visitor.visit_bool(value),
            AnyValue::String(text) => visitor.visit_str(text),
            AnyValue::StringOwned(text) => visitor.visit_str(&text),
            AnyValue::UInt8(value) => visitor.visit_u8(value),
            AnyValue::UInt16(value) => visitor.visit_u16(value),
            AnyValue::UInt32(value) => visitor.visit_u32(value),
            AnyValue::UInt64(value) => visitor.visit_u64(value),
            AnyValue::UInt128(value) => visitor.visit_u128(value),
            AnyValue::Int8(value) => visitor.visit_i8(value),
            AnyValue::Int16(value) => visitor.visit_i16(value),
            AnyValue::Int32(value) => visitor.visit_i32(value),
            AnyValue::Int64(value) => visitor.visit_i64(value),
            AnyValue::Int128(value) => visitor.visit_i128(value),
            AnyValue::Float32(value) => visitor.visit_f32(value),
            AnyValue::Float64(value) => visitor.visit_f64(value),
            AnyValue::Binary(bytes) => visitor.visit_bytes(bytes),
            AnyValue::BinaryOwned(bytes) => visitor.visit_bytes(&bytes),
            AnyValue::List(series) => visitor.visit_seq(SeqDeserializer::new(elements(&series)?.into_iter())),
            // Types of columns that Polars has with features of its own.
            other => visit_other(&other, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            AnyValue::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    newtype_as_inner! {}

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0.get_str() {
            Some(text) => visitor.visit_enum(StrDeserializer::<Error>::new(text)),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.extract_bytes() {
            // Bytes are a list of bytes to those who ask for a list.
            Some(bytes) => visitor.visit_seq(SeqDeserializer::new(bytes.iter().copied())),
            None => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        tuple tuple_struct map struct identifier ignored_any
    }
}

fn visit_other<'de, V: Visitor<'de>>(value: &AnyValue<'_>, visitor: V) -> Result<V::Value, Error> {
    let dtype = value.dtype();
    if let Some(text) = value.get_str() {
        return visitor.visit_str(text);
    }
    let temporal = if dtype.is_temporal() { value.extract::<i64>() } else { None };
    match temporal {
        Some(value) => visitor.visit_i64(value),
        None => Err(Error::custom(format_args!("columns of type {dtype} are not read"))),
    }
}

fn elements(series: &Series) -> Result<Vec<ValueReader<'_>>, Error> {
    (0..series.len()).map(|index| series.get(index).map(ValueReader).map_err(Error::custom)).collect()
}

impl<'de> IntoDeserializer<'de, Error> for ValueReader<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

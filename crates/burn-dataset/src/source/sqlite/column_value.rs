use std::fmt::{self, Display};

use rusqlite::types::Value;
use serde::Serialize;
use serde::ser::{Error as _, Impossible, Serializer};

use super::refuse::refuse;

/// Returns the value of a column: numbers, texts and nothing as those of SQLite, everything else packed as
/// MessagePack.
pub(super) fn column_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, ColumnError> {
    match value.serialize(ScalarSerializer) {
        Err(ColumnError::NoScalar) => packed(value),
        scalar => scalar,
    }
}

fn packed<T: Serialize + ?Sized>(value: &T) -> Result<Value, ColumnError> {
    rmp_serde::to_vec_named(value).map(Value::Blob).map_err(ColumnError::custom)
}

/// Why a value is no column or no row.
pub(super) enum ColumnError {
    /// It is not one number or text.
    NoScalar,
    /// It cannot be serialized.
    Message(String),
}

impl Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoScalar => f.write_str("it has several values"),
            Self::Message(message) => f.write_str(message),
        }
    }
}

burn_ir::debug_as_display!(ColumnError);

impl std::error::Error for ColumnError {}

impl serde::ser::Error for ColumnError {
    fn custom<T: Display>(message: T) -> Self {
        Self::Message(message.to_string())
    }
}

/// Makes a value of SQLite of one number, text or nothing.
struct ScalarSerializer;

macro_rules! integers {
    ($($method:ident: $kind:ty),*) => {
        $(fn $method(self, value: $kind) -> Result<Value, ColumnError> {
            Ok(Value::Integer(value.into()))
        })*
    };
}

impl Serializer for ScalarSerializer {
    type Ok = Value;
    type Error = ColumnError;

    integers!(
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32
    );

    fn serialize_u64(self, value: u64) -> Result<Value, ColumnError> {
        i64::try_from(value).map_or_else(|_| packed(&value), |value| Ok(Value::Integer(value)))
    }

    fn serialize_i128(self, value: i128) -> Result<Value, ColumnError> {
        i64::try_from(value).map_or_else(|_| packed(&value), |value| Ok(Value::Integer(value)))
    }

    fn serialize_u128(self, value: u128) -> Result<Value, ColumnError> {
        i64::try_from(value).map_or_else(|_| packed(&value), |value| Ok(Value::Integer(value)))
    }

    fn serialize_f32(self, value: f32) -> Result<Value, ColumnError> {
        // SQLite has no NaN: it would become NULL.
        if value.is_nan() { packed(&value) } else { Ok(Value::Real(value.into())) }
    }

    fn serialize_f64(self, value: f64) -> Result<Value, ColumnError> {
        if value.is_nan() { packed(&value) } else { Ok(Value::Real(value)) }
    }

    fn serialize_char(self, value: char) -> Result<Value, ColumnError> {
        Ok(Value::Text(value.into()))
    }

    fn serialize_str(self, value: &str) -> Result<Value, ColumnError> {
        Ok(Value::Text(value.to_owned()))
    }

    fn serialize_none(self) -> Result<Value, ColumnError> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, ColumnError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, ColumnError> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, ColumnError> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Value, ColumnError> {
        Ok(Value::Text(variant.to_owned()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Value, ColumnError> {
        value.serialize(self)
    }

    refuse! {
        bytes newtype_variant seq tuple tuple_struct tuple_variant map struct struct_variant
    }
}

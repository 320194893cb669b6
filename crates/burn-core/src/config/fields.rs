//! Deserialization of derived configs, field by field. Not generic over the format: every file becomes a
//! [`Value`] first.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::{Display, Formatter};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde_json::{Map, Value};

/// Derived config struct, which reads itself from fields.
pub trait FromFields: Sized {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError>;
}

/// Derived config enum, which reads itself from a variant.
pub trait FromVariant: Sized {
    fn from_variant(variant: &str, fields: &mut Fields) -> Result<Self, FieldError>;
}

/// Reads the config called `name`.
pub fn read_struct<'de, C: FromFields, D: Deserializer<'de>>(
    deserializer: D,
    name: &str,
) -> Result<C, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Fields::of_struct(value, name)
        .and_then(|mut fields| C::from_fields(&mut fields))
        .map_err(D::Error::custom)
}

/// Reads the choice called `name`.
pub fn read_variant<'de, C: FromVariant, D: Deserializer<'de>>(
    deserializer: D,
    name: &str,
) -> Result<C, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Fields::of_variant(value, name)
        .and_then(|(variant, mut fields)| C::from_variant(&variant, &mut fields))
        .map_err(D::Error::custom)
}

/// Unread fields of a config.
#[derive(Debug)]
pub struct Fields(Value);

impl Fields {
    fn of_struct(value: Value, name: &str) -> Result<Self, FieldError> {
        match value {
            Value::Object(_) => Ok(Fields(value)),
            Value::Null => Ok(Fields(Value::Object(Map::new()))),
            other => Err(FieldError(format!("expected the fields of {name}, found {}", kind(&other)))),
        }
    }

    fn of_variant(value: Value, name: &str) -> Result<(String, Self), FieldError> {
        match value {
            Value::String(variant) => return Ok((variant, Fields(Value::Null))),
            Value::Object(map) if map.len() == 1 => {
                if let Some((variant, content)) = map.into_iter().next() {
                    return Ok((variant, Fields(content)));
                }
            }
            _ => {}
        }
        Err(FieldError(format!("expected the name of a variant of {name}, or an object with that one key")))
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.as_object_mut()?.remove(name)
    }

    /// Reads the field `name`, which has no default.
    pub fn read<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, FieldError> {
        match self.take(name) {
            Some(value) => convert(value, name),
            // An option may be left out.
            None => {
                serde_json::from_value(Value::Null).map_err(|_| FieldError(format!("missing field `{name}`")))
            }
        }
    }

    /// Reads the field `name`, or its default.
    pub fn read_or<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        default: impl FnOnce() -> T,
    ) -> Result<T, FieldError> {
        match self.take(name) {
            Some(value) => convert(value, name),
            None => Ok(default()),
        }
    }

    /// Reads the whole value at once.
    pub fn read_whole<T: DeserializeOwned>(&mut self) -> Result<T, FieldError> {
        serde_json::from_value(self.0.take()).map_err(|error| FieldError(error.to_string()))
    }

    /// Reads one of `count` values in a list.
    pub fn read_item<T: DeserializeOwned>(&mut self, index: usize, count: usize) -> Result<T, FieldError> {
        match self.0.as_array_mut() {
            Some(list) if list.len() == count => convert(list[index].take(), &index.to_string()),
            _ => Err(FieldError(format!("expected a list of {count} values, found {}", kind(&self.0)))),
        }
    }
}

fn convert<T: DeserializeOwned>(value: Value, name: &str) -> Result<T, FieldError> {
    serde_json::from_value(value).map_err(|error| FieldError::in_field(name, &error))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Error of a field: its path and the cause.
#[derive(Debug)]
pub struct FieldError(String);

impl FieldError {
    pub fn unknown_variant(variant: &str, known: &[&str]) -> Self {
        FieldError(format!("unknown variant `{variant}`, expected one of {}", known.join(", ")))
    }

    fn in_field(name: &str, error: &dyn Display) -> Self {
        FieldError(format!("field `{name}`: {error}"))
    }
}

impl Display for FieldError {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

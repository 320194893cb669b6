use std::borrow::Cow;

use rusqlite::types::Value;
use serde::Serialize;
use serde::ser::{Error as _, Impossible, SerializeMap, SerializeStruct, Serializer};

use super::column_value::{ColumnError, column_value};
use super::refuse::refuse;

/// The one column of items that are neither structs nor maps.
pub(super) const VALUE_COLUMN: &str = "item";

/// The columns of an item and their values.
#[derive(Debug, Default)]
pub(super) struct ItemRow {
    pub(super) columns: Vec<Cow<'static, str>>,
    pub(super) values: Vec<Value>,
    /// Whether the item is one value in a column of its own, not a column for each field.
    pub(super) is_value: bool,
}

impl ItemRow {
    /// Takes an item apart: a struct or a map has a column for each field, all else has one.
    pub(super) fn of<T: Serialize>(item: &T) -> Result<Self, ColumnError> {
        match item.serialize(RowSerializer) {
            Err(ColumnError::NoScalar) => Ok(Self {
                columns: vec![VALUE_COLUMN.into()],
                values: vec![column_value(item)?],
                is_value: true,
            }),
            row => row,
        }
    }
}

struct RowSerializer;

/// The columns so far, and the key whose value comes next.
#[derive(Default)]
struct Fields {
    row: ItemRow,
    key: Option<String>,
}

impl SerializeStruct for Fields {
    type Ok = ItemRow;
    type Error = ColumnError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), ColumnError> {
        self.row.columns.push(key.into());
        self.row.values.push(column_value(value)?);
        Ok(())
    }

    fn skip_field(&mut self, key: &'static str) -> Result<(), ColumnError> {
        self.row.columns.push(key.into());
        self.row.values.push(Value::Null);
        Ok(())
    }

    fn end(self) -> Result<ItemRow, ColumnError> {
        if self.row.columns.is_empty() { Err(ColumnError::NoScalar) } else { Ok(self.row) }
    }
}

impl SerializeMap for Fields {
    type Ok = ItemRow;
    type Error = ColumnError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ColumnError> {
        match column_value(key)? {
            Value::Text(key) => self.key = Some(key),
            _other => return Err(ColumnError::NoScalar),
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ColumnError> {
        let key = self.key.take().ok_or_else(|| ColumnError::custom("a value has no key"))?;
        self.row.columns.push(key.into());
        self.row.values.push(column_value(value)?);
        Ok(())
    }

    fn end(self) -> Result<ItemRow, ColumnError> {
        SerializeStruct::end(self)
    }
}

impl Serializer for RowSerializer {
    type Ok = ItemRow;
    type Error = ColumnError;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields, ColumnError> {
        Ok(Fields::default())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields, ColumnError> {
        Ok(Fields::default())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<ItemRow, ColumnError> {
        value.serialize(self)
    }

    refuse! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 i128 u128 f32 f64 char str bytes none some unit unit_struct unit_variant
        newtype_variant seq tuple tuple_struct tuple_variant struct_variant
    }
}

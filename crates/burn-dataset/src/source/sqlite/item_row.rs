use std::borrow::Cow;

use rusqlite::types::Value;
use serde::Serialize;
use serde::ser::{Error as _, Impossible, SerializeMap, SerializeStruct, Serializer};

use super::column_value::{ColumnError, column_value};

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

type NoRow = Impossible<ItemRow, ColumnError>;

macro_rules! no_row {
    ($($method:ident($($kind:ty),*) -> $result:ty;)*) => {
        $(fn $method(self, $(_: $kind),*) -> Result<$result, ColumnError> {
            Err(ColumnError::NoScalar)
        })*
    };
}

impl Serializer for RowSerializer {
    type Ok = ItemRow;
    type Error = ColumnError;
    type SerializeSeq = NoRow;
    type SerializeTuple = NoRow;
    type SerializeTupleStruct = NoRow;
    type SerializeTupleVariant = NoRow;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = NoRow;

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

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<ItemRow, ColumnError> {
        Err(ColumnError::NoScalar)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<ItemRow, ColumnError> {
        Err(ColumnError::NoScalar)
    }

    no_row! {
        serialize_bool(bool) -> ItemRow;
        serialize_i8(i8) -> ItemRow;
        serialize_i16(i16) -> ItemRow;
        serialize_i32(i32) -> ItemRow;
        serialize_i64(i64) -> ItemRow;
        serialize_u8(u8) -> ItemRow;
        serialize_u16(u16) -> ItemRow;
        serialize_u32(u32) -> ItemRow;
        serialize_u64(u64) -> ItemRow;
        serialize_i128(i128) -> ItemRow;
        serialize_u128(u128) -> ItemRow;
        serialize_f32(f32) -> ItemRow;
        serialize_f64(f64) -> ItemRow;
        serialize_char(char) -> ItemRow;
        serialize_str(&str) -> ItemRow;
        serialize_bytes(&[u8]) -> ItemRow;
        serialize_none() -> ItemRow;
        serialize_unit() -> ItemRow;
        serialize_unit_struct(&'static str) -> ItemRow;
        serialize_unit_variant(&'static str, u32, &'static str) -> ItemRow;
        serialize_seq(Option<usize>) -> NoRow;
        serialize_tuple(usize) -> NoRow;
        serialize_tuple_struct(&'static str, usize) -> NoRow;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> NoRow;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> NoRow;
    }
}

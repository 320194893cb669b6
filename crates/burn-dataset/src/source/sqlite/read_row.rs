use rusqlite::Row;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::read_value::ValueReader;
use crate::source::row_deserializer::one_value;

/// Reads an item from the columns of a row.
#[derive(Clone, Copy)]
pub(super) struct RowReader<'a> {
    pub(super) row: &'a Row<'a>,
    pub(super) columns: &'a [String],
    /// Whether blobs are MessagePack.
    pub(super) is_packed: bool,
    /// Whether the item is the value of its one column.
    pub(super) is_value: bool,
}

impl<'a> RowReader<'a> {
    fn value(self, column: usize) -> Result<ValueReader<'a>, Error> {
        let value = self.row.get_ref(column).map_err(Error::custom)?;
        Ok(ValueReader { value, is_packed: self.is_packed })
    }

    /// Returns the value of the only column.
    fn only_value(self) -> Result<ValueReader<'a>, Error> {
        match self.columns.len() {
            1 => self.value(0),
            count => Err(Error::custom(format!("a row has {count} columns, the item is one value"))),
        }
    }
}

impl<'de> Deserializer<'de> for RowReader<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_value {
            return self.only_value()?.deserialize_any(visitor);
        }
        visitor.visit_map(Columns { row: self, next: 0 })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_value {
            return self.only_value()?.deserialize_map(visitor);
        }
        visitor.visit_map(Columns { row: self, next: 0 })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.is_value {
            return self.only_value()?.deserialize_struct(name, fields, visitor);
        }
        visitor.visit_map(Columns { row: self, next: 0 })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_value {
            return self.only_value()?.deserialize_seq(visitor);
        }
        visitor.visit_seq(Columns { row: self, next: 0 })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        if self.is_value {
            return self.only_value()?.deserialize_tuple(len, visitor);
        }
        visitor.visit_seq(Columns { row: self, next: 0 })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.is_value {
            return self.only_value()?.deserialize_tuple_struct(name, len, visitor);
        }
        visitor.visit_seq(Columns { row: self, next: 0 })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.is_value {
            return self.only_value()?.deserialize_newtype_struct(name, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    one_value! {}

    forward_to_deserialize_any! { unit unit_struct identifier ignored_any }
}

/// The columns of a row as the entries of a map, or their values as a list.
struct Columns<'a> {
    row: RowReader<'a>,
    next: usize,
}

impl<'de> MapAccess<'de> for Columns<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let column = self.row.columns.get(self.next);
        column.map(|column| seed.deserialize(StrDeserializer::new(column))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        self.next += 1;
        let column = self.next - 1;
        seed.deserialize(self.row.value(column)?)
            .map_err(|error| Error::custom(format!("column `{}`: {error}", self.row.columns[column])))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.row.columns.len() - self.next)
    }
}

impl<'de> SeqAccess<'de> for Columns<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if self.next == self.row.columns.len() {
            return Ok(None);
        }
        self.next_value_seed(seed).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.row.columns.len() - self.next)
    }
}

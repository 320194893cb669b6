use polars_core::prelude::Column;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

use super::any_value::ValueReader;
use crate::source::row_deserializer::{newtype_as_inner, one_value};

/// Reads an item from a row of a data frame.
#[derive(Clone, Copy)]
pub(super) struct FrameRow<'a> {
    pub(super) columns: &'a [Column],
    pub(super) index: usize,
}

impl<'a> FrameRow<'a> {
    fn value(self, column: &'a Column) -> Result<ValueReader<'a>, Error> {
        column.get(self.index).map(ValueReader).map_err(Error::custom)
    }

    fn only_value(self) -> Result<ValueReader<'a>, Error> {
        match self.columns {
            [column] => self.value(column),
            columns => {
                let count = columns.len();
                Err(Error::custom(format_args!("a row has {count} columns, the item is one value")))
            }
        }
    }

    fn values(self, is_read: impl Fn(&str) -> bool) -> Result<Vec<(&'a str, ValueReader<'a>)>, Error> {
        let columns = self.columns.iter().filter(|column| is_read(column.name()));
        columns.map(|column| Ok((column.name().as_str(), self.value(column)?))).collect()
    }
}

impl<'de> Deserializer<'de> for FrameRow<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(MapDeserializer::new(self.values(|_| true)?.into_iter()))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(MapDeserializer::new(self.values(|name| fields.contains(&name))?.into_iter()))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        let values = self.values(|_| true)?;
        visitor.visit_seq(SeqDeserializer::new(values.into_iter().map(|(_, value)| value)))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(len, visitor)
    }

    newtype_as_inner! {}

    one_value! { deserialize_seq deserialize_unit }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { map identifier ignored_any }
}

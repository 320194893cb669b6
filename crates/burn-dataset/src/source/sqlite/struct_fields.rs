use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

use crate::source::row_deserializer::newtype_as_inner;

/// Returns the names of the fields of a struct, as its derived `Deserialize` lists them; none if `I` is no
/// struct.
pub(super) fn struct_fields<'de, I: Deserialize<'de>>() -> Option<&'static [&'static str]> {
    let mut fields = None;
    let _ = I::deserialize(FieldsDeserializer(&mut fields));
    fields
}

/// Has no value, but hears which fields are asked for.
struct FieldsDeserializer<'a>(&'a mut Option<&'static [&'static str]>);

impl<'de> Deserializer<'de> for FieldsDeserializer<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = Some(fields);
        Err(Error::custom("there is no value"))
    }

    newtype_as_inner! {}

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

use rusqlite::types::ValueRef;
use serde::de::value::{Error, SeqDeserializer, StrDeserializer};
use serde::de::{Deserializer, Error as _, Unexpected, Visitor};

/// Reads one value of a row.
#[derive(Clone, Copy)]
pub(super) struct ValueReader<'a> {
    pub(super) value: ValueRef<'a>,
    /// Whether blobs are MessagePack, as those of our own databases are.
    pub(super) is_packed: bool,
}

type Packed<'a> = rmp_serde::Deserializer<rmp_serde::decode::ReadReader<&'a [u8]>>;

impl<'a> ValueReader<'a> {
    /// Returns the content of a packed value.
    fn packed(self) -> Option<Packed<'a>> {
        match self.value {
            ValueRef::Blob(bytes) if self.is_packed => Some(rmp_serde::Deserializer::new(bytes)),
            _plain => None,
        }
    }
}

fn text(value: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(value).map_err(|_| Error::invalid_value(Unexpected::Bytes(value), &"UTF-8 text"))
}

macro_rules! packed_or_any {
    ($($method:ident($($kind:ty),*);)*) => {
        $(packed_or_any!(@one $method($($kind),*) ());)*
    };
    (@one $method:ident() ($($name:ident: $kind:ty,)*)) => {
        fn $method<V: Visitor<'de>>(self, $($name: $kind,)* visitor: V) -> Result<V::Value, Error> {
            match self.packed() {
                Some(mut packed) => packed.$method($($name,)* visitor).map_err(Error::custom),
                None => self.deserialize_any(visitor),
            }
        }
    };
    (@one $method:ident($first:ty) ()) => { packed_or_any!(@one $method() (first: $first,)); };
    (@one $method:ident($first:ty, $second:ty) ()) => {
        packed_or_any!(@one $method() (first: $first, second: $second,));
    };
}

impl<'de> Deserializer<'de> for ValueReader<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if let Some(mut packed) = self.packed() {
            return packed.deserialize_any(visitor).map_err(Error::custom);
        }
        match self.value {
            ValueRef::Null => visitor.visit_unit(),
            ValueRef::Integer(value) => visitor.visit_i64(value),
            ValueRef::Real(value) => visitor.visit_f64(value),
            ValueRef::Text(value) => visitor.visit_str(text(value)?),
            ValueRef::Blob(value) => visitor.visit_bytes(value),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            ValueRef::Integer(value @ (0 | 1)) => visitor.visit_bool(value == 1),
            _other => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            ValueRef::Null => visitor.visit_none(),
            _value => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.packed() {
            Some(mut packed) => packed.deserialize_newtype_struct(name, visitor).map_err(Error::custom),
            None => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match (self.value, self.packed()) {
            (ValueRef::Text(value), _) => visitor.visit_enum(StrDeserializer::new(text(value)?)),
            (_, Some(mut packed)) => packed.deserialize_enum(name, variants, visitor).map_err(Error::custom),
            (_, None) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match (self.value, self.packed()) {
            // Bytes of a database from another program are a list of bytes to those who ask for a list.
            (ValueRef::Blob(value), None) => visitor.visit_seq(SeqDeserializer::new(value.iter().copied())),
            (_, Some(mut packed)) => packed.deserialize_seq(visitor).map_err(Error::custom),
            (_, None) => self.deserialize_any(visitor),
        }
    }

    packed_or_any! {
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_unit();
        deserialize_unit_struct(&'static str);
        deserialize_tuple(usize);
        deserialize_tuple_struct(&'static str, usize);
        deserialize_map();
        deserialize_struct(&'static str, &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }
}

//! Methods of the deserializers of rows.

/// Writes `deserialize_newtype_struct` of a `Deserializer`: a newtype is read as the value in it.
macro_rules! newtype_as_inner {
    () => {
        fn deserialize_newtype_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            visitor: V,
        ) -> Result<V::Value, Error> {
            visitor.visit_newtype_struct(self)
        }
    };
}

/// Writes the methods of a row's `Deserializer` that read one value, from `only_value`; `more` are methods
/// beside those of numbers, texts, bytes, options and enums.
macro_rules! one_value {
    (@ $($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.only_value()?.$method(visitor)
        })*
    };
    ($($more:ident)*) => {
        fn deserialize_enum<V: Visitor<'de>>(
            self,
            name: &'static str,
            variants: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, Error> {
            self.only_value()?.deserialize_enum(name, variants, visitor)
        }

        one_value! { @
            deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
            deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
            deserialize_f32 deserialize_f64 deserialize_char deserialize_str deserialize_string
            deserialize_bytes deserialize_byte_buf deserialize_option $($more)*
        }
    };
}

pub(super) use {newtype_as_inner, one_value};

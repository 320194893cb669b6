//! Methods of a serializer that takes some kinds of values only.

/// Writes the methods of a `Serializer` for kinds of values that it refuses with `ColumnError::NoScalar`, and
/// the types of the serializers of their parts.
macro_rules! refuse {
    ($($kind:ident)*) => { $(refuse!(@ $kind);)* };
    (@ bool) => { refuse!(@ fn serialize_bool(bool) -> Self::Ok); };
    (@ i8) => { refuse!(@ fn serialize_i8(i8) -> Self::Ok); };
    (@ i16) => { refuse!(@ fn serialize_i16(i16) -> Self::Ok); };
    (@ i32) => { refuse!(@ fn serialize_i32(i32) -> Self::Ok); };
    (@ i64) => { refuse!(@ fn serialize_i64(i64) -> Self::Ok); };
    (@ u8) => { refuse!(@ fn serialize_u8(u8) -> Self::Ok); };
    (@ u16) => { refuse!(@ fn serialize_u16(u16) -> Self::Ok); };
    (@ u32) => { refuse!(@ fn serialize_u32(u32) -> Self::Ok); };
    (@ u64) => { refuse!(@ fn serialize_u64(u64) -> Self::Ok); };
    (@ i128) => { refuse!(@ fn serialize_i128(i128) -> Self::Ok); };
    (@ u128) => { refuse!(@ fn serialize_u128(u128) -> Self::Ok); };
    (@ f32) => { refuse!(@ fn serialize_f32(f32) -> Self::Ok); };
    (@ f64) => { refuse!(@ fn serialize_f64(f64) -> Self::Ok); };
    (@ char) => { refuse!(@ fn serialize_char(char) -> Self::Ok); };
    (@ str) => { refuse!(@ fn serialize_str(&str) -> Self::Ok); };
    (@ bytes) => { refuse!(@ fn serialize_bytes(&[u8]) -> Self::Ok); };
    (@ none) => { refuse!(@ fn serialize_none() -> Self::Ok); };
    (@ unit) => { refuse!(@ fn serialize_unit() -> Self::Ok); };
    (@ unit_struct) => { refuse!(@ fn serialize_unit_struct(&'static str) -> Self::Ok); };
    (@ unit_variant) => { refuse!(@ fn serialize_unit_variant(&'static str, u32, &'static str) -> Self::Ok); };
    (@ seq) => { refuse!(@ fn serialize_seq(Option<usize>) -> SerializeSeq); };
    (@ tuple) => { refuse!(@ fn serialize_tuple(usize) -> SerializeTuple); };
    (@ tuple_struct) => { refuse!(@ fn serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct); };
    (@ tuple_variant) => { refuse!(@ fn serialize_tuple_variant(&'static str, u32, &'static str, usize) -> SerializeTupleVariant); };
    (@ map) => { refuse!(@ fn serialize_map(Option<usize>) -> SerializeMap); };
    (@ struct) => { refuse!(@ fn serialize_struct(&'static str, usize) -> SerializeStruct); };
    (@ struct_variant) => { refuse!(@ fn serialize_struct_variant(&'static str, u32, &'static str, usize) -> SerializeStructVariant); };
    (@ some) => {
        fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<Self::Ok, ColumnError> {
            Err(ColumnError::NoScalar)
        }
    };
    (@ newtype_variant) => {
        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<Self::Ok, ColumnError> {
            Err(ColumnError::NoScalar)
        }
    };
    (@ fn $method:ident($($argument:ty),*) -> $serializer:ident) => {
        type $serializer = Impossible<Self::Ok, Self::Error>;

        fn $method(self, $(_: $argument),*) -> Result<Self::$serializer, ColumnError> {
            Err(ColumnError::NoScalar)
        }
    };
    (@ fn $method:ident($($argument:ty),*) -> $result:ty) => {
        fn $method(self, $(_: $argument),*) -> Result<$result, ColumnError> {
            Err(ColumnError::NoScalar)
        }
    };
}

pub(super) use refuse;

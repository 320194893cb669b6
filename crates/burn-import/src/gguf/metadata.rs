use crate::byte_reader::ByteReader;

/// Levels of arrays in arrays.
const MOST_DEPTH: usize = 4;

/// A value of the metadata.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MetadataValue {
    Int(i64),
    UInt(u64),
    Float(f64),
    Bool(bool),
    Text(String),
    Array(MetadataArray),
}

/// An array of the metadata, such as the vocabulary.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MetadataArray {
    Int(Vec<i64>),
    UInt(Vec<u64>),
    Float(Vec<f64>),
    Bool(Vec<bool>),
    Text(Vec<String>),
    Array(Vec<MetadataArray>),
}

impl MetadataArray {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        match self {
            MetadataArray::Int(items) => items.len(),
            MetadataArray::UInt(items) => items.len(),
            MetadataArray::Float(items) => items.len(),
            MetadataArray::Bool(items) => items.len(),
            MetadataArray::Text(items) => items.len(),
            MetadataArray::Array(items) => items.len(),
        }
    }

    /// Returns whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Types of values, by their numbers in the format.
#[derive(Clone, Copy)]
enum ValueType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    Text,
    Array,
    U64,
    I64,
    F64,
}

impl ValueType {
    fn read(reader: &mut ByteReader<'_>) -> Result<Self, String> {
        use ValueType::*;
        const ALL: [ValueType; 13] = [U8, I8, U16, I16, U32, I32, F32, Bool, Text, Array, U64, I64, F64];
        let number = reader.u32()?;
        ALL.get(number as usize).copied().ok_or_else(|| format!("a value of the unknown type {number}"))
    }

    /// The least bytes of a value.
    fn size(self) -> u64 {
        match self {
            ValueType::U8 | ValueType::I8 | ValueType::Bool => 1,
            ValueType::U16 | ValueType::I16 => 2,
            ValueType::U32 | ValueType::I32 | ValueType::F32 => 4,
            ValueType::U64 | ValueType::I64 | ValueType::F64 | ValueType::Text => 8,
            ValueType::Array => 12,
        }
    }
}

impl MetadataValue {
    pub(super) fn read(reader: &mut ByteReader<'_>) -> Result<Self, String> {
        let value_type = ValueType::read(reader)?;
        Ok(match value_type {
            ValueType::U8 | ValueType::U16 | ValueType::U32 | ValueType::U64 => {
                MetadataValue::UInt(unsigned(reader, value_type)?)
            }
            ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64 => {
                MetadataValue::Int(signed(reader, value_type)?)
            }
            ValueType::F32 | ValueType::F64 => MetadataValue::Float(float(reader, value_type)?),
            ValueType::Bool => MetadataValue::Bool(boolean(reader)?),
            ValueType::Text => MetadataValue::Text(reader.string()?),
            ValueType::Array => MetadataValue::Array(array(reader, 0)?),
        })
    }
}

fn array(reader: &mut ByteReader<'_>, depth: usize) -> Result<MetadataArray, String> {
    if depth > MOST_DEPTH {
        return Err("arrays of the metadata are nested too deep".to_string());
    }
    let item = ValueType::read(reader)?;
    let count = reader.count(item.size(), "items of an array")?;
    Ok(match item {
        ValueType::U8 | ValueType::U16 | ValueType::U32 | ValueType::U64 => {
            MetadataArray::UInt((0..count).map(|_| unsigned(reader, item)).collect::<Result<_, _>>()?)
        }
        ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64 => {
            MetadataArray::Int((0..count).map(|_| signed(reader, item)).collect::<Result<_, _>>()?)
        }
        ValueType::F32 | ValueType::F64 => {
            MetadataArray::Float((0..count).map(|_| float(reader, item)).collect::<Result<_, _>>()?)
        }
        ValueType::Bool => {
            MetadataArray::Bool((0..count).map(|_| boolean(reader)).collect::<Result<_, _>>()?)
        }
        ValueType::Text => {
            MetadataArray::Text((0..count).map(|_| reader.string()).collect::<Result<_, _>>()?)
        }
        ValueType::Array => {
            MetadataArray::Array((0..count).map(|_| array(reader, depth + 1)).collect::<Result<_, _>>()?)
        }
    })
}

fn unsigned(reader: &mut ByteReader<'_>, value_type: ValueType) -> Result<u64, String> {
    Ok(match value_type.size() {
        1 => u8::from_le_bytes(reader.array()?).into(),
        2 => u16::from_le_bytes(reader.array()?).into(),
        4 => reader.u32()?.into(),
        _ => reader.u64()?,
    })
}

fn signed(reader: &mut ByteReader<'_>, value_type: ValueType) -> Result<i64, String> {
    Ok(match value_type.size() {
        1 => i8::from_le_bytes(reader.array()?).into(),
        2 => i16::from_le_bytes(reader.array()?).into(),
        4 => i32::from_le_bytes(reader.array()?).into(),
        _ => i64::from_le_bytes(reader.array()?),
    })
}

fn float(reader: &mut ByteReader<'_>, value_type: ValueType) -> Result<f64, String> {
    Ok(match value_type.size() {
        4 => f32::from_le_bytes(reader.array()?).into(),
        _ => f64::from_le_bytes(reader.array()?),
    })
}

fn boolean(reader: &mut ByteReader<'_>) -> Result<bool, String> {
    match reader.array()? {
        [0] => Ok(false),
        [1] => Ok(true),
        [other] => Err(format!("{other} is not a bool (0 or 1)")),
    }
}

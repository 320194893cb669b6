use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::DatasetError;

/// A value of a data file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Bool(bool),
    Integer(i64),
    Unsigned(u64),
    Single(f32),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Cell>),
    /// A struct or a map.
    Fields(Vec<(Cell, Cell)>),
}

impl Cell {
    /// The bytes of the value, to keep within a budget.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Null | Self::Bool(_) => 1,
            Self::Integer(_) | Self::Unsigned(_) | Self::Single(_) | Self::Double(_) => 8,
            Self::Text(text) => text.len() as u64,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::List(cells) => cells.iter().map(|cell| 1 + cell.size()).sum(),
            Self::Fields(fields) => fields.iter().map(|(key, cell)| key.size() + cell.size()).sum(),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
            Self::Single(value) => serializer.serialize_f32(*value),
            Self::Double(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::Bytes(value) => serializer.serialize_bytes(value),
            Self::List(cells) => {
                let mut list = serializer.serialize_seq(Some(cells.len()))?;
                cells.iter().try_for_each(|cell| list.serialize_element(cell))?;
                list.end()
            }
            Self::Fields(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                fields.iter().try_for_each(|(key, cell)| map.serialize_entry(key, cell))?;
                map.end()
            }
        }
    }
}

/// A row of a data file: a value for each column of the split.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) columns: Arc<[String]>,
    pub(super) cells: Vec<Cell>,
}

impl Row {
    /// Takes the values of some columns; those that are not there are `Null`.
    pub(super) fn by_name(columns: &Arc<[String]>, mut cell: impl FnMut(&str) -> Option<Cell>) -> Self {
        let cells = columns.iter().map(|column| cell(column).unwrap_or(Cell::Null)).collect();
        Self { columns: Arc::clone(columns), cells }
    }

    pub(super) fn size(&self) -> u64 {
        self.cells.iter().map(Cell::size).sum()
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().zip(&self.cells))
    }
}

/// Takes rows one by one, and ends the reading by an error.
pub(super) type ReceiveRow<'a> = dyn FnMut(Row) -> Result<(), DatasetError> + 'a;

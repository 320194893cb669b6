use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::cell::{Cell, ReceiveRow, Row};
use super::columns::{ColumnNames, damaged};
use super::data_files::open_text;
use crate::DatasetError;
use crate::source::json_lines::read_line;

/// Adds the keys of all objects of a file.
pub(super) fn add_columns(path: &Path, columns: &mut ColumnNames) -> Result<(), DatasetError> {
    objects(path, &mut |object| object.keys().try_for_each(|key| columns.add(path, key)))
}

/// Reads the objects of a file.
pub(super) fn read(
    path: &Path,
    columns: &Arc<[String]>,
    receive: &mut ReceiveRow<'_>,
) -> Result<(), DatasetError> {
    objects(path, &mut |mut object| receive(Row::by_name(columns, |column| object.remove(column).map(cell))))
}

/// Calls `receive` with the object of each line that is not empty.
fn objects(
    path: &Path,
    receive: &mut dyn FnMut(Map<String, Value>) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    let io_error = |source: io::Error| DatasetError::Io { path: path.to_owned(), source };
    let mut text: BufReader<Box<dyn Read>> = BufReader::new(open_text(path)?);
    let (mut line, mut number) = (Vec::new(), 0);
    while read_line(&mut text, &mut line).map_err(io_error)? {
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        if number == 1 && line.trim_ascii().starts_with(b"[") {
            return Err(damaged(path, "it is one JSON array; expected an object in each line".to_owned()));
        }
        match serde_json::from_slice(&line) {
            Ok(Value::Object(object)) => receive(object)?,
            Ok(_other) => return Err(damaged(path, format!("line {number} is not a JSON object"))),
            Err(source) => return Err(DatasetError::Json { path: path.to_owned(), line: number, source }),
        }
    }
    Ok(())
}

fn cell(value: Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Bool(value) => Cell::Bool(value),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(value), ..) => Cell::Integer(value),
            (None, Some(value), _) => Cell::Unsigned(value),
            (None, None, value) => value.map_or(Cell::Null, Cell::Double),
        },
        Value::String(text) => Cell::Text(text),
        Value::Array(values) => Cell::List(values.into_iter().map(cell).collect()),
        Value::Object(fields) => {
            Cell::Fields(fields.into_iter().map(|(key, value)| (Cell::Text(key), cell(value))).collect())
        }
    }
}

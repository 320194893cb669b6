use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row as ParquetRow};

use super::cell::{Cell, ReceiveRow, Row};
use super::columns::{ColumnNames, damaged};
use crate::DatasetError;

/// Adds the columns of a file.
pub(super) fn add_columns(path: &Path, columns: &mut ColumnNames) -> Result<(), DatasetError> {
    let names = guarded(path, || {
        let reader = open(path)?;
        let fields = reader.metadata().file_metadata().schema().get_fields();
        Ok(fields.iter().map(|field| field.name().to_owned()).collect::<Vec<_>>())
    })?;
    names.iter().try_for_each(|name| columns.add(path, name))
}

/// Reads the rows of a file.
pub(super) fn read(
    path: &Path,
    columns: &Arc<[String]>,
    receive: &mut ReceiveRow<'_>,
) -> Result<(), DatasetError> {
    guarded(path, || {
        let rows = open(path)?.into_iter();
        for row in rows {
            receive(by_name(row.map_err(|error| parquet_error(path, &error))?, columns))?;
        }
        Ok(())
    })
}

fn by_name(row: ParquetRow, columns: &Arc<[String]>) -> Row {
    let mut fields = row.into_columns();
    // Columns are in the order of the file, as a rule that of all files.
    let mut place = 0;
    Row::by_name(columns, |column| {
        let found = (place..fields.len()).chain(0..place).find(|&at| fields[at].0 == column)?;
        place = found + 1;
        Some(cell(std::mem::replace(&mut fields[found].1, Field::Null)))
    })
}

fn open(path: &Path) -> Result<SerializedFileReader<File>, DatasetError> {
    let file =
        burn_io::open_file(path).map_err(|source| DatasetError::Io { path: path.to_owned(), source })?;
    SerializedFileReader::new(file).map_err(|error| parquet_error(path, &error))
}

/// Calls `read`, and turns a panic of the decoder, which does not check all that is in a file, into an error
/// of the file.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, DatasetError>) -> Result<T, DatasetError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(damaged(path, format!("its decoder ends with `{}`", message.unwrap_or("a panic"))))
    })
}

fn parquet_error(path: &Path, error: &ParquetError) -> DatasetError {
    match error {
        // `Disabled feature at compile time: zstd`
        ParquetError::General(text) if text.contains("feature at compile time") => {
            let codec = text.rsplit(' ').next().unwrap_or_default();
            DatasetError::Damaged {
                path: path.to_owned(),
                reason: format!("it is compressed by {codec}; expected snappy, gzip or nothing"),
                advice: "Write it again with another compression".to_owned(),
            }
        }
        error => damaged(path, error.to_string()),
    }
}

fn cell(field: Field) -> Cell {
    match field {
        Field::Null => Cell::Null,
        Field::Bool(value) => Cell::Bool(value),
        Field::Byte(value) => Cell::Integer(value.into()),
        Field::Short(value) => Cell::Integer(value.into()),
        Field::Int(value) | Field::Date(value) | Field::TimeMillis(value) => Cell::Integer(value.into()),
        Field::Long(value)
        | Field::TimeMicros(value)
        | Field::TimestampMillis(value)
        | Field::TimestampMicros(value) => Cell::Integer(value),
        Field::UByte(value) => Cell::Integer(value.into()),
        Field::UShort(value) => Cell::Integer(value.into()),
        Field::UInt(value) => Cell::Integer(value.into()),
        Field::ULong(value) => Cell::Unsigned(value),
        Field::Float16(value) => Cell::Single(value.to_f32()),
        Field::Float(value) => Cell::Single(value),
        Field::Double(value) => Cell::Double(value),
        // Its digits: a double may not have them all.
        Field::Decimal(_) => Cell::Text(field.to_string()),
        Field::Str(text) => Cell::Text(text),
        Field::Bytes(bytes) => Cell::Bytes(bytes.data().to_vec()),
        Field::Group(row) => Cell::Fields(
            row.into_columns().into_iter().map(|(key, field)| (Cell::Text(key), cell(field))).collect(),
        ),
        Field::ListInternal(list) => Cell::List(list.elements().iter().cloned().map(cell).collect()),
        Field::MapInternal(map) => {
            let entries = map.entries().iter().cloned();
            Cell::Fields(entries.map(|(key, value)| (cell(key), cell(value))).collect())
        }
    }
}

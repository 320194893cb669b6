use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use csv::StringRecord;

use super::cell::{Cell, ReceiveRow, Row};
use super::columns::{MOST_COLUMNS, damaged};
use super::data_files::open_text;
use crate::DatasetError;
use crate::source::csv::{BytesSinceRow, RowBudget};

/// Type of the values of a CSV column, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Nothing in any row so far.
    Empty,
    Bool,
    Integer,
    Float,
    Text,
}

impl Kind {
    fn of(text: &str) -> Self {
        match text {
            "" => Self::Empty,
            "true" | "false" | "True" | "False" => Self::Bool,
            // `007` is the name of something.
            _ if text.parse::<i64>().is_ok_and(|number| number.to_string() == text) => Self::Integer,
            _ if is_float(text) => Self::Float,
            _ => Self::Text,
        }
    }

    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Empty, kind) | (kind, Self::Empty) => kind,
            (Self::Integer, Self::Float) | (Self::Float, Self::Integer) => Self::Float,
            (kind, other) if kind == other => kind,
            _different => Self::Text,
        }
    }

    fn cell(self, text: &str) -> Cell {
        match self {
            Self::Text => Cell::Text(text.to_owned()),
            _ if text.is_empty() => Cell::Null,
            Self::Empty => Cell::Null,
            Self::Bool => Cell::Bool(text.eq_ignore_ascii_case("true")),
            Self::Integer => text.parse().map_or(Cell::Null, Cell::Integer),
            Self::Float => text.parse().map_or(Cell::Null, Cell::Double),
        }
    }
}

fn is_float(text: &str) -> bool {
    let digits = text.trim_start_matches('-').as_bytes();
    let leads_with_zero = digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit();
    let is_number = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
    !leads_with_zero && text.bytes().all(is_number) && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The columns of the header, the same in all files of a split.
#[derive(Debug, Default)]
pub(super) struct CsvColumns {
    names: Vec<String>,
    kinds: Vec<Kind>,
}

impl CsvColumns {
    /// Reads a whole file to see what is in its columns.
    pub(super) fn add(&mut self, path: &Path, delimiter: u8) -> Result<(), DatasetError> {
        let mut file = CsvFile::open(path, delimiter)?;
        let header = file.header()?;
        if self.names.is_empty() {
            self.kinds = vec![Kind::Empty; header.len()];
            self.names = header;
        } else if self.names != header {
            return Err(damaged(path, format!("its columns are {header:?}; expected {:?}", self.names)));
        }
        file.read(&mut |record| {
            for (kind, text) in self.kinds.iter_mut().zip(record) {
                *kind = kind.with(Kind::of(text));
            }
            Ok(())
        })
    }

    pub(super) fn names(&self) -> Arc<[String]> {
        self.names.clone().into()
    }
}

/// Reads the rows of a file.
pub(super) fn read(
    path: &Path,
    delimiter: u8,
    columns: &CsvColumns,
    names: &Arc<[String]>,
    receive: &mut ReceiveRow<'_>,
) -> Result<(), DatasetError> {
    let mut file = CsvFile::open(path, delimiter)?;
    file.header()?;
    file.read(&mut |record| {
        let cells = columns.kinds.iter().zip(record).map(|(kind, text)| kind.cell(text)).collect();
        receive(Row { columns: Arc::clone(names), cells })
    })
}

struct CsvFile<'a> {
    path: &'a Path,
    reader: csv::Reader<RowBudget<Box<dyn Read>>>,
    since_row: BytesSinceRow,
}

impl<'a> CsvFile<'a> {
    fn open(path: &'a Path, delimiter: u8) -> Result<Self, DatasetError> {
        let (budget, since_row) = RowBudget::new(open_text(path)?);
        let reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(budget);
        Ok(Self { path, reader, since_row })
    }

    fn error(&self, source: csv::Error) -> DatasetError {
        DatasetError::Csv { path: self.path.to_owned(), source }
    }

    fn header(&mut self) -> Result<Vec<String>, DatasetError> {
        let header = self.reader.headers().cloned().map_err(|source| self.error(source))?;
        match header.len() {
            0 => Err(damaged(self.path, "it has no header".to_owned())),
            1..=MOST_COLUMNS => {
                Ok(header.iter().map(|name| name.trim_start_matches('\u{feff}').to_owned()).collect())
            }
            _more => Err(damaged(self.path, format!("it has more than {MOST_COLUMNS} columns"))),
        }
    }

    fn read(
        &mut self,
        receive: &mut dyn FnMut(&StringRecord) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let mut record = StringRecord::new();
        while self.reader.read_record(&mut record).map_err(|source| self.error(source))? {
            self.since_row.set(0);
            receive(&record)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_what_all_its_values_are() {
        let kind = |values: &[&str]| values.iter().fold(Kind::Empty, |kind, text| kind.with(Kind::of(text)));
        for (values, expected) in [
            (&["", ""][..], Kind::Empty),
            (&["1", "", "-20"], Kind::Integer),
            (&["1", "2.5", "1e-3"], Kind::Float),
            (&["true", "False"], Kind::Bool),
            (&["true", "1"], Kind::Text),
            (&["007", "12"], Kind::Text),
            (&["1", "two"], Kind::Text),
            (&["nan"], Kind::Text),
            (&["00.5"], Kind::Text),
            (&["0.5", "-0"], Kind::Float),
            (&["9223372036854775808"], Kind::Float),
        ] {
            assert_eq!(kind(values), expected, "{values:?}");
        }
        assert_eq!((Kind::Text.cell(""), Kind::Float.cell("")), (Cell::Text(String::new()), Cell::Null));
        assert_eq!((Kind::Bool.cell("True"), Kind::Float.cell("2")), (Cell::Bool(true), Cell::Double(2.0)));
    }
}

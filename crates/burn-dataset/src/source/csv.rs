use std::cell::Cell;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::rc::Rc;

use serde::de::DeserializeOwned;

use crate::{DatasetError, InMemDataset};

impl<I: DeserializeOwned> InMemDataset<I> {
    /// Reads a CSV file, one item a row: columns are separated by commas, and the first row has their names.
    ///
    /// Files of another dialect are read by [`from_csv`](Self::from_csv).
    ///
    /// # Errors
    /// If the file cannot be read, a row is not an item or has more than 64 MiB; the error names the file and
    /// the row.
    ///
    /// ```
    /// use burn::data::dataset::InMemDataset;
    ///
    /// #[derive(serde::Deserialize, Clone, PartialEq, Debug)]
    /// struct House {
    ///     rooms: u32,
    ///     price: f32,
    /// }
    ///
    /// let path = std::env::temp_dir().join(format!("houses-comma-{}.csv", std::process::id()));
    /// std::fs::write(&path, "rooms,price\n3,120.5\n5,200\n")?;
    ///
    /// let houses = InMemDataset::<House>::from_csv_file(&path)?;
    /// assert_eq!(houses.get(1), Some(House { rooms: 5, price: 200.0 }));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_csv_file<P: AsRef<Path>>(path: P) -> Result<Self, DatasetError> {
        Self::from_csv(path, &csv::ReaderBuilder::new())
    }

    /// Reads a CSV file, one item a row, in the dialect of `reader`.
    ///
    /// # Errors
    /// If the file cannot be read, a row is not an item or has more than 64 MiB; the error names the
    /// file and the row.
    ///
    /// ```
    /// use burn::data::dataset::InMemDataset;
    ///
    /// #[derive(serde::Deserialize, Clone, PartialEq, Debug)]
    /// struct House {
    ///     rooms: u32,
    ///     price: f32,
    /// }
    ///
    /// let path = std::env::temp_dir().join(format!("houses-{}.csv", std::process::id()));
    /// std::fs::write(&path, "rooms;price\n3;120.5\n5;200\n")?;
    ///
    /// let houses = InMemDataset::<House>::from_csv(&path, csv::ReaderBuilder::new().delimiter(b';'))?;
    /// assert_eq!(houses.get(1), Some(House { rooms: 5, price: 200.0 }));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_csv<P: AsRef<Path>>(path: P, reader: &csv::ReaderBuilder) -> Result<Self, DatasetError> {
        let path = path.as_ref();
        let damaged = |error: csv::Error| DatasetError::Csv { path: path.to_owned(), source: error };
        let file =
            burn_io::open_file(path).map_err(|source| DatasetError::Io { path: path.to_owned(), source })?;
        let (budget, since_row) = RowBudget::new(file);
        let mut items = Vec::new();
        for item in reader.from_reader(budget).into_deserialize() {
            items.push(item.map_err(damaged)?);
            since_row.set(0);
        }
        Ok(Self::new(items))
    }
}

/// The most bytes of a row, which is in memory as a whole: a quotation mark that nothing closes makes one of
/// the rest of a file.
const LONGEST_ROW: u64 = 64 << 20;

/// The bytes that were read since a row was complete; whoever has the rows sets it to zero.
pub(super) type BytesSinceRow = Rc<Cell<u64>>;

/// Refuses to read on when a row is too long.
pub(super) struct RowBudget<R> {
    file: R,
    since_row: BytesSinceRow,
}

impl<R> RowBudget<R> {
    pub(super) fn new(file: R) -> (Self, BytesSinceRow) {
        let since_row = BytesSinceRow::default();
        (Self { file, since_row: Rc::clone(&since_row) }, since_row)
    }
}

impl<R: Read> Read for RowBudget<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.since_row.get() > LONGEST_ROW {
            let cause = format!("a row has more than {} MiB", LONGEST_ROW >> 20);
            return Err(io::Error::new(ErrorKind::FileTooLarge, cause));
        }
        let read = self.file.read(buffer)?;
        self.since_row.set(self.since_row.get() + read as u64);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_row_that_does_not_end_is_an_error_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("endless.csv");
        std::fs::write(&path, "name\nfirst\n\"").unwrap();
        // A hole of the file system: zeros that take no room.
        File::options().write(true).open(&path).unwrap().set_len(1 << 34).unwrap();
        let error = InMemDataset::<String>::from_csv(&path, &csv::ReaderBuilder::new()).unwrap_err();
        assert!(error.to_string().contains("a row has more than 64 MiB"), "{error}");
    }

    #[test]
    fn a_long_file_of_short_rows_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        std::fs::write(
            &path,
            ["text\n".to_owned(), format!("{}\n", "x".repeat(1000)).repeat(100_000)].concat(),
        )
        .unwrap();
        let rows = InMemDataset::<String>::from_csv(&path, &csv::ReaderBuilder::new()).unwrap();
        assert_eq!(rows.len(), 100_000);
    }

    #[test]
    fn damaged_files_are_read_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("damaged.csv");
        let mut random = crate::random::Generator::new(7);
        for _ in 0..2_000 {
            let mut text = b"a,b\n1,2\n\"3\",4\n5,6\n".to_vec();
            for _ in 0..=random.below(4) {
                let at = random.below(text.len());
                match random.below(4) {
                    0 => text[at] = random.next_u64() as u8,
                    1 => text.truncate(at.max(1)),
                    2 => text.insert(at, b'"'),
                    _ => drop(text.remove(at)),
                }
                if text.is_empty() {
                    text.push(b',');
                }
            }
            std::fs::write(&path, &text).unwrap();
            let _ = InMemDataset::<(f64, f64)>::from_csv(&path, &csv::ReaderBuilder::new());
        }
    }
}

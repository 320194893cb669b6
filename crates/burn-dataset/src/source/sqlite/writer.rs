use std::any::type_name;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use burn_io::AtomicFile;
use rusqlite::{Connection, OpenFlags, params, params_from_iter};
use serde::Serialize;

use super::item_row::{ItemRow, VALUE_COLUMN};
use super::table::{SPLITS_TABLE, quoted};
use crate::{Dataset, DatasetError, TryDatasetIterator};

/// Writes items one by one into a new database, from which a [`SqliteDataset`](super::SqliteDataset) reads
/// them.
///
/// The database is written beside its path in one transaction, and takes the place of what is there in
/// [`finish`](Self::finish): readers see the old content or the new one. A writer that is dropped before
/// leaves nothing.
///
/// Numbers, texts and enums without content are values that other programs can read too; everything else,
/// such as lists, nested structs, bytes and NaN, is a blob of MessagePack. Integers above `i64::MAX` are
/// blobs as well.
///
/// ```
/// use burn::data::dataset::source::{SqliteDataset, SqliteDatasetWriter};
/// use burn::data::dataset::{Dataset, InMemDataset};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("pairs.db");
/// let mut writer = SqliteDatasetWriter::new(&path)?;
/// writer.write_all("train", &InMemDataset::new(vec![("ein", 1), ("zwei", 2)]))?;
/// writer.write("test", &("drei", 3))?;
/// writer.finish()?;
///
/// let train = SqliteDataset::<(String, i32)>::open(&path, "train")?;
/// assert_eq!(train.get(1), Some(("zwei".to_string(), 2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SqliteDatasetWriter<I> {
    connection: Connection,
    file: AtomicFile,
    path: PathBuf,
    splits: Vec<Split>,
    item: PhantomData<fn(I)>,
}

struct Split {
    name: String,
    columns: Vec<Cow<'static, str>>,
    is_value: bool,
    insert: String,
    items: usize,
}

impl<I> SqliteDatasetWriter<I> {
    /// Starts a database that is to be at `path`.
    ///
    /// # Errors
    /// If no file can be made beside `path`.
    pub fn new<P: AsRef<Path>>(path: P) -> Result<Self, DatasetError> {
        let path = path.as_ref().to_owned();
        let file =
            AtomicFile::create(&path).map_err(|source| DatasetError::Io { path: path.clone(), source })?;
        let connection = open(file.temporary_path())
            .map_err(|source| DatasetError::Sqlite { path: path.clone(), source })?;
        Ok(Self { connection, file, path, splits: Vec::new(), item: PhantomData })
    }

    /// Completes the database and renames it to its path.
    ///
    /// # Errors
    /// If the disk is full or the file can't be renamed; what was at the path stays.
    pub fn finish(self) -> Result<(), DatasetError> {
        let Self { connection, file, path, splits, .. } = self;
        let sqlite = |source| DatasetError::Sqlite { path: path.clone(), source };
        for split in &splits {
            let sql = format!("INSERT INTO {SPLITS_TABLE} VALUES (?1, ?2, ?3)");
            let items = i64::try_from(split.items).unwrap_or(i64::MAX);
            connection.execute(&sql, params![split.name, items, split.is_value]).map_err(sqlite)?;
        }
        connection.execute_batch("COMMIT").map_err(sqlite)?;
        connection.close().map_err(|(_, source)| sqlite(source))?;
        file.commit().map_err(|source| DatasetError::Io { path: path.clone(), source })
    }

    fn error(&self, source: rusqlite::Error) -> DatasetError {
        DatasetError::Sqlite { path: self.path.clone(), source }
    }

    fn wrong_item(&self, split: &str, columns: &[Cow<'static, str>], reason: String) -> DatasetError {
        DatasetError::WrongItem {
            path: self.path.clone(),
            split: split.to_owned(),
            expected: type_name::<I>(),
            columns: columns.iter().map(|column| column.clone().into_owned()).collect(),
            reason,
        }
    }

    fn create_table(&mut self, name: &str, row: &ItemRow) -> Result<usize, DatasetError> {
        let list = row.columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ");
        // Columns without a type keep each value as it is.
        let sql = format!("CREATE TABLE {} ({list})", quoted(name));
        self.connection.execute_batch(&sql).map_err(|source| self.error(source))?;
        let places = vec!["?"; row.columns.len()].join(", ");
        self.splits.push(Split {
            name: name.to_owned(),
            columns: row.columns.clone(),
            is_value: row.is_value,
            insert: format!("INSERT INTO {} ({list}) VALUES ({places})", quoted(name)),
            items: 0,
        });
        Ok(self.splits.len() - 1)
    }
}

impl<I: Serialize> SqliteDatasetWriter<I> {
    /// Writes an item at the end of a split, which is made with its first item.
    ///
    /// # Errors
    /// If the item can't be serialized, has other fields than the first of the split, or the disk is full.
    pub fn write(&mut self, split: &str, item: &I) -> Result<(), DatasetError> {
        let row =
            ItemRow::of(item).map_err(|error| self.wrong_item(split, &[], format!("the item: {error}")))?;
        let place = self.splits.iter().position(|known| known.name == split);
        let place = place.map_or_else(|| self.create_table(split, &row), Ok)?;
        let known = &self.splits[place];
        if known.columns != row.columns || known.is_value != row.is_value {
            let reason = format!("item {} has the fields {:?}", known.items, row.columns);
            return Err(self.wrong_item(split, &known.columns, reason));
        }
        let inserted = self.connection.prepare_cached(&known.insert).and_then(|mut insert| {
            // The pieces of a row are moved, not copied.
            insert.execute(params_from_iter(row.values))
        });
        inserted.map_err(|source| self.error(source))?;
        self.splits[place].items += 1;
        Ok(())
    }

    /// Writes every item of a dataset at the end of a split; a dataset without items makes an empty split.
    ///
    /// # Errors
    /// Why the first item that can't be read can't, with its index, and those of [`write`](Self::write).
    pub fn write_all(&mut self, split: &str, dataset: &dyn Dataset<I>) -> Result<(), DatasetError> {
        for (index, item) in TryDatasetIterator::new(dataset).enumerate() {
            let item = item.map_err(|source| DatasetError::Item { index, source: Box::new(source) })?;
            self.write(split, &item)?;
        }
        if !self.splits.iter().any(|known| known.name == split) {
            let row = ItemRow { columns: vec![VALUE_COLUMN.into()], is_value: true, ..ItemRow::default() };
            self.create_table(split, &row)?;
        }
        Ok(())
    }
}

/// Opens a file that no other process opens, so that nothing has to be locked, and that is thrown away if it
/// is not finished, so that nothing has to be kept for a crash.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;",
    )?;
    let table =
        format!("CREATE TABLE {SPLITS_TABLE} (split TEXT PRIMARY KEY, items INTEGER, is_value INTEGER)");
    connection.execute_batch(&format!("BEGIN; {table};"))?;
    Ok(connection)
}

impl<I> fmt::Debug for SqliteDatasetWriter<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let splits: Vec<_> = self.splits.iter().map(|split| (&split.name, split.items)).collect();
        f.debug_struct("SqliteDatasetWriter")
            .field("path", &self.path)
            .field("splits", &splits)
            .finish_non_exhaustive()
    }
}

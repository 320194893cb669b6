use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use rusqlite::CachedStatement;
use serde::de::DeserializeOwned;

use super::connections::Connections;
use super::read_row::RowReader;
use super::struct_fields::struct_fields;
use super::table::{Layout, RowIds, Table, quoted, row_id_name, tables};
use crate::{Dataset, DatasetError, Receive};

/// A dataset in a table of a SQLite database, read by index from the disk.
///
/// A row is an item. The fields of a struct are columns of the same names; columns that the struct lacks are
/// not read. An item that is neither a struct nor a map has one column. Databases are written by a
/// [`SqliteDatasetWriter`](super::SqliteDatasetWriter), or by anybody else: any table is a dataset in the
/// order of its row ids, in which text, numbers and bytes are fields, and NULL is `None`.
///
/// Each thread that reads has a connection of its own, in a read transaction: other programs can't change the
/// items meanwhile.
///
/// ```
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::source::{SqliteDataset, SqliteDatasetWriter};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
/// struct Review {
///     text: String,
///     stars: u8,
///     tags: Vec<String>,
/// }
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("reviews.db");
/// let mut writer = SqliteDatasetWriter::new(&path)?;
/// for stars in 1..=5 {
///     let review = Review { text: format!("{stars} of 5"), stars, tags: vec!["short".into()] };
///     writer.write("train", &review)?;
/// }
/// writer.finish()?;
///
/// let reviews = SqliteDataset::<Review>::open(&path, "train")?;
/// assert_eq!(reviews.len(), 5);
/// assert_eq!(reviews.get(3).unwrap().text, "4 of 5");
///
/// // The item decides which columns are read.
/// #[derive(Deserialize)]
/// struct Stars {
///     stars: f32,
/// }
/// let stars = SqliteDataset::<Stars>::open(&path, "train")?;
/// assert_eq!(stars.iter().map(|item| item.stars).sum::<f32>(), 15.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SqliteDataset<I> {
    reader: Arc<Reader>,
    item: PhantomData<fn() -> I>,
}

/// Connections and queries shared by all clones of a dataset, without the type of its items.
#[derive(Debug)]
struct Reader {
    connections: Connections,
    split: String,
    /// Selects the columns of the row with an id.
    sql: String,
    columns: Vec<String>,
    layout: Layout,
    rows: RowIds,
}

impl<I: DeserializeOwned> SqliteDataset<I> {
    /// Opens a split, which is a table, of the database at `path`, and reads the first item to see that its
    /// type is right.
    ///
    /// # Errors
    /// [`DatasetError::Io`] if there is no such file, [`DatasetError::Sqlite`] if it is no database,
    /// [`DatasetError::NoSplit`] if it has no such table, [`DatasetError::WrongItem`] if its rows are not
    /// items of type `I`.
    pub fn open<P: AsRef<Path>>(path: P, split: &str) -> Result<Self, DatasetError> {
        let connections = Connections::open(path.as_ref())?;
        let table = connections.with(|connection| Table::find(connection, path.as_ref(), split))?;
        let reader = Reader::new(connections, split, table, struct_fields::<I>());
        let dataset = Self { reader: Arc::new(reader), item: PhantomData };
        dataset.try_get(0)?;
        Ok(dataset)
    }

    /// Returns the names of the splits of the database at `path`, in the order in which they were made.
    ///
    /// # Errors
    /// If it is no database.
    pub fn splits<P: AsRef<Path>>(path: P) -> Result<Vec<String>, DatasetError> {
        let connections = Connections::open(path.as_ref())?;
        connections.with(|connection| tables(connection).map_err(|source| connections.error(source)))
    }

    fn read(&self, statement: &mut CachedStatement<'_>, index: usize) -> Result<Option<I>, DatasetError> {
        let reader = &*self.reader;
        let Some(id) = reader.rows.id(index) else { return Ok(None) };
        let mut rows = statement.query([id]).map_err(|source| reader.connections.error(source))?;
        let row = rows.next().map_err(|source| reader.connections.error(source))?;
        let Some(row) = row else { return Err(DatasetError::NoItem { index, len: reader.rows.len() }) };
        let Layout { is_packed, is_value } = reader.layout;
        I::deserialize(RowReader { row, columns: &reader.columns, is_packed, is_value })
            .map(Some)
            .map_err(|error| reader.wrong_item::<I>(format!("row {id}: {error}")))
    }
}

impl Reader {
    fn new(
        connections: Connections,
        split: &str,
        table: Table,
        fields: Option<&'static [&'static str]>,
    ) -> Self {
        let Table { columns: all, layout, rows } = table;
        let row_id = row_id_name(&all).unwrap_or("rowid");
        let columns: Vec<String> = match fields {
            Some(fields) if !layout.is_value => {
                all.into_iter().filter(|column| fields.contains(&column.as_str())).collect()
            }
            Some(_) | None => all,
        };
        let mut list = columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ");
        if list.is_empty() {
            // A struct of whose fields there is no column: the error will say which one is missing.
            list = "NULL".to_owned();
        }
        let sql = format!("SELECT {list} FROM {} WHERE {row_id} = ?1", quoted(split));
        Self { connections, split: split.to_owned(), sql, columns, layout, rows }
    }

    fn wrong_item<I>(&self, reason: String) -> DatasetError {
        DatasetError::WrongItem {
            path: self.connections.path().to_owned(),
            split: self.split.clone(),
            expected: type_name::<I>(),
            columns: self.columns.clone(),
            reason,
        }
    }
}

impl<I: DeserializeOwned> Dataset<I> for SqliteDataset<I> {
    fn get(&self, index: usize) -> Option<I> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        let connections = &self.reader.connections;
        connections.with(|connection| {
            let statement = connection.prepare_cached(&self.reader.sql);
            self.read(&mut statement.map_err(|source| connections.error(source))?, index)
        })
    }

    fn read_many(&self, indices: &[usize], receive: &mut Receive<'_, I>) {
        let connections = &self.reader.connections;
        let outcome = connections.with(|connection| {
            let statement = connection.prepare_cached(&self.reader.sql);
            let mut statement = statement.map_err(|source| connections.error(source))?;
            for &index in indices {
                if receive(self.read(&mut statement, index)).is_break() {
                    break;
                }
            }
            Ok(())
        });
        if let Err(error) = outcome {
            let _ = receive(Err(error));
        }
    }

    fn len(&self) -> usize {
        self.reader.rows.len()
    }
}

impl<I> Clone for SqliteDataset<I> {
    fn clone(&self) -> Self {
        Self { reader: Arc::clone(&self.reader), item: PhantomData }
    }
}

impl<I> fmt::Debug for SqliteDataset<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteDataset")
            .field("path", &self.reader.connections.path())
            .field("split", &self.reader.split)
            .field("len", &self.reader.rows.len())
            .finish_non_exhaustive()
    }
}

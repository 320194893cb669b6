use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use crate::DatasetError;

/// The table in which our own databases say which splits they have.
pub(super) const SPLITS_TABLE: &str = "burn_dataset_splits";

/// How the items of a split lie in their table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// Whether blobs are MessagePack: those of our own databases are.
    pub(super) is_packed: bool,
    /// Whether an item is one value, not a column for each field.
    pub(super) is_value: bool,
}

/// A table whose rows are items.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) columns: Vec<String>,
    pub(super) layout: Layout,
    pub(super) rows: RowIds,
}

/// Row ids of the items, in the order of their indices.
#[derive(Debug)]
pub(super) enum RowIds {
    /// The row ids follow each other.
    Dense { first: i64, len: usize },
    /// The row ids of a table from which rows were deleted.
    Listed(Vec<i64>),
}

impl RowIds {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Dense { len, .. } => *len,
            Self::Listed(ids) => ids.len(),
        }
    }

    pub(super) fn id(&self, index: usize) -> Option<i64> {
        match self {
            Self::Dense { first, len } => (index < *len).then(|| first + index as i64),
            Self::Listed(ids) => ids.get(index).copied(),
        }
    }
}

/// Puts a name between quotation marks.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the name under which the row id is not hidden by a column.
pub(super) fn row_id_name(columns: &[String]) -> Option<&'static str> {
    let is_free = |name: &&str| !columns.iter().any(|column| column.eq_ignore_ascii_case(name));
    ["rowid", "_rowid_", "oid"].into_iter().find(is_free)
}

impl Table {
    /// Finds the table of a split.
    pub(super) fn find(connection: &Connection, path: &Path, split: &str) -> Result<Self, DatasetError> {
        let error = |source| DatasetError::Sqlite { path: path.to_owned(), source };
        let tables = tables(connection).map_err(error)?;
        if !tables.iter().any(|table| table == split) {
            return Err(DatasetError::NoSplit {
                path: path.to_owned(),
                split: split.to_owned(),
                splits: tables,
            });
        }
        let columns = columns(connection, split).map_err(error)?;
        let Some(row_id) = row_id_name(&columns) else {
            return Err(DatasetError::Damaged {
                path: path.to_owned(),
                reason: format!("the columns of `{split}` hide the row id"),
                advice: "Rename one of `rowid`, `_rowid_` and `oid`".to_owned(),
            });
        };
        let own = own_split(connection, split).map_err(error)?;
        let rows = rows(connection, split, row_id, own.map(|(items, _)| items)).map_err(error)?;
        let layout = own.map_or(Layout::default(), |(_, is_value)| Layout { is_packed: true, is_value });
        Ok(Self { columns, layout, rows })
    }
}

/// Returns the tables that are splits.
pub(super) fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
               AND name <> ?1 ORDER BY rowid";
    connection.prepare(sql)?.query_map([SPLITS_TABLE], |row| row.get(0))?.collect()
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM pragma_table_info(?1)";
    connection.prepare(sql)?.query_map([table], |row| row.get(0))?.collect()
}

/// Returns how many items we wrote into a split, and whether each is one value.
fn own_split(connection: &Connection, split: &str) -> rusqlite::Result<Option<(i64, bool)>> {
    let exists = connection
        .query_row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", [SPLITS_TABLE], |_| {
            Ok(())
        })
        .optional()?;
    if exists.is_none() {
        return Ok(None);
    }
    let sql = format!("SELECT items, is_value FROM {SPLITS_TABLE} WHERE split = ?1");
    connection.query_row(&sql, params![split], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

fn rows(
    connection: &Connection,
    table: &str,
    row_id: &str,
    written: Option<i64>,
) -> rusqlite::Result<RowIds> {
    let table = quoted(table);
    let ends = format!("SELECT (SELECT min({row_id}) FROM {table}), (SELECT max({row_id}) FROM {table})");
    let ends: (Option<i64>, Option<i64>) =
        connection.query_row(&ends, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (Some(first), Some(last)) = ends else { return Ok(RowIds::Dense { first: 1, len: 0 }) };
    let span = last.checked_sub(first).and_then(|span| span.checked_add(1));
    let count = match written {
        // Counting reads the whole table; what we wrote was counted then.
        Some(items) if Some(items) == span => items,
        _other => connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?,
    };
    if Some(count) == span {
        return Ok(RowIds::Dense { first, len: usize::try_from(count).unwrap_or(0) });
    }
    let sql = format!("SELECT {row_id} FROM {table} ORDER BY {row_id}");
    let ids = connection.prepare(&sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(RowIds::Listed(ids))
}

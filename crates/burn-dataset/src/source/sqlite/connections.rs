use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::DatasetError;

/// The most bytes of a value or a row: SQLite refuses a file that says it has larger ones.
const LONGEST_VALUE: i32 = 256 << 20;

/// The memory in which each connection keeps pages, in KiB.
const CACHE_KIB: i64 = 16 << 10;

/// The connections of a database that is only read: one for each thread that reads at the same time, kept for
/// the next one.
///
/// Each is in a read transaction from its first moment to its last: no lock is taken for a single item, and
/// the content does not change while it is read.
#[derive(Debug)]
pub(super) struct Connections {
    path: PathBuf,
    identity: FileIdentity,
    idle: Mutex<Vec<Connection>>,
}

impl Connections {
    pub(super) fn open(path: &Path) -> Result<Self, DatasetError> {
        let identity = FileIdentity::of(path)?;
        let connections = Self { path: path.to_owned(), identity, idle: Mutex::default() };
        // A file that is no database is an error here.
        connections.with(|_| Ok(()))?;
        Ok(connections)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Calls `read` with a connection that no other thread has.
    pub(super) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, DatasetError>,
    ) -> Result<T, DatasetError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = idle.map_or_else(|| self.connect(), Ok)?;
        let outcome = read(&connection);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        outcome
    }

    pub(super) fn error(&self, source: rusqlite::Error) -> DatasetError {
        DatasetError::Sqlite { path: self.path.clone(), source }
    }

    fn connect(&self) -> Result<Connection, DatasetError> {
        let connection = open_read_only(&self.path).map_err(|source| self.error(source))?;
        if FileIdentity::of(&self.path)? != self.identity {
            return Err(DatasetError::Damaged {
                path: self.path.clone(),
                reason: "it was replaced since it was opened".to_owned(),
                advice: "Open the dataset again".to_owned(),
            });
        }
        Ok(connection)
    }
}

fn open_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;")?;
    Ok(connection)
}

/// Distinguishes a file at a path from another that replaced it.
#[derive(Debug, PartialEq, Eq)]
struct FileIdentity {
    #[cfg(unix)]
    inode: (u64, u64),
    len: u64,
    modified: Option<SystemTime>,
}

impl FileIdentity {
    fn of(path: &Path) -> Result<Self, DatasetError> {
        let metadata = burn_io::check_regular(path).and_then(|()| fs::metadata(path));
        let metadata = metadata.map_err(|source| DatasetError::Io { path: path.to_owned(), source })?;
        Ok(Self {
            #[cfg(unix)]
            inode: {
                use std::os::unix::fs::MetadataExt;
                (metadata.dev(), metadata.ino())
            },
            len: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

//! Where items come from.

#[cfg(feature = "csv")]
mod csv;
mod in_mem;
#[cfg(feature = "json")]
mod json_lines;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use in_mem::InMemDataset;
#[cfg(feature = "json")]
pub use json_lines::JsonLinesDataset;
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteDataset, SqliteDatasetWriter};

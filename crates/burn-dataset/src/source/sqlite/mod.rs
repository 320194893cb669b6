//! Datasets in SQLite databases.

mod column_value;
mod connections;
mod dataset;
mod item_row;
mod read_row;
mod read_value;
mod refuse;
mod struct_fields;
mod table;
mod writer;

pub use dataset::SqliteDataset;
pub use writer::SqliteDatasetWriter;

//! Where items come from.

#[cfg(feature = "csv")]
mod csv;
#[cfg(feature = "dataframe")]
mod dataframe;
#[cfg(feature = "huggingface")]
mod huggingface;
mod in_mem;
#[cfg(feature = "json")]
mod json_lines;
#[cfg(any(feature = "dataframe", feature = "sqlite"))]
mod row_deserializer;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "dataframe")]
pub use dataframe::DataframeDataset;
#[cfg(feature = "huggingface")]
pub use huggingface::HuggingfaceDatasetLoader;
pub use in_mem::InMemDataset;
#[cfg(feature = "json")]
pub use json_lines::JsonLinesDataset;
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteDataset, SqliteDatasetWriter};

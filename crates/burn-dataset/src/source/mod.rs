//! Where items come from.

#[cfg(feature = "csv")]
mod csv;
mod in_mem;

pub use in_mem::InMemDataset;

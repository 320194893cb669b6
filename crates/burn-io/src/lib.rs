//! Files that are written whole or not at all, and readers with a budget.

mod atomic;
mod bounded;
mod first_error;
mod memory;
mod read_file;

pub use atomic::{AtomicFile, write_atomic};
pub use bounded::{Bounded, GZIP_RATIO};
pub use first_error::write_through;
pub use memory::available_memory;
pub use read_file::read_file;

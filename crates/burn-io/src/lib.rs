//! Files that are written whole or not at all, and readers with a budget.

mod atomic;
mod bounded;
mod first_error;
mod memory;
mod read_file;
mod regular_file;

pub use atomic::{AtomicFile, write_atomic};
pub use bounded::{Bounded, GZIP_RATIO};
pub use first_error::write_through;
pub use memory::available_memory;
pub use read_file::read_file;
pub use regular_file::{check_regular, check_replaceable, open_file};

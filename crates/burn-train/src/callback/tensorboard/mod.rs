//! Event files of TensorBoard.
//!
//! A file is a sequence of TFRecords ([`record`]), each of which is a protocol buffer of the message `Event`
//! ([`event`]).

mod event;
mod record;
mod writer;

pub use writer::TensorBoard;

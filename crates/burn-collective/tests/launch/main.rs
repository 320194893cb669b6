//! Programs that launchers start, and ranks that end while others wait for them.
#![cfg(unix)]

mod debug_mode;
mod launcher;
mod threads_that_end;

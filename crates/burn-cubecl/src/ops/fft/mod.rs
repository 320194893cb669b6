//! Fourier transforms of lines in `O(n log n)`.
//!
//! A line that fits into the shared memory of a cube is one launch: passes of small transforms between
//! registers, with an exchange through shared memory after each (Stockham's order, which needs no reversal of
//! digits). Longer lines are matrices of columns and rows that fit (Bailey, 1990), and lengths with a large
//! prime factor are convolutions (Bluestein, 1970).

mod butterfly;
mod call;
mod chirp;
mod direct;
mod finish;
mod format;
mod line;
mod long;
mod pass;
mod root;
mod shape;
mod source;
mod table;
mod target;
mod twist;
mod words;

pub use call::fft;

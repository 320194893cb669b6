//! Replay of random numbers, for a segment of a program that runs twice.
//!
//! Code that runs twice with the same numbers runs in [`recorded`] first and in [`repeated`] then. The
//! recording keeps the generator position of each draw, not the numbers, so that other threads may draw in
//! between. A generator takes part by calling [`position`] instead of counting alone; values of other
//! generators are kept, by [`made`].
//!
//! Servers that compute for several programs let each draw from a stream of its own, by `own`.

#[cfg(not(feature = "std"))]
mod plain;
#[cfg(feature = "std")]
mod recording;

#[cfg(not(feature = "std"))]
pub use plain::{aside, made, position};
#[cfg(feature = "std")]
pub use recording::{RecordedDraws, Stream, aside, made, own, position, recorded, repeated};

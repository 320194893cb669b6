//! The random numbers of a stretch of a program, drawn a second time.
//!
//! Whoever runs code twice and wants the same numbers runs it in [`recorded`] first and in [`repeated`] then. What
//! is noted is not the numbers but the place in the generator that each call was given, so that other threads may
//! draw in between. A generator takes part by asking [`position`] instead of counting alone; values of one that
//! does not are kept, by [`made`].
//!
//! Whoever computes for several programs lets each draw from a stream of its own, by `own`.

#[cfg(not(feature = "std"))]
mod plain;
#[cfg(feature = "std")]
mod stretch;

#[cfg(not(feature = "std"))]
pub use plain::{aside, made, position};
#[cfg(feature = "std")]
pub use stretch::{Draws, Stream, aside, made, own, position, recorded, repeated};

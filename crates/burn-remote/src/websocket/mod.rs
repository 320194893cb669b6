//! Channels over websockets.

#[cfg(feature = "client")]
mod connect;
#[cfg(feature = "client")]
mod open;
#[cfg(feature = "client")]
mod options;
mod pump;
mod socket;
#[cfg(feature = "client")]
mod tls;

#[cfg(feature = "client")]
pub use open::open;
#[cfg(feature = "client")]
pub use options::RemoteOptions;
#[cfg(feature = "server")]
pub use pump::{Cut, Hear, Pace, Word, converse, say};
#[cfg(feature = "server")]
pub use socket::{Socket, Stream};

//! Channels over websockets.

#[cfg(feature = "client")]
mod connect;
#[cfg(feature = "client")]
mod connect_error;
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
pub use pump::{Cut, Pace, Receive, SocketMessage, converse, send_fault};
#[cfg(feature = "server")]
pub use socket::{Socket, Stream};

//! The client: a backend whose tensors are names.

mod backend;
#[allow(clippy::module_inception, reason = "a file is called after the type in it")]
mod client;
mod device;
mod error;
pub(crate) mod oneshot;
mod replies;
mod tensor;

pub use backend::Remote;
pub use client::Client;
pub use device::RemoteDevice;
pub use error::RemoteError;
pub use tensor::RemoteTensor;

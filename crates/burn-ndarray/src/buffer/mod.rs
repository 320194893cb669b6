//! Reference-counted memory from a pool.

mod block;
#[cfg(all(feature = "std", target_os = "linux"))]
mod huge;
#[cfg(feature = "std")]
mod kept;
#[cfg(feature = "std")]
mod pool;
mod room;
mod shared;

#[cfg(not(feature = "std"))]
mod system;
#[cfg(feature = "std")]
pub use pool::trim;
pub use room::Room;
pub use shared::Buffer;
#[cfg(not(feature = "std"))]
pub use system::trim;

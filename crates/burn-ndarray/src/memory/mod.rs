//! Reference-counted memory from a pool.

mod block;
#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
mod huge;
mod list;
mod out_of_memory;
mod owners;
#[cfg(feature = "std")]
mod packed_copy;
#[cfg(feature = "std")]
mod pool;
mod room;
mod shared;

#[cfg(not(feature = "std"))]
mod system;
pub use list::list;
pub use out_of_memory::out_of_memory;
#[cfg(feature = "std")]
pub use pool::trim;
pub use room::Room;
pub use shared::Buffer;
#[cfg(not(feature = "std"))]
pub use system::trim;

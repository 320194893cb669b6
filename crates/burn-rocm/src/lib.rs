//! The backend for AMD's GPUs on ROCm. Its libraries are loaded when the first tensor is made.
//!
//! It compiles everywhere, and no device has run it so far: what is known of `burn-cubecl`'s kernels is known
//! from Vulkan and CUDA.
//!
//! ```no_run
//! # use burn_rocm::{Rocm, RocmDevice};
//! # use burn_backend::Backend;
//! if let Err(error) = RocmDevice::default().open() {
//!     println!("no GPU: {error}");
//! }
//! let name = Rocm::<f32, i32>::name(&RocmDevice::new(1));
//! # drop(name);
//! ```
#![deny(clippy::wildcard_enum_match_arm)]

mod cube;
mod device;
mod device_memory;
mod error;
mod open_device;
mod runtime;

pub use burn_cubecl::{
    CubeBackend, CubeRuntime, CubeTensor, Engine, JitBackend, JitRuntime, JitTensor, MemoryUsage,
};
pub use burn_cubecl::{FloatElement, IntElement, build_info, into_contiguous};
pub use cube::RocmRuntime;
pub use device::RocmDevice;
pub use error::RocmError;

/// Backend for AMD GPUs.
pub type Rocm<F = f32, I = i32> = CubeBackend<RocmRuntime, F, I>;
/// [`Rocm`] by the name of its API.
pub type Hip<F = f32, I = i32> = Rocm<F, I>;
/// [`RocmDevice`] by the name of its API.
pub type HipDevice = RocmDevice;

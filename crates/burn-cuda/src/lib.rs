//! The leaf of every GPU on CUDA. The driver and its compiler are loaded when the first tensor is made.
#![deny(clippy::wildcard_enum_match_arm)]

mod device;
mod object;
mod runtime;

pub use burn_cubecl::{CubeBackend, CubeTensor, Engine, JitBackend, JitTensor};
pub use cubecl::cuda::CudaRuntime;
pub use device::CudaDevice;
pub use runtime::Nvidia;

/// The leaf on NVIDIA's devices.
pub type Cuda<F = f32, I = i32> = CubeBackend<Nvidia, F, I>;

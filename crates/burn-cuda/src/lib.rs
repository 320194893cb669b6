//! The backend for NVIDIA's GPUs on CUDA. The driver, its compiler and its libraries are loaded when the
//! first tensor is made.
#![deny(clippy::wildcard_enum_match_arm)]

mod blas;
mod cube;
mod device;
mod dnn;
mod driver;
mod error;
mod launch_graph;
mod library;
mod loaded;
mod open_device;
mod recent;
mod runtime;
mod server;

pub use blas::{Activation, Blas, DeviceRange, Matrices, Product, WORKSPACE, allow_tf32};
pub use burn_cubecl::{
    Autotune, Choice, CubeBackend, CubeRuntime, CubeTensor, Engine, JitBackend, JitRuntime, JitTensor,
    MemoryUsage, OutOfMemory, Room, Tuner, Why,
};
pub use burn_cubecl::{FloatElement, IntElement, build_info, into_contiguous};
pub use cube::{CudaRuntime, Queue, on_stream};
pub use device::CudaDevice;
pub use error::CudaError;
pub use server::{CudaCompiler, CudaInfo, CudaServer, DeviceMemory};

/// Backend for NVIDIA GPUs.
pub type Cuda<F = f32, I = i32> = CubeBackend<CudaRuntime, F, I>;

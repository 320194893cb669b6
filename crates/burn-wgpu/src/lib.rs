//! The backend of every GPU on Vulkan, Metal and WebGPU.
//!
//! ```no_run
//! # use burn_wgpu::{Wgpu, WgpuDevice};
//! # use burn_backend::Backend;
//! if let Err(error) = WgpuDevice::default().open() {
//!     println!("no GPU: {error}");
//! }
//! let name = Wgpu::<f32, i32>::name(&WgpuDevice::DiscreteGpu(0));
//! # drop(name);
//! ```
#![deny(clippy::wildcard_enum_match_arm)]
// Items carry the feature that they need, where rustdoc can do that: docs.rs and nightly.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod adapters;
#[cfg(target_family = "wasm")]
mod browser;
mod device;
mod device_memory;
#[cfg(not(target_family = "wasm"))]
mod float_controls;
mod open_async;
mod open_device;
mod runtime;
#[cfg(not(target_family = "wasm"))]
mod single_stream;

pub use burn_cubecl::{
    Autotune, Choice, CubeBackend, CubeRuntime, CubeTensor, Engine, JitBackend, JitRuntime, JitTensor,
    MemoryPool, MemoryUsage, OutOfMemory, Room, Tuner, Why,
};
#[cfg(feature = "template")]
pub use burn_cubecl::{Execute, KernelSource, SourceKernel, SourceTemplate, TemplateError, kernel_wgsl};
pub use burn_cubecl::{FloatElement, IntElement, build_info, into_contiguous};
pub use cubecl::wgpu::AutoGraphicsApi;
pub use device::{DeviceError, WgpuDevice};
pub use runtime::WgpuRuntime;

/// Backend for GPUs through wgpu, on the graphics API of the system.
pub type Wgpu<F = f32, I = i32> = CubeBackend<WgpuRuntime, F, I>;
/// [`Wgpu`] where the API is Vulkan, as on Linux and Windows.
pub type Vulkan<F = f32, I = i32> = Wgpu<F, I>;
/// [`Wgpu`] where the API is Metal, as on macOS.
pub type Metal<F = f32, I = i32> = Wgpu<F, I>;
/// [`Wgpu`] in a browser.
pub type WebGpu<F = f32, I = i32> = Wgpu<F, I>;
/// A tensor of [`Wgpu`].
pub type WgpuTensor = CubeTensor;

//! Backends: leaves, which compute, and decorators, which add something to another backend.

#[cfg(feature = "ndarray-core")]
mod any;

#[cfg(feature = "ndarray-core")]
pub use any::{AnyBackend, AnyDevice, AnyDeviceError};
#[cfg(feature = "amp")]
#[doc(inline)]
pub use burn_amp::Amp;
#[cfg(feature = "autodiff")]
#[doc(inline)]
pub use burn_autodiff::Autodiff;
#[cfg(feature = "candle")]
#[doc(inline)]
pub use burn_candle::Candle;
#[cfg(feature = "capture")]
#[doc(inline)]
pub use burn_capture::Capture;
#[cfg(feature = "fusion")]
#[doc(inline)]
pub use burn_fusion::Fusion;
#[cfg(feature = "ndarray-core")]
#[doc(inline)]
pub use burn_ndarray::NdArray;
#[cfg(feature = "profile")]
#[doc(inline)]
pub use burn_profile::Profile;
#[cfg(feature = "remote")]
#[doc(inline)]
pub use burn_remote::{Remote, Remote as RemoteBackend, RemoteDevice};
#[cfg(feature = "router")]
#[doc(inline)]
pub use burn_router::Router;
#[cfg(feature = "tch")]
#[doc(inline)]
pub use burn_tch::LibTorch;
#[cfg(feature = "cuda")]
pub use cuda::{Cuda, CudaDevice};
#[cfg(feature = "rocm")]
pub use rocm::{Hip, Rocm, RocmDevice};
#[cfg(feature = "wgpu")]
pub use wgpu::{Metal, Vulkan, WebGpu, Wgpu, WgpuDevice};

/// Mixed precision: which operations compute in which dtype.
#[cfg(feature = "amp")]
pub mod amp {
    #[doc(inline)]
    pub use burn_amp::*;
}

/// The backend over candle, on the CPU, on CUDA and on Metal, and its tensors as ours and back.
#[cfg(feature = "candle")]
pub mod candle {
    #[doc(inline)]
    pub use burn_candle::*;
}

/// The backend over LibTorch, on its devices, and its tensors as ours and back.
#[cfg(feature = "tch")]
pub mod libtorch {
    #[doc(inline)]
    pub use burn_tch::*;
}

/// Recorded programs: lists of operations that are printed, saved and run again on any backend.
#[cfg(feature = "capture")]
pub mod capture {
    #[doc(inline)]
    pub use burn_capture::*;
}

/// Profiling: the time of each operation.
#[cfg(feature = "profile")]
pub mod profile {
    #[doc(inline)]
    pub use burn_profile::*;
}

/// Automatic differentiation, and gradients of custom operations.
#[cfg(feature = "autodiff")]
pub mod autodiff {
    #[doc(inline)]
    pub use burn_autodiff::NodeId as NodeID;
    #[doc(inline)]
    pub use burn_autodiff::*;
}

/// Lazy execution with fused operations.
#[cfg(feature = "fusion")]
pub mod fusion {
    #[doc(inline)]
    pub use burn_fusion::*;
}

/// The CPU backend.
#[cfg(feature = "ndarray-core")]
pub mod ndarray {
    #[doc(inline)]
    pub use burn_ndarray::*;
}

/// Remote execution: a backend in another process or on another machine.
#[cfg(feature = "remote")]
pub mod remote {
    #[doc(inline)]
    pub use burn_remote::*;
}

/// Several backends as one, with the devices of each.
#[cfg(feature = "router")]
pub mod router {
    #[doc(inline)]
    pub use burn_router::*;
}

/// GPUs through Vulkan, Metal or WebGPU.
#[cfg(feature = "wgpu")]
pub mod wgpu {
    #[cfg(feature = "fusion")]
    use burn_fusion::Fusion;
    /// The backend for authors of kernels: never lazy, whatever features are on.
    pub use burn_wgpu::Wgpu as WgpuBackend;
    pub use burn_wgpu::{AutoGraphicsApi, DeviceError, MemoryUsage, WgpuDevice, WgpuRuntime, WgpuTensor};
    pub use burn_wgpu::{CubeBackend, CubeRuntime, CubeTensor, JitBackend, JitRuntime, JitTensor};
    #[cfg(feature = "template")]
    pub use burn_wgpu::{Execute, KernelSource, SourceKernel, SourceTemplate, TemplateError, kernel_wgsl};
    pub use burn_wgpu::{FloatElement, IntElement, build_info, into_contiguous};

    /// Backend on the graphics API of the system; with the feature `fusion` it is lazy.
    #[cfg(feature = "fusion")]
    pub type Wgpu<F = f32, I = i32> = Fusion<burn_wgpu::Wgpu<F, I>>;
    /// Backend on the graphics API of the system; with the feature `fusion` it is lazy.
    #[cfg(not(feature = "fusion"))]
    pub type Wgpu<F = f32, I = i32> = burn_wgpu::Wgpu<F, I>;
    /// [`Wgpu`] where the API is Vulkan.
    pub type Vulkan<F = f32, I = i32> = Wgpu<F, I>;
    /// [`Wgpu`] where the API is Metal.
    pub type Metal<F = f32, I = i32> = Wgpu<F, I>;
    /// [`Wgpu`] in a browser.
    pub type WebGpu<F = f32, I = i32> = Wgpu<F, I>;
}

/// NVIDIA's GPUs.
#[cfg(feature = "cuda")]
pub mod cuda {
    pub use burn_cuda::allow_tf32;
    pub use burn_cuda::{CubeBackend, CubeRuntime, CubeTensor, JitBackend, JitRuntime, JitTensor};
    pub use burn_cuda::{CudaDevice, CudaError, CudaRuntime, MemoryUsage};
    pub use burn_cuda::{FloatElement, IntElement, build_info, into_contiguous};
    #[cfg(feature = "fusion")]
    use burn_fusion::Fusion;

    /// Backend on CUDA; with the feature `fusion` it is lazy.
    #[cfg(feature = "fusion")]
    pub type Cuda<F = f32, I = i32> = Fusion<burn_cuda::Cuda<F, I>>;
    /// Backend on CUDA; with the feature `fusion` it is lazy.
    #[cfg(not(feature = "fusion"))]
    pub type Cuda<F = f32, I = i32> = burn_cuda::Cuda<F, I>;
}

/// AMD's GPUs. It compiles, and was not run on a device so far.
#[cfg(feature = "rocm")]
pub mod rocm {
    #[cfg(feature = "fusion")]
    use burn_fusion::Fusion;
    pub use burn_rocm::{CubeBackend, CubeRuntime, CubeTensor, JitBackend, JitRuntime, JitTensor};
    pub use burn_rocm::{FloatElement, IntElement, build_info, into_contiguous};
    pub use burn_rocm::{HipDevice, MemoryUsage, RocmDevice, RocmError, RocmRuntime};

    /// Backend on ROCm; with the feature `fusion` it is lazy.
    #[cfg(feature = "fusion")]
    pub type Rocm<F = f32, I = i32> = Fusion<burn_rocm::Rocm<F, I>>;
    /// Backend on ROCm; with the feature `fusion` it is lazy.
    #[cfg(not(feature = "fusion"))]
    pub type Rocm<F = f32, I = i32> = burn_rocm::Rocm<F, I>;
    /// Another name of [`Rocm`].
    pub type Hip<F = f32, I = i32> = Rocm<F, I>;
}

mod cache;
mod canonical;
mod compute;
mod graph;
mod kernels;
mod properties;
mod source;
mod staging;
mod storage;

pub use compute::{CudaInfo, CudaServer};
pub use graph::{Graph, copy};
pub use properties::CudaCompiler;
pub use storage::{ALIGNMENT, DeviceMemory};

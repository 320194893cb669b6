use crate::device::arithmetic::{Abilities, Arithmetic};
use crate::device::faults::Faults;
use crate::device::library::Library;
use crate::device::tune::Tuner;
use crate::launch::erased::Erased;
use crate::launch::tensor::CubeTensor;
use burn_backend::{DType, Factorization, Triangle};
use cubecl::bytes::Bytes;
use cubecl::future::DynFut;
use cubecl::ir::HardwareProperties;
use cubecl::server::{Handle, KernelArguments, ServerError};
use cubecl::{CubeCount, MemoryUsage};
use std::any::Any;
use std::fmt::Debug;

/// A device, without the type of its runtime: all that tensors and kernels know of it.
///
/// One is made for each device and lives as long as the process.
pub trait Engine: Debug + Send + Sync {
    /// Returns the name of the device: runtime and number.
    fn name(&self) -> &str;
    /// Returns the client of the runtime, for custom kernels.
    fn client(&self) -> &(dyn Any + Send + Sync);
    /// Returns the device in its runtime's own type.
    fn device(&self) -> &(dyn Any + Send + Sync);
    fn launch(&self, kernel: Erased, count: CubeCount, arguments: KernelArguments);
    fn create(&self, bytes: &[u8]) -> Handle;
    fn empty(&self, bytes: usize) -> Handle;
    /// The bytes of buffers, once they are computed.
    fn read(&self, handles: Vec<Handle>) -> DynFut<Result<Vec<Bytes>, ServerError>>;
    /// Has the end of the process wait for the device's thread, once for each device.
    fn wait_at_the_end(&self);
    /// Waits until everything is computed.
    fn sync(&self) -> DynFut<Result<(), ServerError>>;
    /// Returns the pending errors of the device.
    fn faults(&self) -> &Faults;
    fn memory_usage(&self) -> Result<MemoryUsage, ServerError>;
    /// Releases the unused memory of the pools.
    fn memory_cleanup(&self);
    /// Returns whether kernels can compute with elements of `dtype`.
    fn has(&self, dtype: DType) -> bool;
    /// How often values came back to the host.
    fn reads(&self) -> usize;
    /// Kernels that were launched, but for those that are measured.
    fn launches(&self) -> usize;
    /// Whether the device is a processor that stands in for one, with a driver that is software.
    fn is_software(&self) -> bool;
    /// Returns the hardware properties of the device.
    fn hardware(&self) -> &HardwareProperties;
    /// Returns the largest number of cubes in each dimension.
    fn max_cubes(&self) -> (u32, u32, u32);
    /// The most elements of so many bytes that a load or a store takes at once: a power of two.
    fn widest_load(&self, bytes: usize) -> usize;
    /// Returns the rounding of the device's `f32` instructions.
    fn arithmetic(&self) -> Arithmetic;
    /// Returns the vendor's library for the device, if there is one.
    fn library(&self) -> Option<&dyn Library>;
    /// Returns the kernels of factorizations and systems of equations.
    fn linear_algebra(&self) -> &'static dyn LinearAlgebra;
    /// Returns the autotuner, which chooses among kernels for the same operation.
    fn tuner(&self) -> &Tuner;
}

/// Factorizations and systems of equations, as [`Linalg`](burn_backend::Linalg) defines them.
///
/// Their kernels are in a crate above this one, since they use its products, sorts and reductions. The crate
/// of a runtime gives them to its engines.
pub trait LinearAlgebra: Debug + Send + Sync {
    fn factorize(&self, op: Factorization, x: &CubeTensor) -> CubeTensor;
    /// Returns the packed factors and the row order, of the dtype `index`.
    fn lu(&self, x: &CubeTensor, index: DType) -> (CubeTensor, CubeTensor);
    fn solve(&self, a: CubeTensor, b: CubeTensor) -> CubeTensor;
    fn solve_triangular(&self, a: CubeTensor, b: CubeTensor, triangle: Triangle) -> CubeTensor;
}

impl Abilities {
    pub fn of(engine: &dyn Engine) -> Self {
        let Arithmetic { narrows, has_exp, .. } = engine.arithmetic();
        Abilities { is_wide: engine.has(DType::I64), narrows, has_exp }
    }
}

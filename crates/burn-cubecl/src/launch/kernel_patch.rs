//! Kernels whose source is patched between the kernel compiler and the driver.

use crate::launch::erased::Erased;
use cubecl::ir::StorageType;
use cubecl::prelude::*;
use cubecl_runtime::compiler::{CompilationError, Compiler, CubeTask};
use cubecl_runtime::kernel::CompiledKernel;
use std::sync::Arc;

/// Patch applied to a compiled kernel.
pub type KernelPatch<C> = Arc<dyn Fn(&mut CompiledKernel<C>) + Send + Sync>;

/// Kernel to compile and patch.
pub struct PatchedKernel<C: Compiler> {
    pub task: KernelTask<C, Erased>,
    pub patch: KernelPatch<C>,
}

impl<C: Compiler> KernelMetadata for PatchedKernel<C> {
    fn name(&self) -> &'static str {
        self.task.name()
    }
    fn id(&self) -> KernelId {
        self.task.id()
    }
    fn address_type(&self) -> StorageType {
        self.task.address_type()
    }
}

impl<C: Compiler> CubeTask<C> for PatchedKernel<C> {
    fn compile(
        &self,
        compiler: &mut C,
        options: &C::CompilationOptions,
        mode: ExecutionMode,
        address: StorageType,
    ) -> Result<CompiledKernel<C>, CompilationError> {
        let mut compiled = self.task.compile(compiler, options, mode, address)?;
        (self.patch)(&mut compiled);
        Ok(compiled)
    }
}

//! Kernels as objects.

use cubecl::ir::StorageType;
use cubecl::prelude::*;
use std::cell::Cell;
use std::fmt::Debug;

/// A kernel and the types of its arguments, as an object.
pub struct Erased {
    kernel: Box<dyn CubeKernel>,
    /// Whether indices are checked before loads and stores.
    pub is_checked: bool,
}

impl Erased {
    pub fn new(kernel: impl CubeKernel, is_checked: bool) -> Self {
        Erased { kernel: Box::new(kernel), is_checked }
    }
}

impl KernelMetadata for Erased {
    fn name(&self) -> &'static str {
        self.kernel.name()
    }
    fn id(&self) -> KernelId {
        self.kernel.id()
    }
    fn address_type(&self) -> StorageType {
        self.kernel.address_type()
    }
}

thread_local! {
    static COMPILED: Cell<bool> = const { Cell::new(false) };
}

/// Whether kernels were compiled on this thread since it was last asked.
pub fn has_compiled() -> bool {
    COMPILED.take()
}

impl CubeKernel for Erased {
    fn define(&self) -> KernelDefinition {
        COMPILED.set(true);
        self.kernel.define()
    }
}

impl Debug for Erased {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kernel.id().fmt(f)
    }
}

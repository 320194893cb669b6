//! Programmatic dependent launch: a kernel of a CUDA graph starts while the kernel before it still runs, and
//! waits for it in its own code. The runtime reads the lines below in the generated source.

use crate::device::engine::Engine;
use crate::launch::tensor::CubeTensor;
use cubecl::ir::{NonSemantic, Scope};

/// Comment in the generated source where the kernel waits for the launches before it.
pub const GRID_DEPENDENCY_WAIT: &str = "grid dependency wait";

/// Waits for the launches before this one; by default a kernel does so where it starts.
fn grid_dependency_wait(scope: &mut Scope) {
    scope.register(NonSemantic::Comment { content: GRID_DEPENDENCY_WAIT.into() });
}

/// Returns whether no launch that may still run writes to the memory of `x`, so that a dependent launch may
/// read it before it waits.
fn is_untouched(x: &CubeTensor) -> bool {
    x.engine().library().is_some_and(|library| library.is_untouched(x.handle()))
}

/// Returns whether the device has dependent launches.
fn is_supported(engine: &dyn Engine) -> bool {
    engine.library().is_some_and(|library| library.has_dependent_launches())
}

/// When a kernel of products begins to read its matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// Before it waits for earlier launches, none of which writes the matrix.
    BeforeWait,
    /// After the wait of a dependent launch.
    AfterWait,
    /// There are no dependent launches.
    AtOnce,
}

impl Start {
    /// For products with these matrices.
    pub fn of(matrices: &[CubeTensor]) -> Self {
        let engine = matrices[0].engine();
        match is_supported(engine) {
            true if matrices.iter().all(is_untouched) => Start::BeforeWait,
            true => Start::AfterWait,
            false => Start::AtOnce,
        }
    }

    /// Reads before or after the wait for earlier launches.
    pub fn around_wait<T>(self, scope: &mut Scope, read: impl FnOnce(&mut Scope) -> T) -> T {
        if self == Start::AfterWait {
            grid_dependency_wait(scope);
        }
        let value = read(scope);
        if self == Start::BeforeWait {
            grid_dependency_wait(scope);
        }
        value
    }
}

//! Programmatic dependent launch: a kernel of a CUDA graph starts while the kernel before it still runs, and
//! waits for it in its own code. The runtime reads the lines below in the generated source.

use crate::device::engine::Engine;
use crate::launch::tensor::CubeTensor;
use cubecl::ir::{ManagedVariable, NonSemantic, Scope};
use cubecl::prelude::*;

/// Comment in the generated source where the kernel waits for the launches before it.
pub const GRID_DEPENDENCY_WAIT: &str = "grid dependency wait";
/// Format string of a print statement that is a prefetch: an array, its first element, and a number of bytes.
pub const PREFETCH: &str = "prefetch";

/// Prefetches `bytes` bytes of an array from element `first` on into the L2 cache. Earlier launches may still
/// write there: L2 is coherent, and nothing is read into registers.
///
/// For devices whose library says [`has_dependent_launches`](crate::Library::has_dependent_launches).
pub fn prefetch(
    scope: &mut Scope,
    array: &ManagedVariable,
    first: &NativeExpand<u32>,
    bytes: &NativeExpand<u32>,
) {
    let args = vec![**array, *first.expand, *bytes.expand];
    scope.register(NonSemantic::Print { format_string: PREFETCH.into(), args });
}

/// Waits for the launches before this one; by default a kernel does so where it starts.
pub fn grid_dependency_wait(scope: &mut Scope) {
    scope.register(NonSemantic::Comment { content: GRID_DEPENDENCY_WAIT.into() });
}

/// Returns whether no launch that may still run writes to the memory of `x`, so that a dependent launch may
/// read it before it waits.
pub fn is_untouched(x: &CubeTensor) -> bool {
    x.engine().library().is_some_and(|library| library.is_untouched(x.handle()))
}

/// Returns whether the device has dependent launches.
pub fn is_supported(engine: &dyn Engine) -> bool {
    engine.library().is_some_and(|library| library.has_dependent_launches())
}

//! Shared ownership and counters, also for processors without atomic read-modify-write instructions.
//!
//! There (Cortex-M0+) they are those of `portable-atomic`, and the program chooses what makes them atomic, as
//! by the feature `critical-section` of that crate.

#[cfg(target_has_atomic = "ptr")]
pub use alloc::sync::Arc;
#[cfg(target_has_atomic = "ptr")]
pub use core::sync::atomic::AtomicUsize;
#[cfg(not(target_has_atomic = "ptr"))]
pub use portable_atomic::AtomicUsize;
#[cfg(not(target_has_atomic = "ptr"))]
pub use portable_atomic_util::Arc;

/// Makes a shared trait object: `arc_dyn!(value as dyn Trait)`. Only `alloc`'s `Arc` becomes one by coercion.
#[doc(hidden)]
#[macro_export]
macro_rules! arc_dyn {
    ($value:ident as $object:ty) => {{
        #[cfg(target_has_atomic = "ptr")]
        let shared: $crate::sync::Arc<$object> = $crate::sync::Arc::new($value);
        #[cfg(not(target_has_atomic = "ptr"))]
        let shared: $crate::sync::Arc<$object> = {
            let boxed: alloc::boxed::Box<$object> = alloc::boxed::Box::new($value);
            boxed.into()
        };
        shared
    }};
}

//! Pauses of recording: inside of a checkpointed segment that runs for its results alone.
//!
//! A level is a backend: in `Autodiff<Autodiff<B>>`, a segment of the outer one does not pause the inner one.

#[cfg(not(feature = "std"))]
pub use nowhere::inside;
#[cfg(feature = "std")]
pub use threads::{Pause, inside, is_inside};

#[cfg(feature = "std")]
mod threads {
    use crate::{Node, NodeRef};
    use alloc::sync::Arc;
    use alloc::vec::Vec;
    use core::any::TypeId;
    use core::cell::RefCell;

    thread_local! {
        /// Levels, the innermost segment last: paused ones with the node that represents their results.
        static LEVELS: RefCell<Vec<(TypeId, NodeRef)>> = const { RefCell::new(Vec::new()) };
    }

    /// Guard that pauses recording around `B`, or resumes it, until it is dropped.
    pub struct Pause;

    impl Pause {
        /// Represents all tracked results by `node` from now on, without recording calls.
        pub fn start<B: 'static>(node: Arc<Node>) -> Self {
            Self::set::<B>(Some(node))
        }

        /// Records calls again from now on.
        pub fn lift<B: 'static>() -> Self {
            Self::set::<B>(None)
        }

        /// Sets the node that represents tracked results around `B`; with `None`, calls are recorded.
        pub fn set<B: 'static>(node: NodeRef) -> Self {
            LEVELS.with_borrow_mut(|levels| levels.push((TypeId::of::<B>(), node)));
            Pause
        }
    }

    impl Drop for Pause {
        fn drop(&mut self) {
            let level = LEVELS.with_borrow_mut(Vec::pop);
            drop(level);
        }
    }

    /// Returns the node that represents the results of calls around `B` while they are not recorded.
    #[inline]
    pub fn inside<B: 'static>() -> NodeRef {
        LEVELS.with_borrow(|levels| if levels.is_empty() { None } else { find(levels, TypeId::of::<B>()) })
    }

    #[cold]
    fn find(levels: &[(TypeId, NodeRef)], level: TypeId) -> NodeRef {
        levels.iter().rev().find(|(of, _)| *of == level).and_then(|(_, node)| node.clone())
    }

    /// Returns whether calls around `B` are not recorded.
    pub fn is_inside<B: 'static>() -> bool {
        inside::<B>().is_some()
    }
}

/// Fallback without thread-local storage: segments are recorded like everything else.
#[cfg(not(feature = "std"))]
mod nowhere {
    use crate::NodeRef;

    pub fn inside<B: 'static>() -> NodeRef {
        None
    }
}

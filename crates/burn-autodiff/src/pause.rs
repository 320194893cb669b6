//! Pauses of recording: inside of a checkpointed segment that runs for its results alone.
//!
//! A level is a backend: in `Autodiff<Autodiff<B>>`, a segment of the outer one does not pause the inner one.

#[cfg(not(feature = "std"))]
pub use nowhere::{capture, inside};
#[cfg(feature = "std")]
pub use threads::{Pause, capture, inside, is_inside};

#[cfg(feature = "std")]
mod threads {
    use crate::{Node, NodeRef};
    use alloc::sync::Arc;
    use alloc::vec::Vec;
    use core::any::TypeId;
    use core::cell::RefCell;

    thread_local! {
        /// Levels, the innermost segment last.
        static LEVELS: RefCell<Vec<Level>> = const { RefCell::new(Vec::new()) };
    }

    struct Level {
        backend: TypeId,
        /// Node that represents the results of a paused level.
        inside: NodeRef,
        /// Nodes of operands that were made outside of the segment.
        captured: Vec<Arc<Node>>,
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
            let level = Level { backend: TypeId::of::<B>(), inside: node, captured: Vec::new() };
            LEVELS.with_borrow_mut(|levels| levels.push(level));
            Pause
        }

        /// Ends the pause, and returns the nodes of operands that were made outside of the segment.
        pub fn finish(self) -> Vec<Arc<Node>> {
            LEVELS.with_borrow_mut(|levels| {
                levels.last_mut().map(|level| core::mem::take(&mut level.captured)).unwrap_or_default()
            })
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
    fn find(levels: &[Level], backend: TypeId) -> NodeRef {
        levels.iter().rev().find(|level| level.backend == backend).and_then(|level| level.inside.clone())
    }

    /// Keeps the node of an operand of a call whose result `inside` represents, if it was made outside of the
    /// segment: the segment passes a gradient to it.
    pub fn capture(inside: &Arc<Node>, operand: &NodeRef) {
        let Some(operand) = operand.as_ref().filter(|operand| !Arc::ptr_eq(operand, inside)) else { return };
        LEVELS.with_borrow_mut(|levels| {
            let is_paused =
                |level: &&mut Level| level.inside.as_ref().is_some_and(|x| Arc::ptr_eq(x, inside));
            let Some(level) = levels.iter_mut().find(is_paused) else { return };
            if !level.captured.iter().any(|node| Arc::ptr_eq(node, operand)) {
                level.captured.push(operand.clone());
            }
        });
    }

    /// Returns whether calls around `B` are not recorded.
    pub fn is_inside<B: 'static>() -> bool {
        inside::<B>().is_some()
    }
}

/// Fallback without thread-local storage: segments are recorded like everything else.
#[cfg(not(feature = "std"))]
mod nowhere {
    use crate::{Node, NodeRef};
    use alloc::sync::Arc;

    pub fn inside<B: 'static>() -> NodeRef {
        None
    }

    pub fn capture(_inside: &Arc<Node>, _operand: &NodeRef) {}
}

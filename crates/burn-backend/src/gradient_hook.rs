//! Hook of a thread that gets each gradient as soon as the backward pass has computed it.
//!
//! Data parallel training averages gradients over ranks while the rest of the backward pass runs.

use crate::LeafId;
use crate::dynamic::DynamicTensor;
use alloc::boxed::Box;
use alloc::rc::Rc;
use core::cell::RefCell;
use core::fmt;
use core::marker::PhantomData;
use std::collections::HashSet;

/// Function that gets the gradient of a leaf.
type OnReady = Box<dyn FnMut(LeafId, DynamicTensor)>;

/// Hook of the backward passes of a thread, which are given it by a [`GradientHookScope`]. PyTorch:
/// `torch.Tensor.register_post_accumulate_grad_hook`.
#[derive(Clone)]
pub struct GradientHook {
    leaves: Rc<HashSet<LeafId>>,
    takes: bool,
    on_ready: Rc<RefCell<OnReady>>,
}

impl GradientHook {
    /// Returns a hook that gets the gradients of these leaves, each once in a backward pass, when no further
    /// step of the pass adds to it. A leaf that the pass does not reach is left out.
    pub fn new(
        leaves: impl IntoIterator<Item = LeafId>,
        on_ready: impl FnMut(LeafId, DynamicTensor) + 'static,
    ) -> Self {
        let leaves = Rc::new(leaves.into_iter().collect());
        GradientHook { leaves, takes: false, on_ready: Rc::new(RefCell::new(Box::new(on_ready))) }
    }

    /// Returns this hook as one that takes gradients out of the pass: the gradients that the pass returns are
    /// without them, so a gradient is freed as soon as the hook drops it.
    #[must_use]
    pub fn taking(mut self) -> Self {
        self.takes = true;
        self
    }

    /// Returns whether the gradients that the hook gets are taken out of the pass.
    pub fn takes(&self) -> bool {
        self.takes
    }

    /// Returns whether the hook waits for the gradient of a leaf.
    pub fn wants(&self, leaf: LeafId) -> bool {
        self.leaves.contains(&leaf)
    }

    /// Passes a complete gradient. A backward pass that the hook itself runs gives it nothing.
    pub fn ready(&self, leaf: LeafId, gradient: DynamicTensor) {
        if let Ok(mut on_ready) = self.on_ready.try_borrow_mut() {
            on_ready(leaf, gradient);
        }
    }
}

impl fmt::Debug for GradientHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GradientHook").field("leaves", &self.leaves.len()).finish_non_exhaustive()
    }
}

std::thread_local! {
    static HOOK: RefCell<Option<GradientHook>> = const { RefCell::new(None) };
}

/// Scope of a thread whose backward passes have a hook; it ends when it is dropped.
#[derive(Debug)]
#[must_use]
pub struct GradientHookScope {
    outer: Option<GradientHook>,
    thread: PhantomData<*const ()>,
}

impl GradientHookScope {
    /// Begins a scope.
    pub fn enter(hook: GradientHook) -> Self {
        Self { outer: HOOK.replace(Some(hook)), thread: PhantomData }
    }
}

impl Drop for GradientHookScope {
    fn drop(&mut self) {
        HOOK.set(self.outer.take());
    }
}

/// Returns the hook of the scope that this thread is in.
pub fn current() -> Option<GradientHook> {
    HOOK.with_borrow(Clone::clone)
}

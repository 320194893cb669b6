//! Hook of the gradients of a step, which a run on several ranks sets before it. It is of the thread, because
//! the step is the user's and takes nothing but a batch.

use burn_core::tensor::backend::{GradientHook, GradientHookScope};
use std::cell::Cell;

thread_local! {
    static HOOK: Cell<Option<GradientHook>> = const { Cell::new(None) };
}

/// Gives the next backward pass of this thread a hook, or takes it back.
pub(super) fn request(hook: Option<GradientHook>) {
    HOOK.set(hook);
}

/// Begins the scope of the hook, if there is one.
pub(super) fn enter() -> Option<GradientHookScope> {
    HOOK.take().map(GradientHookScope::enter)
}

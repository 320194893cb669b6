//! Scope of the calls of a thread.

use super::state::State;
use super::{ModuleScope, is_watched, thread};

/// Returns the scope that calls of this thread are in.
pub fn current() -> ModuleScope {
    thread::state().scope
}

/// Announces that this thread reads the parameter with this identifier.
pub fn read_parameter(id: u64) {
    if is_watched() {
        let state = thread::state();
        let scope = ModuleScope::of_parameter(id, state.scope.phase);
        thread::set(State { scope, has_read: true, ..state });
    }
}

/// Puts the next calls of this thread into the module that is so many levels above the one that they are in:
/// a layer that reads the parameters of the layers inside of it does so.
pub fn rise(levels: u8) {
    if is_watched() {
        let state = thread::state();
        thread::set(State { scope: state.scope.risen(levels), ..state });
    }
}

/// Puts the next calls of this thread into an earlier scope, in the phase that the thread is in: the tape
/// does so before the backward step of a call.
pub fn resume(scope: ModuleScope) {
    if is_watched() {
        let state = thread::state();
        let scope = scope.in_phase(state.scope.phase);
        thread::set(State { scope, ..state });
    }
}

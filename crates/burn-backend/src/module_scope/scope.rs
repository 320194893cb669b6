use super::state::State;
use super::{is_watched, parameter_paths, thread};
use alloc::string::String;

/// Module and phase of a call: cheap to copy, and a path only when [`path`](ModuleScope::path) is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ModuleScope {
    /// Identifier of the parameter that was read last.
    parameter: Option<u64>,
    /// Number of modules from the parameter upwards: 1 for the layer that has it, 2 for the module that has
    /// the layer.
    levels: u8,
    pub phase: Phase,
}

/// Part of a training step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    #[default]
    Forward,
    Backward,
    /// Step of an optimizer.
    Update,
}

impl ModuleScope {
    /// Scope of calls that belong to no module.
    pub(super) const fn outside(phase: Phase) -> Self {
        ModuleScope { parameter: None, levels: 0, phase }
    }

    /// Returns the path of the module, such as `encoder.layers.0`, which is empty for the model itself;
    /// `None` outside of modules, and where the path of the parameter is not known.
    pub fn path(&self) -> Option<String> {
        parameter_paths::module(self.parameter?, self.levels)
    }

    /// Returns the scope of a module that holds this one.
    pub(super) fn risen(self, levels: u8) -> Self {
        ModuleScope { levels: self.levels.saturating_add(levels), ..self }
    }
}

/// Returns the scope that calls of this thread are in.
pub fn current() -> ModuleScope {
    thread::state().scope
}

/// Announces that this thread reads the parameter with this identifier.
pub fn read_parameter(id: u64) {
    if is_watched() {
        let state = thread::state();
        let scope = ModuleScope { parameter: Some(id), levels: 1, phase: state.scope.phase };
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
        let scope = ModuleScope { phase: state.scope.phase, ..scope };
        thread::set(State { scope, ..state });
    }
}

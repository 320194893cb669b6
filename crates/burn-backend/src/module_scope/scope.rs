use super::parameter_paths;
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

    /// Scope of the layer that has this parameter.
    pub(super) const fn of_parameter(id: u64, phase: Phase) -> Self {
        ModuleScope { parameter: Some(id), levels: 1, phase }
    }

    /// Returns the path of the module, such as `encoder.layers.0`, which is empty for the model itself;
    /// `None` outside of modules, and where the path of the parameter is not known.
    pub fn path(&self) -> Option<String> {
        parameter_paths::module(self.parameter?, self.levels)
    }

    /// Returns the scope of the same module in another phase.
    pub(super) fn in_phase(self, phase: Phase) -> Self {
        ModuleScope { phase, ..self }
    }

    /// Returns the scope of a module that holds this one.
    pub(super) fn risen(self, levels: u8) -> Self {
        ModuleScope { levels: self.levels.saturating_add(levels), ..self }
    }
}

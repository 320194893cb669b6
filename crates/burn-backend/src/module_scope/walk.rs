use super::{is_watched, parameter_paths};
use alloc::string::String;
use alloc::vec::Vec;

/// Walk over a module that reports to profilers the paths of its parameters. It does nothing without a
/// watcher.
#[derive(Debug)]
pub struct ParameterWalk {
    path: String,
    /// Lengths of the paths of the modules that the walk is in, the outermost first.
    modules: Vec<usize>,
    replace: bool,
}

impl ParameterWalk {
    /// Begins a walk. Paths that are known are replaced if `replace` is set, and stay otherwise.
    pub fn new(replace: bool) -> Self {
        ParameterWalk { path: String::new(), modules: Vec::new(), replace }
    }

    /// Begins the fields of a module.
    pub fn enter_layer(&mut self) {
        // An enum and its variant are one module.
        if is_watched() && self.modules.last() != Some(&self.path.len()) {
            self.modules.push(self.path.len());
        }
    }

    /// Enters a field or an item of a list.
    pub fn enter_module(&mut self, name: &str) {
        if is_watched() {
            if !self.path.is_empty() {
                self.path.push('.');
            }
            self.path.push_str(name);
        }
    }

    /// Leaves the field or item `name`, the last one that was entered.
    pub fn exit_module(&mut self, name: &str) {
        // A watcher may have been added in the middle of a walk.
        let length = self.path.len().saturating_sub(name.len());
        self.path.truncate(length.saturating_sub(1));
        while self.modules.last().is_some_and(|module| *module > self.path.len()) {
            self.modules.pop();
        }
    }

    /// Visits the parameter with this identifier.
    pub fn visit(&self, id: u64) {
        if is_watched() {
            parameter_paths::add(id, &self.path, &self.modules, self.replace);
        }
    }
}

use alloc::string::String;

/// Path of the module that a walk is in, such as `encoder.layers.0`.
#[derive(Debug, Default)]
pub struct ModulePath(String);

impl ModulePath {
    pub fn enter(&mut self, name: &str) {
        if !self.0.is_empty() {
            self.0.push('.');
        }
        self.0.push_str(name);
    }

    /// Leaves the module `name`, the last one that was entered.
    pub fn exit(&mut self, name: &str) {
        let length = self.0.len() - name.len();
        self.0.truncate(length.saturating_sub(1));
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

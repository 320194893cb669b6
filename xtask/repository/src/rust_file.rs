use crate::{Outcome, code, workspace};

/// Rust file of the workspace.
#[derive(Debug)]
pub struct RustFile {
    /// Path from the root of the workspace, with forward slashes.
    pub name: String,
    pub text: String,
    /// The text with comments, strings and character literals blanked.
    pub code: String,
}

impl RustFile {
    /// Returns a file of this text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let (name, text) = (name.into(), text.into());
        RustFile { code: code(&text), name, text }
    }

    /// Returns the code before the unit tests.
    pub fn code_before_tests(&self) -> &str {
        &self.code[..self.code.find("#[cfg(test)]").unwrap_or(self.code.len())]
    }

    /// Returns the number of the line that a byte of the code is in.
    pub fn line_of(&self, at: usize) -> usize {
        self.code[..at].matches('\n').count() + 1
    }

    /// Returns whether a person wrote the file, and not a program.
    pub fn is_written(&self) -> bool {
        !self.name.contains("/generated/") && !self.name.contains("/folded/")
    }

    /// Returns whether the file is a source of a crate that is published.
    pub fn is_published(&self) -> bool {
        self.name.starts_with("crates/") && self.name.contains("/src/")
    }
}

/// Returns the Rust files whose names are wanted, in order.
pub fn rust_files(is_wanted: impl Fn(&str) -> bool) -> Outcome<Vec<RustFile>> {
    let paths = workspace::files(&["rs"]).into_iter().map(|path| (workspace::relative(&path), path));
    let wanted = paths.filter(|(name, _)| is_wanted(name));
    wanted.map(|(name, path)| Ok(RustFile::new(name, workspace::read(path)?))).collect()
}

//! Calls of cargo from a test.

use std::process::Command;

/// The cargo of this test, without what it says of the package `xtask` to the test: build scripts such as
/// that of `ring` run again when these variables differ from those of a call from a shell, and all that
/// depends on them is built again.
pub fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    for name in names.filter(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
        command.env_remove(name);
    }
    command
}

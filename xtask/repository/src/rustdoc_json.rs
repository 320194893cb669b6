//! JSON of rustdoc for some crates, beside the pages that `cargo doc` writes.
//!
//! A stable rustdoc writes JSON only with `RUSTC_BOOTSTRAP` (decision 64). Build scripts that read the
//! variable would run again, and all that depends on them would be built again, so cargo does not see it. It
//! calls the program that called it in place of rustdoc, and that runs rustdoc a second time for these
//! crates.

use crate::Outcome;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// Packages whose documentation names PyTorch.
pub const PACKAGES: [&str; 4] = ["burn-tensor", "burn-nn", "burn-optim", "burn-core"];

/// Variable with the rustdoc in whose place cargo calls this program.
const RUSTDOC: &str = "XTASK_RUSTDOC";

/// Makes `cargo doc` fail on warnings, and write JSON of the crates with tables beside the pages. The `cfg`
/// keeps cargo from taking pages for done that were written without.
///
/// # Errors
/// The path of this program is not known.
pub fn with_json(doc: &mut Command) -> Outcome<&mut Command> {
    let rustdoc = std::env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into());
    let this = std::env::current_exe().map_err(|cause| format!("path of this program: {cause}"))?;
    let flags = "-D warnings --cfg writes_json";
    Ok(doc.env(RUSTDOC, rustdoc).env("RUSTDOC", this).env("RUSTDOCFLAGS", flags))
}

/// Runs rustdoc where cargo called this program in its place.
pub fn stand_in() -> Option<ExitCode> {
    let rustdoc = std::env::var_os(RUSTDOC)?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let run = |command: &mut Command| command.status().is_ok_and(|status| status.success());
    let mut has_passed = run(Command::new(&rustdoc).args(&arguments));
    let name = arguments.windows(2).find(|pair| pair[0] == "--crate-name").and_then(|pair| pair[1].to_str());
    if has_passed && PACKAGES.iter().any(|package| Some(package.replace('-', "_").as_str()) == name) {
        let json = ["-Z", "unstable-options", "--output-format", "json"];
        has_passed = run(Command::new(rustdoc).args(&arguments).args(json).env("RUSTC_BOOTSTRAP", "1"));
    }
    Some(if has_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

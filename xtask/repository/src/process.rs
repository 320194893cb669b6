//! Running other programs, with what is run printed first.

use crate::{Outcome, workspace};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// A call of the same cargo that runs this program, in the root of the workspace.
///
/// It does not see what cargo says of the package of this program to it: build scripts such as that of
/// `ring` run again when these variables differ from those of a call from a shell, and all that depends on
/// them is built again.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    for name in names.filter(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
        command.env_remove(name);
    }
    command.current_dir(workspace::root()).args(arguments);
    command
}

/// Prints the command line, runs it, and fails with it when it fails.
pub fn run(command: &mut Command) -> Outcome {
    let line = announce(command);
    let status = command.status().map_err(|cause| format!("cannot run `{line}`: {cause}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed ({status})")) }
}

/// Like [`run`], and hands each line of the output to `see` after printing it.
pub fn run_seeing(command: &mut Command, mut see: impl FnMut(&str)) -> Outcome {
    let line = announce(command);
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|cause| format!("cannot run `{line}`: {cause}"))?;
    let stdout = child.stdout.take().expect("stdout is piped");
    for text in BufReader::new(stdout).lines() {
        let text = text.map_err(|cause| format!("cannot read what `{line}` prints: {cause}"))?;
        println!("{text}");
        see(&text);
    }
    let status = child.wait().map_err(|cause| format!("cannot wait for `{line}`: {cause}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed ({status})")) }
}

/// Runs without printing and returns what the command writes to its standard output.
pub fn output(command: &mut Command) -> Outcome<String> {
    let line = line_of(command);
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|cause| format!("cannot run `{line}`: {cause}"))?;
    if !output.status.success() {
        return Err(format!("`{line}` failed ({})", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{line}` did not print UTF-8"))
}

/// Whether a program can be started at all.
pub fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

fn announce(command: &Command) -> String {
    let line = line_of(command);
    println!("\n$ {line}");
    line
}

fn line_of(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let mut words = vec![program.file_stem().unwrap_or_default().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}

//! The list of expected failures: a line `kind/name: reason` for each.

use crate::arguments::Arguments;
use crate::case::{Case, Status};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

fn read(path: &Path) -> Result<BTreeMap<String, String>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entries = lines.map(|line| match line.split_once(": ") {
        Some((name, reason)) => Ok((name.to_string(), reason.to_string())),
        None => Err(format!("{}: `{line}` has no reason", path.display())),
    });
    entries.collect()
}

/// Compares outcomes with the list.
pub fn judge(arguments: &Arguments, outcomes: &[(Case, Status)]) -> ExitCode {
    let known = if arguments.exports { Ok(BTreeMap::new()) } else { read(&arguments.failures) };
    let expected = match known {
        Ok(expected) => expected,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let mut wrong = 0;
    for (case, status) in outcomes {
        match (status, expected.get(&case.name)) {
            (Status::Failed(reason), None) => {
                println!("unexpected failure of {}: {}", case.name, first_line(reason));
                wrong += 1;
            }
            (Status::Passed(_), Some(_)) => {
                println!("{} passes: remove it from {}", case.name, arguments.failures.display());
                wrong += 1;
            }
            (Status::Failed(_), Some(_)) | (Status::Passed(_), None) => {}
        }
    }
    if wrong == 0 {
        println!("every outcome is expected");
        ExitCode::SUCCESS
    } else {
        println!("{wrong} outcomes are not expected");
        ExitCode::FAILURE
    }
}

/// Writes the list of what failed, with the reasons that were there before.
pub fn write(path: &Path, outcomes: &[(Case, Status)]) -> ExitCode {
    let before = read(path).unwrap_or_default();
    let mut text = String::from(
        "# Official test cases of ONNX that fail, with the reason. `cargo xtask onnx` compares.\n",
    );
    for (case, status) in outcomes {
        if let Status::Failed(found) = status {
            let reason = before.get(&case.name).cloned().unwrap_or_else(|| first_line(found));
            text.push_str(&format!("{}: {reason}\n", case.name));
        }
    }
    match burn_io::write_atomic(path, &mut |file: &mut dyn Write| file.write_all(text.as_bytes())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::from(2)
        }
    }
}

fn first_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).take(2).collect();
    lines.join(" ").chars().take(240).collect()
}

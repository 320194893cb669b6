//! Runs the official test cases of ONNX and compares the outcome with a list of expected failures.
//!
//! `cargo xtask onnx` finds the data and calls this program: `node_tests DATA FAILURES [--only TEXT] [--kinds
//! node,simple] [--fusion] [--recorded] [--write] [--exports]`. A case that fails and is not in the list, and
//! one that passes and is, make it fail.

mod arguments;
mod case;
mod compare;
mod failures;
mod report;

use arguments::Arguments;
use case::{Case, Status};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::read(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    // A case that panics is reported with its message, without the line of the panic.
    std::panic::set_hook(Box::new(|_| {}));
    let cases = match case::find(&arguments) {
        Ok(cases) => cases,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let outcomes: Vec<(Case, Status)> = cases
        .into_iter()
        .map(|case| {
            let status = case.run(&arguments);
            (case, status)
        })
        .collect();
    if arguments.exports {
        report::differences(&outcomes);
        return failures::judge(&arguments, &outcomes);
    }
    report::table(&outcomes);
    if arguments.write {
        return failures::write(&arguments.failures, &outcomes);
    }
    failures::judge(&arguments, &outcomes)
}

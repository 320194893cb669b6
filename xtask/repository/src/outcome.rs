use std::process::ExitCode;

/// Result of a command; the error is printed as the reason of the failure.
pub type Outcome<T = ()> = Result<T, String>;

/// Findings of one rule, each with a file and a reason.
pub type Findings = Outcome<Vec<String>>;

/// Prints what each rule finds, by the name of the rule.
///
/// # Errors
/// A rule is broken, or cannot read what it looks at.
pub fn report<'a>(rules: impl IntoIterator<Item = (&'a str, Findings)>) -> Outcome {
    let mut broken = 0;
    for (name, findings) in rules {
        let findings = findings?;
        println!("{name}: {}", if findings.is_empty() { "ok" } else { "BROKEN" });
        findings.iter().for_each(|finding| println!("  {finding}"));
        broken += findings.len();
    }
    if broken == 0 { Ok(()) } else { Err(format!("the rules are broken in {broken} places")) }
}

/// Prints the reason of a failure, and returns the exit code of the program.
pub fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

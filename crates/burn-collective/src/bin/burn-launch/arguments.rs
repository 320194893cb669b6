use std::ffi::OsString;
use std::time::Duration;

pub const USAGE: &str = "\
usage: burn-launch -n COUNT [OPTIONS] PROGRAM [ARGUMENTS]

  -n, --processes COUNT   number of processes, 1 to 1024
      --mpi               start them by `mpirun`, as ranks of an MPI library
      --master-port PORT  port that MASTER_PORT names; a free one by default
      --grace SECONDS     time between SIGTERM and SIGKILL when processes are ended, 5 by default";

/// Most processes of one host.
const MAX_PROCESSES: usize = 1024;

/// Program to start, with its arguments.
#[derive(Debug, PartialEq)]
pub struct Launch {
    pub processes: usize,
    pub mpi: bool,
    pub master_port: Option<u16>,
    pub grace: Duration,
    pub program: OsString,
    pub arguments: Vec<OsString>,
}

#[derive(Debug, PartialEq)]
pub enum Parsed {
    Help,
    Launch(Launch),
}

fn value(option: &str, expected: &str, found: Option<OsString>) -> Result<String, String> {
    let found = found.ok_or_else(|| format!("{option}: no value; expected {expected}"))?;
    found.into_string().map_err(|found| format!("{option}: expected {expected}, got {}", found.display()))
}

fn parsed<T: std::str::FromStr>(
    option: &str,
    expected: &str,
    found: Option<OsString>,
    is_right: impl Fn(&T) -> bool,
) -> Result<T, String> {
    let text = value(option, expected, found)?;
    let number = text.parse().ok().filter(is_right);
    number.ok_or_else(|| format!("{option}: expected {expected}, got {text:?}"))
}

/// Reads the arguments. Those after the program are the program's.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Parsed, String> {
    let mut rest = arguments.into_iter();
    let (mut processes, mut mpi, mut master_port, mut grace) = (None, false, None, Duration::from_secs(5));
    let program = loop {
        let argument =
            rest.next().ok_or_else(|| format!("no program; expected one after the options\n\n{USAGE}"))?;
        match argument.to_str() {
            Some("-h" | "--help") => return Ok(Parsed::Help),
            Some(option @ ("-n" | "--processes" | "--nproc-per-node" | "--nproc_per_node")) => {
                let expected = format!("1 to {MAX_PROCESSES} processes");
                let count =
                    parsed(option, &expected, rest.next(), |count| (1..=MAX_PROCESSES).contains(count))?;
                processes = Some(count);
            }
            Some("--mpi") => mpi = true,
            Some(option @ ("--master-port" | "--master_port")) => {
                master_port = Some(parsed(option, "a port from 1 to 65535", rest.next(), |port| *port != 0)?);
            }
            Some(option @ "--grace") => {
                let is_right = |seconds: &f64| (0.0..=86400.0).contains(seconds);
                grace = Duration::from_secs_f64(parsed(option, "0 to 86400 seconds", rest.next(), is_right)?);
            }
            Some(option) if option.starts_with('-') => {
                return Err(format!(
                    "unknown option {option}; expected a program or one of these\n\n{USAGE}"
                ));
            }
            Some(_) | None => break argument,
        }
    };
    let processes = processes.ok_or_else(|| format!("-n: no number of processes\n\n{USAGE}"))?;
    Ok(Parsed::Launch(Launch { processes, mpi, master_port, grace, program, arguments: rest.collect() }))
}

#[cfg(test)]
mod tests {
    use super::{Launch, Parsed, parse};
    use std::time::Duration;

    fn of(line: &str) -> Result<Parsed, String> {
        parse(line.split_whitespace().map(Into::into))
    }

    #[test]
    fn arguments_after_the_program_are_its_own() {
        let expected = Launch {
            processes: 4,
            mpi: true,
            master_port: Some(29500),
            grace: Duration::from_millis(500),
            program: "train".into(),
            arguments: ["-n", "7", "--mpi"].map(Into::into).to_vec(),
        };
        let line = "-n 4 --grace 0.5 --mpi --master-port 29500 train -n 7 --mpi";
        assert_eq!(of(line), Ok(Parsed::Launch(expected)));
        assert_eq!(of("--help"), Ok(Parsed::Help));
    }

    #[test]
    fn wrong_arguments_name_the_option_and_what_is_expected() {
        let errors = [
            ("train", "-n: no number of processes"),
            ("-n 0 train", "-n: expected 1 to 1024 processes, got \"0\""),
            ("-n four train", "-n: expected 1 to 1024 processes, got \"four\""),
            ("-n", "-n: no value; expected 1 to 1024 processes"),
            ("-n 2", "no program; expected one after the options"),
            (
                "-n 2 --master-port 70000 train",
                "--master-port: expected a port from 1 to 65535, got \"70000\"",
            ),
            ("-n 2 --grace -1 train", "--grace: expected 0 to 86400 seconds, got \"-1\""),
            ("-n 2 --gpus 3 train", "unknown option --gpus"),
        ];
        for (line, expected) in errors {
            let error = of(line).unwrap_err();
            assert!(error.starts_with(expected), "{line}: {error}");
        }
    }
}

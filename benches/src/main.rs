//! Measures workloads of this project in turns with what PyTorch and candle make of the same work.
//!
//! `cargo xtask bench` runs this program; it prints one table and writes the figures as JSON.

mod allocations;
mod clock;
mod options;
mod report;
mod torch;
mod workload;
mod workloads;

use options::Options;
use report::Report;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("bench: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let options = Options::parse(std::env::args().skip(1))?;
    let torch = options.python.as_ref().map(|python| torch::Torch::start(python)).transpose()?;
    let mut report = Report::default();
    for workload in workloads::all(&options, torch.as_ref()) {
        eprintln!("measuring {} ...", workload.name);
        report.add(workload.measure(options.rounds)?);
    }
    let earlier = options.compare.as_deref().map(Report::read).transpose()?;
    print!("{}", report.table(earlier.as_ref()));
    if let Some(path) = &options.out {
        report.write(path)?;
        println!("\nwritten to {}", path.display());
    }
    let slower =
        earlier.zip(options.tolerance).map(|(earlier, tolerance)| report.slower(&earlier, tolerance));
    match slower.filter(|slower| !slower.is_empty()) {
        Some(slower) => Err(format!("slower than before: {}", slower.join(", "))),
        None => Ok(()),
    }
}

//! Measures workloads of this project in turns with what PyTorch, candle and onnxruntime make of the same
//! work.
//!
//! `cargo xtask bench` runs this program; it prints one table and writes the figures as JSON.

mod allocations;
mod candle;
mod clock;
mod memory;
mod options;
mod report;
mod torch;
mod workload;
mod workloads;

use options::Options;
use report::Report;
use std::path::{Path, PathBuf};
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
    if let Some(workload) = &options.memory {
        return memory::print_peak(workload);
    }
    let report = if options.show.is_empty() { measure(&options)? } else { read(&options.show)? };
    let earlier = options.compare.as_deref().map(Report::read).transpose()?;
    print!("{}", report.table(earlier.as_ref()));
    if let Some(path) = &options.out {
        report.write(path)?;
        println!("\nwritten to {}", path.display());
    }
    if let Some(path) = &options.page {
        report.write_page(path)?;
    }
    let slower =
        earlier.zip(options.tolerance).map(|(earlier, tolerance)| report.slower(&earlier, tolerance));
    match slower.filter(|slower| !slower.is_empty()) {
        Some(slower) => Err(format!("slower than before: {}", slower.join(", "))),
        None => Ok(()),
    }
}

fn measure(options: &Options) -> Result<Report, String> {
    let torch = options.python.as_ref().map(|python| torch::Torch::start(python)).transpose()?;
    let onnxruntime = options.onnxruntime.as_ref();
    let onnxruntime = onnxruntime
        .map(|python| torch::Torch::start_script(python, "onnxruntime/baseline.py"))
        .transpose()?;
    if let Some(folder) = &options.onnx {
        return measure_folder(folder, options, onnxruntime.as_ref());
    }
    let mut report = Report::default();
    for mut workload in workloads::all().into_iter().filter(|workload| options.wants(workload.name)) {
        // Exported models are there once a script has made them, and are measured beside what runs them too.
        if workload.is_model() && onnxruntime.is_none() {
            continue;
        }
        eprintln!("measuring {} ...", workload.name);
        if let Some(torch) = &torch {
            workload = workload.against_torch(torch);
        }
        if let Some(process) = &onnxruntime {
            workload = workload.against_onnxruntime(process);
        }
        if options.candle {
            workload = workload.against_candle();
        }
        if options.libtorch {
            workload = workload.against_libtorch();
        }
        report.add(workload.measure(options.rounds)?);
    }
    Ok(report)
}

/// Measures the models of a folder. One that cannot be run, or gives other outputs than onnxruntime, is named
/// when the others are done.
fn measure_folder(
    folder: &Path,
    options: &Options,
    onnxruntime: Option<&torch::Torch>,
) -> Result<Report, String> {
    let (mut report, mut failed) = (Report::default(), Vec::new());
    for workload in workloads::of_folder(folder)?.into_iter().filter(|workload| options.wants(workload.name))
    {
        eprintln!("measuring {} ...", workload.name);
        let name = workload.name;
        let workload = match onnxruntime {
            Some(process) => workload.against_onnxruntime(process),
            None => workload,
        };
        match workload.measure(options.rounds) {
            Ok(measured) => report.add(measured),
            Err(reason) => failed.push(format!("\n  {name}: {reason}")),
        }
    }
    if failed.is_empty() {
        return Ok(report);
    }
    print!("{}", report.table(None));
    Err(format!("models that failed:{}", failed.concat()))
}

fn read(paths: &[PathBuf]) -> Result<Report, String> {
    let mut report = Report::default();
    for path in paths {
        report.join(Report::read(path)?);
    }
    Ok(report)
}

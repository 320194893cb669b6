//! Damaged and hostile files for every reader, or for those whose names begin with the last argument, for
//! some minutes: `cargo xtask fuzz --files [--reader NAME]`.

#[path = "../tests/suite/files/mod.rs"]
mod files;

use burn_conformance::fuzz::Random;
use files::{Files, Outcome};
use fuzz_run::{CountingAllocator, FuzzRun, peak};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    let run = FuzzRun::start();
    let Some(files) = Files::new(run.seed, &run.choice) else {
        eprintln!("no reader is called {}", run.choice);
        return ExitCode::FAILURE;
    };
    // A panic that is caught is reported with the file.
    std::panic::set_hook(Box::new(|_| {}));
    let mut random = Random::new(run.seed);
    // Loaded and refused files by reader.
    let readers = files.readers();
    let mut counts = vec![[0_u64; 2]; readers.len()];
    let (mut failures, mut most) = (0, 0);
    while run.goes_on(failures) {
        let memory = std::cell::Cell::new(0);
        let (reader, outcome) = files.run(&mut random, &|load| {
            memory.set(peak(load));
            memory.get()
        });
        most = most.max(memory.get());
        match outcome {
            Ok(Outcome::Loaded) => counts[reader][0] += 1,
            Ok(Outcome::Refused) => counts[reader][1] += 1,
            Err(error) => {
                failures += 1;
                println!("{error}");
            }
        }
    }
    for (reader, [loaded, refused]) in readers.iter().zip(&counts) {
        println!("| {reader} | {loaded} | {refused} |");
    }
    let [loaded, refused] = [0, 1].map(|kind| counts.iter().map(|count| count[kind]).sum::<u64>());
    println!(
        "{loaded} files loaded, {refused} refused, {failures} went wrong; at most {most} bytes of memory"
    );
    FuzzRun::exit_code(failures)
}

//! Configs of layers with random, mostly wrong values for some minutes: `cargo xtask fuzz --configs`.

#[path = "../tests/configs/registry.rs"]
mod registry;
#[path = "../tests/configs/sweep.rs"]
mod sweep;
#[path = "../tests/configs/values.rs"]
mod values;

use fuzz_run::{CountingAllocator, FuzzRun, thread_peak};
use std::process::ExitCode;
use sweep::{Outcome, Random, check};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    let run = FuzzRun::start();
    // A panic that is caught is reported with the config.
    std::panic::set_hook(Box::new(|_| {}));
    let (entries, mut random) = (registry::registry(), Random(run.seed));
    let (mut created, mut refused, mut failures) = (0, 0, 0);
    let mut count = |name: &str, config: String, init: &dyn Fn() -> _| {
        match check(name, &config, init, &thread_peak) {
            Ok(Outcome::Created) => created += 1,
            Ok(Outcome::Refused) => refused += 1,
            Err(error) => {
                failures += 1;
                println!("{error}");
            }
        }
        failures
    };
    let mut wrong = 0;
    for entry in &entries {
        (entry.all)(&mut |config, init| wrong = count(entry.name, config, init));
    }
    while run.goes_on(wrong) {
        let entry = &entries[random.below(entries.len())];
        (entry.random)(&mut random, &mut |config, init| wrong = count(entry.name, config, init));
    }
    println!("{created} layers created, {refused} configs refused, {failures} went wrong");
    FuzzRun::exit_code(failures)
}

//! Configs of layers with random, mostly wrong values for some minutes: `cargo xtask fuzz --configs`.

#[path = "../tests/configs/allocation.rs"]
mod allocation;
#[path = "../tests/configs/registry.rs"]
mod registry;
#[path = "../tests/configs/sweep.rs"]
mod sweep;
#[path = "../tests/configs/values.rs"]
mod values;

use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use sweep::{Outcome, Random, check};

/// Failures after which it gives up.
const MOST: usize = 40;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let minutes: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10.0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(now);
    println!("seed {seed}, {minutes} minutes");
    // A panic that is caught is reported with the config.
    std::panic::set_hook(Box::new(|_| {}));
    let (entries, mut random) = (registry::registry(), Random(seed));
    let end = Instant::now() + Duration::from_secs_f64(60.0 * minutes);
    let (mut created, mut refused, mut failures) = (0, 0, 0);
    let mut count = |name: &str, config: String, init: &dyn Fn() -> _| {
        match check(name, &config, init, &allocation::peak) {
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
    while Instant::now() < end && wrong < MOST {
        let entry = &entries[random.below(entries.len())];
        (entry.random)(&mut random, &mut |config, init| wrong = count(entry.name, config, init));
    }
    println!("{created} layers created, {refused} configs refused, {failures} went wrong");
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

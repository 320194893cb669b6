//! Nodes of every ONNX operator with hostile inputs and attributes for some minutes: `cargo xtask fuzz --onnx`.

#[path = "../../burn-nn/tests/configs/allocation.rs"]
mod allocation;
#[path = "../tests/suite/hostile/attributes.rs"]
mod attributes;
#[path = "../tests/suite/hostile/random.rs"]
mod random;
#[path = "../tests/suite/hostile/single_node.rs"]
mod single_node;
#[path = "../tests/suite/hostile/values.rs"]
mod values;

use burn_onnx::operators::OPERATORS;
use random::Random;
use single_node::{Outcome, check};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Failures after which it gives up.
const MOST: usize = 40;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let minutes: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10.0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(now);
    println!("seed {seed}, {minutes} minutes");
    single_node::note_panics();
    let mut random = Random::new(seed);
    let end = Instant::now() + Duration::from_secs_f64(60.0 * minutes);
    let (mut ran, mut refused, mut failures) = (0, 0, 0);
    while Instant::now() < end && failures < MOST {
        let operator = &OPERATORS[random.below(OPERATORS.len())];
        match check(&mut random, operator, &allocation::peak) {
            Ok(Outcome::Ran) => ran += 1,
            Ok(Outcome::Refused) => refused += 1,
            Err(error) => {
                failures += 1;
                println!("{error}");
            }
        }
    }
    println!("{ran} nodes ran, {refused} were refused, {failures} went wrong");
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

//! Nodes of every ONNX operator with hostile inputs and attributes for some minutes: `cargo xtask fuzz
//! --onnx`.

#[path = "../../burn-nn/tests/configs/allocation.rs"]
mod allocation;
#[path = "../tests/suite/hostile/attributes.rs"]
mod attributes;
#[path = "../tests/suite/hostile/fixtures.rs"]
mod fixtures;
#[path = "../tests/suite/hostile/random.rs"]
mod random;
#[path = "../tests/suite/hostile/single_node.rs"]
mod single_node;
#[path = "../tests/suite/hostile/values.rs"]
mod values;

use burn_onnx::operators::OPERATORS;
use random::Random;
use single_node::{Outcome, check, check_operator, limits};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Failures after which it gives up.
const MOST: usize = 40;

/// Time of a node, recorded and run, on a machine that does something else too.
const MOST_TIME: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let minutes: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10.0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(now);
    println!("seed {seed}, {minutes} minutes");
    single_node::note_panics();
    let (mut random, models) = (Random::new(seed), fixtures::fixtures(&limits()));
    let end = Instant::now() + Duration::from_secs_f64(60.0 * minutes);
    let (mut ran, mut refused, mut failures) = (0, 0, 0);
    while Instant::now() < end && failures < MOST {
        let start = Instant::now();
        let outcome = if random.chance(50) {
            let operator = &OPERATORS[random.below(OPERATORS.len())];
            check_operator(&mut random, operator, &allocation::peak)
        } else {
            let fixture = &models[random.below(models.len())];
            let (model, values) = fixtures::changed(&mut random, fixture);
            check(model, values, &allocation::peak)
        };
        if start.elapsed() > MOST_TIME {
            failures += 1;
            println!("a node took {:?}; repeat it with the seed", start.elapsed());
        }
        match outcome {
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

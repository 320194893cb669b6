//! Nodes of every ONNX operator with hostile inputs and attributes for some minutes: `cargo xtask fuzz
//! --onnx`.

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
use fuzz_run::{CountingAllocator, FuzzRun, thread_peak};
use random::Random;
use single_node::{Outcome, check, check_operator, limits};
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Time of a node, recorded and run, on a machine that does something else too.
const MOST_TIME: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let run = FuzzRun::start();
    single_node::note_panics();
    let (mut random, models) = (Random::new(run.seed), fixtures::fixtures(&limits()));
    let (mut ran, mut refused, mut failures) = (0, 0, 0);
    while run.goes_on(failures) {
        let start = Instant::now();
        let outcome = if random.chance(50) {
            let operator = &OPERATORS[random.below(OPERATORS.len())];
            check_operator(&mut random, operator, &thread_peak)
        } else {
            let fixture = &models[random.below(models.len())];
            let (model, values) = fixtures::changed(&mut random, fixture);
            check(model, values, &thread_peak)
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
    FuzzRun::exit_code(failures)
}

//! Every operator with inputs and attributes that do not fit: an error or a result, never a panic.

mod attributes;
mod fixtures;
mod random;
mod single_node;
mod values;

use burn_onnx::operators::OPERATORS;
use random::Random;
use single_node::{Outcome, check, check_operator, limits};
use std::collections::BTreeSet;

/// Memory is counted by `cargo xtask fuzz --onnx`.
fn run(call: &mut dyn FnMut()) -> usize {
    call();
    0
}

#[test]
fn no_operator_panics_on_hostile_inputs_and_attributes() {
    single_node::note_panics();
    let mut failures = BTreeSet::new();
    let mut idle: Vec<&str> = Vec::new();
    for (place, operator) in OPERATORS.iter().enumerate() {
        let (mut random, mut ran) = (Random::new(place as u64 + 1), 0);
        for _ in 0..150 {
            match check_operator(&mut random, operator, &run) {
                Ok(Outcome::Ran) => ran += 1,
                Ok(Outcome::Refused) => {}
                Err(error) => drop(failures.insert(error)),
            }
        }
        if ran == 0 {
            idle.push(operator.name);
        }
    }
    let failures: Vec<String> = failures.into_iter().collect();
    assert!(failures.is_empty(), "{} went wrong:\n{}", failures.len(), failures.join("\n"));
    // The inputs fit most operators by chance; where they never do, only checks of inputs would be tested.
    assert!(idle.len() < OPERATORS.len() / 4, "never ran: {idle:?}");
}

#[test]
fn models_that_run_do_not_panic_when_they_are_changed() {
    single_node::note_panics();
    let (mut random, mut failures, mut ran) = (Random::new(7), BTreeSet::new(), 0);
    let fixtures = fixtures::fixtures(&limits());
    for fixture in &fixtures {
        for _ in 0..100 {
            let (model, values) = fixtures::changed(&mut random, fixture);
            match check(model, values, &run) {
                Ok(Outcome::Ran) => ran += 1,
                Ok(Outcome::Refused) => {}
                Err(error) => drop(failures.insert(error)),
            }
        }
    }
    let failures: Vec<String> = failures.into_iter().collect();
    assert!(failures.is_empty(), "{} went wrong:\n{}", failures.len(), failures.join("\n"));
    assert!(ran > 10 * fixtures.len(), "only {ran} ran");
}

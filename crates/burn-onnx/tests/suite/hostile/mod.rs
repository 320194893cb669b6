//! Every operator with inputs and attributes that do not fit: an error or a result, never a panic.

mod attributes;
mod random;
mod single_node;
mod values;

use burn_onnx::operators::OPERATORS;
use random::Random;
use single_node::{Outcome, check};
use std::collections::BTreeSet;

#[test]
fn no_operator_panics_on_hostile_inputs_and_attributes() {
    single_node::note_panics();
    let mut failures = BTreeSet::new();
    let mut idle: Vec<&str> = Vec::new();
    for (place, operator) in OPERATORS.iter().enumerate() {
        let (mut random, mut ran) = (Random::new(place as u64 + 1), 0);
        for _ in 0..150 {
            let run = |call: &mut dyn FnMut()| {
                call();
                0
            };
            match check(&mut random, operator, &run) {
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

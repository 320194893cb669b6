//! The vocabulary keeps to what the generator relies on.

use burn_onnx::calls::all;
use std::collections::HashSet;

fn words(source: &str) -> Vec<&str> {
    source
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .collect()
}

#[test]
fn every_parameter_stands_once_in_the_source_of_its_call() {
    for call in all() {
        for parameter in call.parameters {
            let count = words(call.source).iter().filter(|word| *word == parameter).count();
            assert_eq!(count, 1, "`{parameter}` in `{}`: {}", call.name, call.source);
        }
    }
}

#[test]
fn calls_have_names_of_their_own() {
    let mut names = HashSet::new();
    for call in all() {
        assert!(names.insert(call.name), "{} is declared twice", call.name);
    }
}

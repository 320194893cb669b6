//! Optimizers, averages, gradient scaling and schedules agree with PyTorch, and where it has none with the
//! formulas of the papers in float64 (`scripts/parity/optimizer.py`).

mod lbfgs;
mod problem;
mod rules;
mod scheduler;
mod state;

use problem::{Parameters, Problem};
use serde_json::Value;

/// Whether a case agrees, or what differs.
type Outcome = Result<(), String>;

fn lines(kind: &str) -> Vec<Value> {
    let text = include_str!("fixtures.jsonl");
    let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let found: Vec<Value> = all.filter(|line| line["kind"] == kind).collect();
    assert!(!found.is_empty(), "no cases of {kind}");
    found
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list of numbers").iter().map(|number| number.as_f64().unwrap()).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Compares relatively to the expected value, and absolutely where it is below 1.
fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) -> Outcome {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (x, y)) in found.iter().zip(expected).enumerate() {
        if (x - y).abs() > tolerance * y.abs().max(1.0) || x.is_nan() {
            return Err(format!("{what}[{index}]: {x}, expected {y}"));
        }
    }
    Ok(())
}

/// A name of a backend, and how a case runs on it.
type Run<'a> = (&'a str, &'a dyn Fn(&Value) -> Outcome);

/// Runs every case of a kind and lists those that differ.
#[track_caller]
fn sweep(kind: &str, runs: &[Run<'_>]) {
    let cases = lines(kind);
    let mut failures = Vec::new();
    for case in &cases {
        for (backend, run) in runs {
            failures.extend(run(case).err().map(|error| format!("{} on {backend}: {error}", case["name"])));
        }
    }
    let (count, list) = (failures.len(), failures.join("\n"));
    assert!(failures.is_empty(), "{count} failures in {} cases\n{list}", cases.len());
}

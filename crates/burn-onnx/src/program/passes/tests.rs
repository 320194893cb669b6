//! Calls of exported models after the optimization passes.

use crate::builder::Statement;
use crate::graph::Model;
use crate::program::Program;
use std::path::Path;

/// Names of the calls of a model after all passes.
fn calls(model: &str) -> Vec<&'static str> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exports").join(model);
    let mut program = Program::record(&Model::from_file(folder.join("model.onnx")).unwrap()).unwrap();
    program.optimize();
    let names = program.statements.iter().filter_map(|statement| match statement {
        Statement::Call { definition, .. } => Some(definition.name),
        _ => None,
    });
    names.collect()
}

fn count(calls: &[&str], name: &str) -> usize {
    calls.iter().filter(|call| **call == name).count()
}

#[test]
fn attention_of_two_layers_becomes_two_calls() {
    for exporter in ["torchscript", "dynamo"] {
        for (model, name) in [
            ("bert", "attention_masked"),
            ("gpt2", "attention_masked"),
            ("gpt2_cached", "attention_masked"),
            ("vit", "attention"),
        ] {
            let calls = calls(&format!("{exporter}/{model}"));
            assert_eq!(count(&calls, name), 2, "{exporter}/{model}: {calls:?}");
            assert_eq!(count(&calls, "softmax"), 0, "{exporter}/{model}: {calls:?}");
        }
        let calls = calls(&format!("{exporter}/llama"));
        assert_eq!(count(&calls, "attention_masked"), 1, "{exporter}: {calls:?}");
    }
}

#[test]
fn activations_that_are_taken_apart_become_calls_again() {
    for exporter in ["torchscript", "dynamo"] {
        let of = |model: &str, name: &str| count(&calls(&format!("{exporter}/{model}")), name);
        assert_eq!([of("bert", "gelu"), of("bert", "erf")], [2, 0], "{exporter}");
        assert_eq!(
            [of("gpt2", "gelu_tanh"), of("llama", "silu"), of("llama", "sigmoid")],
            [2, 1, 0],
            "{exporter}"
        );
        assert_eq!(of("efficientnet_b0", "silu"), 49, "{exporter}");
    }
}

#[test]
fn root_mean_square_normalizations_become_calls_again() {
    for exporter in ["torchscript", "dynamo"] {
        let calls = calls(&format!("{exporter}/llama"));
        assert_eq!([count(&calls, "rms_norm"), count(&calls, "mean_dims")], [2, 0], "{exporter}: {calls:?}");
    }
}

#[test]
fn equal_masks_are_made_once() {
    let calls = calls("torchscript/gpt2");
    assert_eq!(count(&calls, "bool_to_float"), 1, "{calls:?}");
}

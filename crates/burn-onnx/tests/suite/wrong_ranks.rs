//! Nodes whose operators indexed dimensions that are not there, or computed sizes that overflow.

use super::small_model::{constant, graph, model, node, run};
use burn_onnx::graph::{Attribute, Model};
use burn_onnx::{Limits, Program};
use burn_tensor::TensorData;
use std::panic::catch_unwind;

fn ones(dims: &[usize]) -> TensorData {
    TensorData::new(vec![1_f32; dims.iter().product()], dims)
}

/// A model of one node whose inputs have these dimensions; an input without a name is missing.
fn of(operator: &str, inputs: &[(&str, TensorData)], attributes: Vec<(&str, Attribute)>) -> Model {
    let names: Vec<&str> = inputs.iter().map(|(name, _)| *name).collect();
    let given = inputs.iter().filter(|(name, _)| !name.is_empty());
    let constants = given.map(|(name, data)| constant(name, data.clone())).collect();
    model(graph(vec![node(operator, &names, &["y"], attributes)], constants, &["y"]), Limits::default())
}

fn cases() -> Vec<(Model, &'static str)> {
    let int = |value: i64| Attribute::Int(value);
    let none = ("", ones(&[1]));
    let heads = || vec![("q_num_heads", int(1)), ("kv_num_heads", int(1))];
    let qkv = || [("q", ones(&[1, 2, 4])), ("k", ones(&[1, 2, 4])), ("v", ones(&[1, 2, 4]))];
    let with = |more: &[(&'static str, TensorData)]| [&qkv()[..], more].concat();
    let positions = ("p", TensorData::from(vec![0_i64, 1]));
    let caches = [("c", ones(&[4, 2])), ("s", ones(&[4, 2]))];
    let region = ("r", TensorData::new(vec![0_f32, 0., 1., 1.], [1, 4]));
    let large = 1_i64 << 40;
    let mut all = vec![
        (of("Attention", &with(&[none.clone(), ("past", ones(&[1, 2]))]), heads()), "rank 3 or more"),
        (
            of(
                "LinearAttention",
                &with(&[none.clone(), none.clone(), ("beta", ones(&[1, 2]))]),
                [heads(), vec![("update_rule", Attribute::Text("delta".into()))]].concat(),
            ),
            "rank 3 or more",
        ),
        (
            of(
                "RotaryEmbedding",
                &[("x", ones(&[1, 1, 2, 4])), caches[0].clone(), caches[1].clone(), positions],
                vec![],
            ),
            "expected positions [batch, length]",
        ),
        (
            of(
                "RoiAlign",
                &[("x", ones(&[1, 1, 2, 2])), region, ("b", TensorData::from(vec![0_i64]))],
                vec![("output_height", int(large)), ("sampling_ratio", int(large))],
            ),
            "a grid of 1099511627776 x 1 bins",
        ),
        (of("DepthToSpace", &[("x", ones(&[1, 4, 2, 2]))], vec![("blocksize", int(large))]), "`blocksize`"),
        (of("SpaceToDepth", &[("x", ones(&[1, 4, 2, 2]))], vec![("blocksize", int(large))]), "`blocksize`"),
        (
            of("ReverseSequence", &[("x", ones(&[])), ("l", TensorData::from(vec![1_i64]))], vec![]),
            "does not exist in rank 0",
        ),
    ];
    let normalized = ["s", "b", "m", "v"].map(|name| (name, ones(&[2])));
    all.push((
        of(
            "BatchNormalization",
            &[&[("x", ones(&[2]))], &normalized[..]].concat(),
            vec![("training_mode", int(1))],
        ),
        "rank 2 or more",
    ));
    all
}

#[test]
fn operators_with_a_wrong_rank_or_a_huge_attribute_are_errors() {
    for (model, expected) in cases() {
        let operator = model.graph.nodes[0].operator.clone();
        let recorded = model.clone();
        let error = catch_unwind(|| Program::record(&recorded).map(drop).unwrap_err().to_string());
        let error = error.unwrap_or_else(|_| panic!("{operator} panics when it is recorded"));
        assert!(error.contains(expected), "{operator}: {error}");
        let error = catch_unwind(|| run(model, Vec::new()).map(drop).unwrap_err().to_string());
        let error = error.unwrap_or_else(|_| panic!("{operator} panics when it runs"));
        assert!(error.contains(expected), "{operator}: {error}");
    }
}

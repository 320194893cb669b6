//! Files that are looser than the format asks for, as exporters write them.

use super::message::{message, model, number};
use super::models::data;
use super::small_model::{graph, info, node, run, tensor};
use burn_ndarray::NdArray;
use burn_onnx::graph::{Attribute, Constant, Dimension, GraphDefinition, Model};
use burn_onnx::{Graph, Limits, OnnxError, Program, RunValue};
use burn_tensor::{DType, TensorData};
use std::sync::Arc;

fn neg(name: &str, input: &str, output: &str) -> Vec<u8> {
    message(&[(1, input.as_bytes()), (2, output.as_bytes()), (3, name.as_bytes()), (4, b"Neg")])
}

/// `y = -x` with an input of these dimensions in the file.
fn negation(dims: &[u64]) -> Model {
    negation_of(dims.iter().flat_map(|&dim| message(&[(1, &number(1, dim))])).collect())
}

fn negation_of(dims: Vec<u8>) -> Model {
    let shape = message(&[(2, &dims)]);
    let tensor_type = message(&[(1, &[number(1, 1), shape].concat())]);
    let input = message(&[(1, b"x"), (2, &tensor_type)]);
    let bytes = model(&message(&[(1, &neg("n", "x", "y")), (11, &input), (12, &message(&[(1, b"y")]))]));
    Model::from_bytes(bytes).unwrap()
}

#[test]
fn a_dimension_of_minus_one_or_zero_is_open_in_both_ways_to_run() {
    let minus_one = u64::MAX;
    for dims in [[minus_one, 3], [0, 3], [2, minus_one], [0, minus_one]] {
        let graph = Graph::new(negation(&dims)).unwrap();
        let x = || vec![RunValue::<NdArray>::Data(TensorData::new([1_f32, 2., 3., 4., 5., 6.], [2, 3]))];
        let expected = [-1.0, -2.0, -3.0, -4.0, -5.0, -6.0];
        for outputs in [
            graph.run::<NdArray>(x(), &Default::default()).unwrap(),
            graph.run_recorded::<NdArray>(x(), &Default::default()).unwrap(),
        ] {
            let [output] = &outputs[..] else { panic!("expected one output, found {outputs:?}") };
            assert_eq!(data(output.clone()).to_f64(), expected, "{dims:?}");
        }
    }
    let wrong = vec![RunValue::<NdArray>::Data(TensorData::new([1_f32; 4], [2, 2]))];
    let error = Graph::new(negation(&[minus_one, 3])).unwrap().run(wrong, &Default::default()).unwrap_err();
    assert!(error.to_string().contains("dimensions [?, 3]"), "{error}");
}

#[test]
fn sizes_that_are_called_question_mark_may_differ() {
    let open = message(&[(1, &message(&[(2, b"?")]))]);
    let graph = Graph::new(negation_of([open.clone(), open].concat())).unwrap();
    let x = vec![RunValue::<NdArray>::Data(TensorData::new([1_f32, 2.], [2, 1]))];
    let outputs = graph.run::<NdArray>(x, &Default::default()).unwrap();
    assert_eq!(data(outputs[0].clone()).to_f64(), [-1.0, -2.0]);
}

#[test]
fn nodes_out_of_order_are_sorted_and_others_keep_their_places() {
    let nodes =
        [neg("last", "c", "y"), neg("aside", "x", "z"), neg("third", "b", "c"), neg("first", "x", "b")];
    let x = [number(1, 2), number(2, 1), message(&[(8, b"x"), (9, &[0, 0, 128, 63, 0, 0, 0, 64])])].concat();
    let outputs = [message(&[(1, b"y")]), message(&[(1, b"z")])];
    let mut bytes: Vec<u8> = nodes.iter().flat_map(|node| message(&[(1, node)])).collect();
    bytes.extend(message(&[(5, &x), (12, &outputs[0]), (12, &outputs[1])]));
    let model = Model::from_bytes(model(&bytes)).unwrap();
    let names: Vec<&str> = model.graph.nodes.iter().map(|node| &node.name[..]).collect();
    assert_eq!(names, ["aside", "first", "third", "last"]);
    let outputs = run(model, Vec::new()).unwrap();
    let outputs: Vec<Vec<f64>> = outputs.into_iter().map(|output| data(output).to_f64()).collect();
    assert_eq!(outputs, [[-1.0, -2.0], [-1.0, -2.0]]);
}

/// A graph in an attribute needs what its nodes take from outside.
#[test]
fn a_node_waits_for_what_its_graphs_take() {
    let inner = message(&[(1, &neg("inner", "late", "z")), (12, &message(&[(1, b"z")]))]);
    let branch = |name: &[u8]| [message(&[(1, name), (6, &inner)]), number(20, 5)].concat();
    let (then, otherwise) = (branch(b"then_branch"), branch(b"else_branch"));
    let choice = message(&[(1, b"c"), (2, b"y"), (3, b"choice"), (4, b"If"), (5, &then), (5, &otherwise)]);
    let condition = [number(2, 9), message(&[(8, b"c"), (9, &[1])])].concat();
    let x = [number(1, 1), number(2, 1), message(&[(8, b"x"), (9, &[0, 0, 128, 63])])].concat();
    let fields: [(u64, &[u8]); 5] = [
        (1, &choice),
        (1, &neg("giver", "x", "late")),
        (5, &condition),
        (5, &x),
        (12, &message(&[(1, b"y")])),
    ];
    let model = Model::from_bytes(model(&message(&fields))).unwrap();
    let names: Vec<&str> = model.graph.nodes.iter().map(|node| &node.name[..]).collect();
    assert_eq!(names, ["giver", "choice"]);
    let outputs = run(model, Vec::new()).unwrap();
    assert_eq!(data(outputs[0].clone()).to_f64(), [1.0]);
}

#[test]
fn a_cycle_is_an_error_that_names_its_nodes_alone() {
    let nodes = [
        neg("before", "x", "p"),
        neg("one", "c", "a"),
        neg("two", "a", "b"),
        neg("three", "b", "c"),
        neg("after", "c", "y"),
    ];
    let mut bytes: Vec<u8> = nodes.iter().flat_map(|node| message(&[(1, node)])).collect();
    bytes.extend(message(&[(12, &message(&[(1, b"y")]))]));
    let error = Model::from_bytes(model(&bytes)).unwrap_err();
    assert!(matches!(error, OnnxError::Malformed { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("need each other in a cycle"), "{text}");
    for (name, is_named) in
        [("one", true), ("two", true), ("three", true), ("before", false), ("after", false)]
    {
        assert_eq!(text.contains(&format!("`{name}`")), is_named, "{text}");
    }
}

#[test]
fn branches_of_different_rank_are_an_error_of_one_line_with_both_ranks() {
    let of = |rank: usize| {
        let value =
            Constant { name: "v".into(), data: Arc::new(TensorData::new(vec![1_f32], vec![1; rank])) };
        Attribute::Graph(Arc::new(graph(vec![], vec![value], &["v"])))
    };
    let choice = node("If", &["c"], &["y"], vec![("then_branch", of(1)), ("else_branch", of(3))]);
    let graph = GraphDefinition {
        inputs: vec![tensor("c", DType::Bool, &[Dimension::Known(1)])],
        outputs: vec![info("y")],
        ..graph(vec![choice], vec![], &[])
    };
    let model = super::small_model::model(graph, Limits::default());
    let text = Program::record(&model).unwrap_err().to_string();
    assert!(text.contains("expected one rank, got 1 and 3"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    // A run takes one of them.
    for (condition, rank) in [(true, 1), (false, 3)] {
        let outputs = run(model.clone(), vec![RunValue::Data(TensorData::from(vec![condition]))]).unwrap();
        assert_eq!(data(outputs[0].clone()).shape.rank(), rank);
    }
}

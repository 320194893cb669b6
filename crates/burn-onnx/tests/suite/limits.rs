//! Models that would take all memory or all time: refused by their limits, or stopped.

use super::small_model::{constant, function, graph, info, model, node, run, scalar, tensor};
use burn_ndarray::NdArray;
use burn_onnx::graph::{Attribute, Dimension, GraphDefinition, Model, NodeDefinition};
use burn_onnx::{CancelToken, Graph, Limits, OnnxError, Program, RunValue};
use burn_tensor::{DType, TensorData};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// 64 MiB and a thousand iterations.
fn small() -> Limits {
    Limits::default().with_bytes(64 << 20).with_trips(1000)
}

fn limit_of(outcome: Result<Vec<RunValue<NdArray>>, OnnxError>) -> (&'static str, String) {
    match outcome {
        Err(OnnxError::Limit { limit, reason, .. }) => (limit, reason),
        other => panic!("expected the error of a limit, found {other:?}"),
    }
}

#[test]
fn a_node_that_makes_a_huge_tensor_is_refused_by_the_limit_of_bytes() {
    let huge = 1_i64 << 40;
    let x = constant("x", TensorData::new([1_f32; 2], [1, 2]));
    let image = constant("image", TensorData::new([1_f32; 4], [1, 1, 2, 2]));
    let float = Attribute::Float;
    let cases = [
        ("ConstantOfShape", vec!["shape"], vec![huge], vec![]),
        ("Expand", vec!["x", "shape"], vec![huge, 2], vec![]),
        ("Tile", vec!["x", "shape"], vec![huge, 1], vec![]),
        ("Pad", vec!["x", "shape"], vec![0, huge, 0, 0], vec![]),
        ("CenterCropPad", vec!["x", "shape"], vec![huge, 2], vec![]),
        ("OneHot", vec!["zero", "depth", "two"], vec![huge], vec![]),
        ("Range", vec!["zero", "depth", "one"], vec![], vec![]),
        ("HannWindow", vec!["depth"], vec![], vec![]),
        ("BlackmanWindow", vec!["depth"], vec![], vec![("periodic", Attribute::Int(0))]),
        ("AffineGrid", vec!["theta", "shape"], vec![1, 1, huge, huge], vec![]),
        (
            "Resize",
            vec!["image", "", "scales"],
            vec![],
            vec![("mode", Attribute::Text("nearest".into())), ("alpha", float(0.0))],
        ),
    ];
    for (operator, inputs, shape, attributes) in cases {
        let mut attributes = attributes;
        if operator == "Resize" {
            attributes.push(("coordinate_transformation_mode", Attribute::Text("asymmetric".into())));
            attributes.push(("nearest_mode", Attribute::Text("floor".into())));
        }
        let constants = vec![
            x.clone(),
            image.clone(),
            constant("shape", shape),
            scalar("zero", vec![0_i64]),
            scalar("one", vec![1_i64]),
            constant("two", vec![0_f32, 1.0]),
            constant("scales", vec![1_f32, 1.0, 1e9, 1e3]),
            constant("theta", TensorData::new([1_f32; 6], [1, 2, 3])),
            scalar("depth", vec![huge]),
        ];
        let nodes = vec![node(operator, &inputs, &["y"], attributes)];
        let (limit, reason) = limit_of(run(model(graph(nodes, constants, &["y"]), small()), Vec::new()));
        assert_eq!(limit, "bytes", "{operator}: {reason}");
        assert!(reason.contains("expected at most 67108864 bytes"), "{reason}");
    }
}

#[test]
fn eye_like_of_a_huge_input_is_refused() {
    let rows = constant("x", TensorData::new(vec![0_u8; 100_000], [100_000, 1]));
    let shape = constant("shape", vec![100_000_i64, 100_000]);
    let nodes = vec![
        node("Shape", &["x"], &["unused"], vec![]),
        node("ConstantOfShape", &["shape"], &["table"], vec![]),
        node("EyeLike", &["table"], &["y"], vec![]),
    ];
    let limits = small().with_bytes(1 << 37);
    // The whole of it would be 40 GB of `f32`, then 80 GB of `i64`.
    let outcome = run(model(graph(nodes, vec![rows, shape], &["y"]), limits.with_bytes(1 << 30)), Vec::new());
    assert_eq!(limit_of(outcome).0, "bytes");
}

#[test]
fn split_into_more_parts_than_outputs_is_an_error() {
    let nodes = vec![node("Split", &["x"], &["y"], vec![("num_outputs", Attribute::Int(1 << 40))])];
    let constants = vec![constant("x", vec![1_f32, 2.0])];
    let error = run(model(graph(nodes, constants, &["y"]), Limits::default()), Vec::new()).unwrap_err();
    assert!(error.to_string().contains("expected 1 to 1, got 1099511627776"), "{error}");
}

/// Each node doubles the result of the one before.
fn doublings(operator: &str, first: &str, count: usize) -> Vec<NodeDefinition> {
    let name = |place: usize| if place == 0 { first.to_string() } else { format!("d{place}") };
    let attributes = || if operator == "Concat" { vec![("axis", Attribute::Int(0))] } else { vec![] };
    (0..count)
        .map(|place| node(operator, &[&name(place), &name(place)], &[&name(place + 1)], attributes()))
        .collect()
}

#[test]
fn constants_that_double_end_at_the_limit() {
    for data in [TensorData::from(vec![1_i64, 2]), TensorData::from(vec![1_f32; 300])] {
        let nodes = doublings("Concat", "x", 40);
        let model = model(graph(nodes, vec![constant("x", data)], &["d40"]), small());
        // Nothing is computed when it is recorded.
        assert!(Program::record(&model).is_ok() || Program::record(&model).is_err());
        assert_eq!(limit_of(run(model, Vec::new())).0, "bytes");
    }
}

#[test]
fn sizes_that_double_are_recorded_in_a_moment() {
    let open = tensor("x", DType::F32, &[Dimension::Unknown]);
    let concat = GraphDefinition {
        inputs: vec![open.clone()],
        ..graph(doublings("Concat", "x", 40), vec![], &["d40"])
    };
    Program::record(&model(concat, Limits::default())).unwrap();
    let mut nodes = vec![node("Shape", &["x"], &["size"], vec![])];
    nodes.extend(doublings("Add", "size", 60));
    nodes.push(node("ConstantOfShape", &["d60"], &["y"], vec![]));
    let add = GraphDefinition { inputs: vec![open], ..graph(nodes, vec![], &["y"]) };
    let error = Program::record(&model(add, Limits::default())).unwrap_err();
    assert!(error.to_string().contains("expressions of its sizes are too large"), "{error}");
}

/// 31 functions, each of which calls the next one twice.
fn calls_twice() -> Model {
    let mut model = model(
        graph(vec![node("F0", &["x"], &["y"], vec![])], vec![constant("x", vec![1_f32])], &["y"]),
        Limits::default(),
    );
    for place in 0..30 {
        let next = format!("F{}", place + 1);
        let nodes = vec![node(&next, &["a"], &["b"], vec![]), node(&next, &["b"], &["c"], vec![])];
        model.functions.insert((String::new(), format!("F{place}")), function(&["a"], &["c"], nodes));
    }
    let last = function(&["a"], &["c"], vec![node("Neg", &["a"], &["c"], vec![])]);
    model.functions.insert((String::new(), "F30".into()), last);
    model
}

#[test]
fn functions_that_call_each_other_twice_are_refused_by_the_limit_of_nodes() {
    let (limit, reason) = limit_of(run(calls_twice(), Vec::new()));
    assert_eq!(limit, "nodes");
    // 1 + 2 + .. + 2^30 calls and 2^30 negations.
    assert!(reason.contains("expected at most 1048576, got 3221225471"), "{reason}");
}

#[test]
fn functions_and_graphs_that_are_nested_too_deep_are_refused() {
    let mut own = model(graph(vec![node("F", &["x"], &["y"], vec![])], vec![], &["y"]), Limits::default());
    own.functions.insert(
        (String::new(), "F".into()),
        function(&["a"], &["b"], vec![node("F", &["a"], &["b"], vec![])]),
    );
    assert_eq!(limit_of(run(own, Vec::new())).0, "depth");
    let mut inner = graph(vec![node("Identity", &["x"], &["y"], vec![])], vec![], &["y"]);
    for _ in 0..5 {
        let branch = Attribute::Graph(Arc::new(inner));
        inner = graph(
            vec![node("If", &["c"], &["y"], vec![("then_branch", branch.clone()), ("else_branch", branch)])],
            vec![],
            &["y"],
        );
    }
    inner.initializers = vec![constant("x", vec![2_f32]), constant("c", vec![true])];
    run(model(inner.clone(), Limits::default().with_depth(5)), Vec::new()).unwrap();
    assert_eq!(limit_of(run(model(inner, Limits::default().with_depth(4)), Vec::new())).0, "depth");
}

/// A graph that a function gets as an attribute, and that names this attribute again.
#[test]
fn a_graph_that_refers_to_itself_is_refused() {
    let again = || Attribute::Reference("g".into());
    let body = graph(
        vec![node("If", &["c"], &["y"], vec![("then_branch", again()), ("else_branch", again())])],
        vec![],
        &["y"],
    );
    let call = node("F", &["x"], &["y"], vec![("g", Attribute::Graph(Arc::new(body)))]);
    let mut own = model(graph(vec![call], vec![constant("x", vec![true])], &["y"]), Limits::default());
    let inner = node("If", &["c"], &["y"], vec![("then_branch", again()), ("else_branch", again())]);
    own.functions.insert((String::new(), "F".into()), function(&["c"], &["y"], vec![inner]));
    let error = run(own, Vec::new()).unwrap_err();
    assert!(error.to_string().contains("nested too deep"), "{error}");
}

/// A loop without an end, which adds 1 to its value.
fn endless(limits: Limits, collects: bool) -> Model {
    let mut outputs = vec!["goes", "sum"];
    if collects {
        outputs.push("sum");
    }
    let mut body = graph(
        vec![node("Identity", &["on"], &["goes"], vec![]), node("Add", &["v", "one"], &["sum"], vec![])],
        vec![],
        &outputs,
    );
    body.inputs = ["i", "on", "v"].map(info).to_vec();
    let body = Attribute::Graph(Arc::new(body));
    let most = scalar("most", vec![i64::MAX]);
    let constants = vec![most, scalar("on0", vec![true]), constant("one", vec![1_f32; 1 << 18])];
    let outputs: &[&str] = if collects { &["y", "all"] } else { &["y"] };
    let own = node("Loop", &["most", "on0", "x"], outputs, vec![("body", body)]);
    let dims = [Dimension::Known(1 << 18)];
    model(
        GraphDefinition {
            inputs: vec![tensor("x", DType::F32, &dims)],
            ..graph(vec![own], constants, &["y"])
        },
        limits,
    )
}

fn start() -> Vec<RunValue<NdArray>> {
    vec![RunValue::Data(TensorData::from(vec![0_f32; 1 << 18]))]
}

#[test]
fn an_endless_loop_ends_at_the_limit_of_trips() {
    let (limit, reason) = limit_of(run(endless(small(), false), start()));
    assert_eq!(limit, "trips");
    assert!(reason.contains("expected at most 1000 iterations"), "{reason}");
    let recorded =
        Graph::new(endless(small(), false)).unwrap().run_recorded::<NdArray>(start(), &Default::default());
    assert_eq!(limit_of(recorded).0, "trips");
}

#[test]
fn what_a_loop_collects_ends_at_the_limit_of_bytes() {
    // 1 MiB for each iteration.
    assert_eq!(limit_of(run(endless(small(), true), start())).0, "bytes");
}

#[test]
fn a_run_is_cancelled_from_another_thread() {
    let graph = Graph::new(endless(Limits::default().with_trips(u64::MAX), false)).unwrap();
    let token = CancelToken::new();
    let canceller = token.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        canceller.cancel();
    });
    let error = graph.run_cancellable::<NdArray>(start(), &Default::default(), &token).unwrap_err();
    assert!(matches!(error, OnnxError::Cancelled), "{error}");
    thread.join().unwrap();
}

#[test]
fn a_range_of_step_0_is_an_error() {
    for (step, end) in [
        (TensorData::from(vec![0_i64]), TensorData::from(vec![9_i64])),
        (vec![0_f32].into(), vec![9_f32].into()),
    ] {
        let constants = vec![scalar("start", step.clone()), scalar("end", end), scalar("step", step)];
        let nodes = vec![node("Range", &["start", "end", "step"], &["y"], vec![])];
        let error = run(model(graph(nodes, constants, &["y"]), Limits::default()), Vec::new()).unwrap_err();
        assert!(error.to_string().contains("expected another number than 0"), "{error}");
    }
}

/// Time that this thread ran: tests run beside each other, and others beside them.
fn own_time(call: impl FnOnce()) -> Duration {
    let now = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    };
    let (before, start) = (now(), Instant::now());
    call();
    match (before, now()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed(),
    }
}

fn chain(operator: &str, count: usize) -> GraphDefinition {
    let nodes = (0..count).map(|place| {
        let (x, y) = (format!("v{place}"), format!("v{}", place + 1));
        node(operator, &[&x], &[&y], vec![])
    });
    let inputs = vec![tensor("v0", DType::F32, &[Dimension::Unknown])];
    GraphDefinition { inputs, ..graph(nodes.collect(), vec![], &[&format!("v{count}")]) }
}

#[test]
fn many_nodes_are_refused_or_run_in_linear_time() {
    let unknown = |count: usize| {
        let error = Graph::new(model(chain("Nope", count), Limits::default())).unwrap_err().to_string();
        assert!(error.ends_with(&format!("Nope_v{count}")), "{error:.200}");
    };
    let negations = |count: usize| {
        let x = vec![RunValue::Data(vec![3_f32].into())];
        assert_eq!(run(model(chain("Neg", count), Limits::default()), x).unwrap().len(), 1);
    };
    // Eight times as many nodes took 64 times as long if each looked at all others.
    for work in [&unknown as &dyn Fn(usize), &negations] {
        work(10);
        let (few, many) = (own_time(|| work(5_000)), own_time(|| work(40_000)));
        assert!(many < few * 24, "{few:?} for 5,000 nodes, {many:?} for 40,000");
    }
}

#[cfg(unix)]
#[test]
fn a_fifo_in_the_place_of_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let error = Model::from_file(&path).unwrap_err();
    assert!(error.to_string().contains("a FIFO (named pipe); expected a regular file"), "{error}");
}

const MIB: u64 = 1 << 20;

/// A tensor of 1 MiB that each of ten nodes takes: the one before it, or the input.
fn ten_nodes(is_chain: bool) -> Model {
    let inputs = vec![tensor("v0", DType::F32, &[Dimension::Known(1 << 18)])];
    let name = |place: usize| format!("v{place}");
    let nodes = (0..10).map(|place| {
        let x = if is_chain { name(place) } else { name(0) };
        // Ten different functions: equal calls would be computed once.
        let operator = ["Neg", "Sin", "Cos", "Tanh", "Exp", "Abs", "Erf", "Sigmoid", "Relu", "Atan"][place];
        node(operator, &[&x], &[&name(place + 1)], vec![])
    });
    let outputs: Vec<String> = if is_chain { vec![name(10)] } else { (1..=10).map(name).collect() };
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let own = GraphDefinition { inputs, ..graph(nodes.collect(), vec![], &outputs) };
    model(own, Limits::default().with_bytes(8 * MIB))
}

/// Returns the limit that is exceeded, by the recording and node by node: an input without a type keeps a
/// model from being recorded.
fn exceeded(own: Model) -> Vec<(Option<String>, u64, u64)> {
    let mut unrecorded = own.clone();
    Arc::make_mut(&mut unrecorded.graph).inputs = vec![info("v0")];
    assert!(Program::record(&unrecorded).is_err());
    let found = [own, unrecorded].map(|model| match run(model, start()) {
        Err(OnnxError::Limit { limit: "bytes", node, most, found, .. }) => (node, most, found),
        other => panic!("expected the limit of bytes, found {other:?}"),
    });
    found.into()
}

#[test]
fn ten_outputs_of_1_mib_exceed_8_mib() {
    // The ninth result finds eight that are alive.
    for (node, most, found) in exceeded(ten_nodes(false)) {
        assert!(node.is_some_and(|node| node.ends_with("v9")));
        assert_eq!((most, found), (8 * MIB, 9 * MIB));
    }
}

#[test]
fn a_chain_of_ten_values_of_1_mib_fits_in_8_mib() {
    for limits in [Limits::default().with_bytes(8 * MIB), Limits::default().with_bytes(2 * MIB)] {
        let own = Graph::new(Model { limits, ..ten_nodes(true) }).unwrap();
        // Statements, statements with notes, and the tape of the notes.
        for _ in 0..3 {
            own.run::<NdArray>(start(), &Default::default()).unwrap();
        }
    }
    // A node holds what it takes and what it makes.
    let limits = Limits::default().with_bytes(2 * MIB - 1);
    assert_eq!(limit_of(run(Model { limits, ..ten_nodes(true) }, start())).0, "bytes");
}

#[test]
fn a_run_that_is_refused_is_refused_again() {
    let own = Graph::new(ten_nodes(false)).unwrap();
    for _ in 0..4 {
        assert_eq!(limit_of(own.run::<NdArray>(start(), &Default::default())).0, "bytes");
    }
}

/// The same of a constant of four bytes that is repeated to 1 MiB.
fn ten_nodes_of_constants(is_chain: bool) -> Model {
    let mut own = ten_nodes(is_chain);
    let graph = Arc::make_mut(&mut own.graph);
    graph.inputs.clear();
    graph.initializers = vec![constant("one", vec![1_f32]), constant("shape", vec![1_i64 << 18])];
    graph.nodes.insert(0, node("Expand", &["one", "shape"], &["v0"], vec![]));
    own
}

#[test]
fn values_of_constants_give_their_bytes_back() {
    let limits = || Limits::default().with_bytes(2 * MIB);
    run(Model { limits: limits(), ..ten_nodes_of_constants(true) }, Vec::new()).unwrap();
    assert_eq!(limit_of(run(ten_nodes_of_constants(false), Vec::new())).0, "bytes");
    // Ten results and what they are computed from.
    let enough = Limits::default().with_bytes(11 * MIB);
    run(Model { limits: enough, ..ten_nodes_of_constants(false) }, Vec::new()).unwrap();
}

//! Files that are cut off, changed or hostile: refused with an error, or run.

use super::message::{message, model, number};
use super::models::{NAMES, folder, values};
use burn_ndarray::NdArray;
use burn_onnx::{Graph, Model, OnnxError, Program};

fn try_all(bytes: Vec<u8>) {
    let Ok(model) = Model::from_bytes(bytes) else { return };
    let _recorded = Program::record(&model);
    let Ok(graph) = Graph::new(model) else { return };
    let inputs = values::<NdArray>("convnet", "input", graph.inputs().take(1));
    let _outputs = graph.run::<NdArray>(inputs, &Default::default());
}

#[test]
fn files_that_are_cut_off_are_refused_or_run() {
    for name in NAMES {
        let bytes = std::fs::read(folder(name).join("model.onnx")).unwrap();
        for end in (0..bytes.len()).step_by(97) {
            try_all(bytes[..end].to_vec());
        }
    }
}

#[test]
fn files_with_changed_bytes_are_refused_or_run() {
    let bytes = std::fs::read(folder("convnet").join("model.onnx")).unwrap();
    let mut state = 1_u64;
    for _ in 0..600 {
        let mut changed = bytes.clone();
        for _ in 0..3 {
            // xorshift64 (Marsaglia 2003)
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let place = state as usize % changed.len();
            changed[place] = (state >> 32) as u8;
        }
        try_all(changed);
    }
}

#[test]
fn dimensions_whose_product_overflows_are_refused() {
    let dims: Vec<u8> = (0..4).flat_map(|_| number(1, 1 << 40)).collect();
    let tensor = [dims, number(2, 1), message(&[(8, b"w")])].concat();
    let error = Model::from_bytes(model(&message(&[(5, &tensor)]))).unwrap_err();
    assert!(error.to_string().contains("tensor `w`: the dimensions have more elements"), "{error}");
}

#[test]
fn a_zero_hides_no_overflow() {
    let dims = [number(1, 0), number(1, 1 << 40), number(1, 1 << 40)].concat();
    let tensor = [dims, number(2, 1), message(&[(8, b"w")])].concat();
    let error = Model::from_bytes(model(&message(&[(5, &tensor)]))).unwrap_err();
    assert!(error.to_string().contains("more elements than memory can hold"), "{error}");
}

#[test]
fn a_cycle_is_named() {
    let first = message(&[(1, b"b"), (2, b"a"), (3, b"first"), (4, b"Neg")]);
    let second = message(&[(1, b"a"), (2, b"b"), (3, b"second"), (4, b"Neg")]);
    let output = message(&[(1, b"a")]);
    let bytes = model(&message(&[(1, &first), (1, &second), (12, &output)]));
    let error = Model::from_bytes(bytes).unwrap_err();
    assert!(matches!(error, OnnxError::Malformed { .. }), "{error}");
    assert!(error.to_string().contains("the nodes `second`, `first` need each other in a cycle"), "{error}");
}

/// Each of these indexed inputs or dimensions that are not there.
#[test]
fn nodes_with_too_few_inputs_or_dimensions_are_refused() {
    let attempt = |node: &[u8], initializers: &[&[u8]]| {
        let mut graph = message(&[(1, node), (12, &message(&[(1, b"y")]))]);
        graph.extend(initializers.iter().flat_map(|tensor| message(&[(5, tensor)])));
        let graph = Graph::new(Model::from_bytes(model(&graph)).unwrap()).unwrap();
        graph.run::<NdArray>(Vec::new(), &Default::default()).unwrap_err().to_string()
    };
    let node = |operator: &[u8], inputs: &[&[u8]]| {
        let mut node: Vec<u8> = inputs.iter().flat_map(|input| message(&[(1, input)])).collect();
        node.extend(message(&[(2, b"y"), (3, b"node"), (4, operator)]));
        node
    };
    let zeros = |name: &[u8], dims: &[u64]| {
        let count = dims.iter().product::<u64>() as usize;
        let dims: Vec<u8> = dims.iter().flat_map(|&dim| number(1, dim)).collect();
        [dims, number(2, 1), message(&[(8, name), (9, &vec![0; 4 * count])])].concat()
    };
    for operator in [&b"Abs"[..], b"Neg", b"Add", b"Where", b"Concat", b"Equal"] {
        assert!(attempt(&node(operator, &[]), &[]).contains("node"), "{operator:?} without inputs");
    }
    let one = zeros(b"a", &[1]);
    for operator in [&b"Equal"[..], b"Less", b"And"] {
        assert!(attempt(&node(operator, &[b"a"]), &[&one]).contains("node"), "{operator:?} of one input");
    }
    let [x, w, r] = [zeros(b"x", &[2, 1, 3]), zeros(b"w", &[1, 8, 3]), zeros(b"r", &[1, 8, 2])];
    for (place, name) in [(3, "biases of rank 2"), (5, "states of rank 3"), (7, "peepholes of rank 2")] {
        let mut inputs: Vec<&[u8]> = vec![b"x", b"w", b"r", b"", b"", b"", b"", b""];
        inputs[place] = b"a";
        let error = attempt(&node(b"LSTM", &inputs), &[&x, &w, &r, &one]);
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn on_008_unsupported_operators_are_all_named_with_their_nodes() {
    let node = |name: &[u8], operator: &[u8]| message(&[(2, b"y"), (3, name), (4, operator)]);
    let (first, second, third) = (node(b"n1", b"Nope"), node(b"n2", b"Never"), node(b"n3", b"Nope"));
    let bytes = model(&message(&[(1, &first), (1, &second), (1, &third)]));
    let error = Graph::new(Model::from_bytes(bytes).unwrap()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("Nope (opset 17), nodes: n1, n3"), "{text}");
    assert!(text.contains("Never (opset 17), nodes: n2"), "{text}");
    assert!(text.contains("SUPPORTED-ONNX-OPS.md"), "{text}");
}

/// Data of a tensor in a file that the model names.
fn external(location: &[u8], length: &[u8]) -> Vec<u8> {
    let entry = |key: &[u8], value: &[u8]| message(&[(1, key), (2, value)]);
    let (place, size) = (entry(b"location", location), entry(b"length", length));
    let data = message(&[(8, b"w"), (13, &place), (13, &size)]);
    let tensor = [number(1, 2), number(2, 1), data, number(14, 1)].concat();
    model(&message(&[(5, &tensor)]))
}

#[test]
fn external_data_is_read_from_the_folder_of_the_model_alone() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("model");
    std::fs::create_dir(&inner).unwrap();
    let numbers: Vec<u8> = [1.5_f32, -2.0].iter().flat_map(|value| value.to_ne_bytes()).collect();
    std::fs::write(folder.path().join("outside"), &numbers).unwrap();
    std::fs::write(inner.join("inside"), &numbers).unwrap();
    let file = inner.join("m.onnx");
    let load = |location: &str, length: &str| {
        std::fs::write(&file, external(location.as_bytes(), length.as_bytes())).unwrap();
        Model::from_file(&file)
    };
    let model = load("inside", "8").unwrap();
    assert_eq!(model.graph.initializers[0].data.to_f64(), [1.5, -2.0]);
    for (location, length, reason) in [
        ("../outside", "8", "outside of the model's folder"),
        ("missing", "8", "missing"),
        ("inside", "9", "has 8 bytes, expected 9"),
        ("inside", "many", "is no number"),
    ] {
        let error = load(location, length).unwrap_err().to_string();
        assert!(error.contains(reason), "{location}: {error}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path().join("outside"), inner.join("link")).unwrap();
        let error = load("link", "8").unwrap_err().to_string();
        assert!(error.contains("outside of the model's folder"), "{error}");
    }
}

#[test]
fn another_kind_of_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("empty", &b""[..]), ("text", b"this is no model"), ("zip", b"PK\x03\x04........")]
    {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let error = Model::from_file(&file).unwrap_err();
        assert!(matches!(error, OnnxError::Malformed { .. }), "{name}: {error}");
        assert!(error.to_string().contains(name), "{error}");
    }
    let error = Model::from_file(folder.path().join("nothing")).unwrap_err();
    assert!(matches!(error, OnnxError::Read { .. }), "{error}");
}

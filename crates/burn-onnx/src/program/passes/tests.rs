//! Calls of exported models after the optimization passes.

use crate::Limits;
use crate::builder::Statement;
use crate::graph::{
    Attribute, Constant, Dimension, GraphDefinition, Model, NodeDefinition, ValueInfo, ValueType,
};
use crate::program::Program;
use crate::run::{Graph, RunValue};
use burn_backend::{Backend, DType, TensorData, block_on};
use burn_ndarray::NdArray;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// Names of the calls of a model after all passes.
fn calls(model: &str) -> Vec<&'static str> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exports").join(model);
    let mut program = Program::record(&Model::from_file(folder.join("model.onnx")).unwrap()).unwrap();
    program.optimize();
    names(&program)
}

fn names(program: &Program) -> Vec<&'static str> {
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

fn node(operator: &str, inputs: &[&str], output: &str, attributes: &[(&str, Attribute)]) -> NodeDefinition {
    NodeDefinition {
        name: output.into(),
        operator: operator.into(),
        domain: String::new(),
        inputs: inputs.iter().map(|name| name.to_string()).collect(),
        outputs: vec![output.into()],
        attributes: attributes.iter().map(|(name, value)| (name.to_string(), value.clone())).collect(),
    }
}

/// `F.pad` before a convolution, as `torch.onnx.export` writes it: zeros before and after each dimension, the
/// last one first, are put in the order of ONNX by the model itself. The input is a 3 x 3 plane of ones, the
/// kernel too.
fn padded_convolution(pads: [i64; 4]) -> Model {
    let constant = |name: &str, data: TensorData| Constant { name: name.into(), data: Arc::new(data) };
    let ints = |name: &str, values: &[i64]| constant(name, TensorData::new(values, [values.len()]));
    let tensor = |name: &str, sizes: [usize; 4]| ValueInfo {
        name: name.into(),
        value_type: ValueType::Tensor { dtype: DType::F32, dims: Some(sizes.map(Dimension::Known).to_vec()) },
    };
    let nodes = vec![
        node("ConstantOfShape", &["four"], "others", &[("value", Attribute::Tensor(ints("", &[0])))]),
        node("Concat", &["pads", "others"], "all", &[("axis", Attribute::Int(0))]),
        node("Reshape", &["all", "pairs"], "by_pairs", &[]),
        node("Slice", &["by_pairs", "last", "first", "zero", "last"], "reversed", &[]),
        node("Transpose", &["reversed"], "turned", &[("perm", Attribute::Ints(vec![1, 0]))]),
        node("Reshape", &["turned", "last"], "listed", &[]),
        node("Cast", &["listed"], "cast", &[("to", Attribute::Int(7))]),
        node("Pad", &["x", "cast"], "padded", &[("mode", Attribute::Text("constant".into()))]),
        node("Conv", &["padded", "weight"], "y", &[]),
    ];
    let initializers = vec![
        ints("four", &[4]),
        ints("pads", &pads),
        ints("pairs", &[-1, 2]),
        ints("last", &[-1]),
        ints("first", &[-i64::MAX]),
        ints("zero", &[0]),
        constant("weight", TensorData::new(vec![1.0_f32; 9], [1, 1, 3, 3])),
    ];
    model(nodes, initializers, tensor("x", [1, 1, 3, 3]))
}

/// A model with one input and the output `y`.
fn model(nodes: Vec<NodeDefinition>, initializers: Vec<Constant>, input: ValueInfo) -> Model {
    let output = ValueInfo { name: "y".into(), value_type: ValueType::Undeclared };
    let graph = GraphDefinition {
        nodes,
        initializers,
        inputs: vec![input],
        outputs: vec![output],
        ..GraphDefinition::default()
    };
    Model {
        origin: "model".into(),
        ir_version: 10,
        producer: String::new(),
        opsets: BTreeMap::from([(String::new(), 17)]),
        graph: Arc::new(graph),
        functions: HashMap::new(),
        limits: Limits::default(),
    }
}

/// The output of the third run with an input, which repeats the operations of the second.
fn third_run(model: Model, x: &TensorData) -> Vec<f32> {
    let graph = Graph::new(model).unwrap();
    let mut runs = (0..3).map(|_| {
        let outputs = graph.run::<NdArray>(vec![RunValue::Data(x.clone())], &Default::default()).unwrap();
        let [RunValue::Tensor(y)] = &outputs[..] else { panic!("a tensor, not {outputs:?}") };
        let data = block_on(NdArray::<f32, i64>::into_data(y.clone())).unwrap().unwrap();
        data.iter::<f32>().collect()
    });
    let [first, second, third]: [Vec<f32>; 3] = std::array::from_fn(|_| runs.next().expect("three runs"));
    let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&first), bits(&second));
    assert_eq!(bits(&second), bits(&third));
    third
}

#[test]
fn zeros_around_the_input_become_padding_of_the_convolution() {
    let inside = [4.0_f32, 6.0, 4.0, 6.0, 9.0, 6.0, 4.0, 6.0, 4.0];
    // One row more, below the plane: more zeros after it than before it.
    let below = [inside.to_vec(), vec![2.0, 3.0, 2.0]].concat();
    for (pads, expected) in [([1, 1, 1, 1], inside.to_vec()), ([1, 1, 1, 2], below)] {
        let model = padded_convolution(pads);
        let mut program = Program::record(&model).unwrap();
        program.optimize();
        assert_eq!(count(&names(&program), "pad_constant"), 0);
        let x = TensorData::new(vec![1.0_f32; 9], [1, 1, 3, 3]);
        assert_eq!(third_run(model, &x), expected);
    }
}

/// A product of one-hot vectors of `x`, as `jax.nn.one_hot` is exported or by `OneHot`, with a matrix of
/// three rows. The number of classes in `x` is open.
fn one_hot_product(by_operator: bool, numbers: [f32; 6]) -> Model {
    let constant = |name: &str, data: TensorData| Constant { name: name.into(), data: Arc::new(data) };
    let ints = |name: &str, values: &[i64]| constant(name, TensorData::new(values, [values.len()]));
    let matrix = if by_operator { vec![3, 2] } else { vec![1, 3, 2] };
    let mut nodes = vec![
        node("Reshape", &["x", "column"], "by_class", &[]),
        node("Shape", &["x"], "shape", &[]),
        node("Concat", &["shape", "three"], "wide", &[("axis", Attribute::Int(0))]),
        node("Expand", &["by_class", "wide"], "repeated", &[]),
        node("Equal", &["repeated", "classes"], "is_class", &[]),
        node("Cast", &["is_class"], "one_hot", &[("to", Attribute::Int(1))]),
    ];
    if by_operator {
        nodes = vec![node("OneHot", &["x", "three", "off_on"], "one_hot", &[])];
    }
    nodes.push(node("MatMul", &["one_hot", "matrix"], "y", &[]));
    let initializers = vec![
        ints("column", &[1, -1, 1]),
        ints("three", &[3]),
        constant("classes", TensorData::new(vec![0_i64, 1, 2], [1, 1, 3])),
        constant("off_on", TensorData::new(vec![0.0_f32, 1.0], [2])),
        // With a dimension in front, as constants have it that the generator has aligned.
        constant("matrix", TensorData::new(numbers, matrix)),
    ];
    let dims = vec![Dimension::Known(1), Dimension::Unknown];
    let value_type = ValueType::Tensor { dtype: DType::I64, dims: Some(dims) };
    model(nodes, initializers, ValueInfo { name: "x".into(), value_type })
}

#[test]
fn products_of_one_hot_vectors_become_rows() {
    let numbers = [1.5_f32, -2.0, 3.0, 4.0, -0.5, 6.0];
    for by_operator in [false, true] {
        let model = one_hot_product(by_operator, numbers);
        let mut program = Program::record(&model).unwrap();
        program.optimize();
        let calls = names(&program);
        assert_eq!([count(&calls, "matmul"), count(&calls, "select")], [0, 1], "{calls:?}");
        // Classes beyond the matrix have no row; `OneHot` counts negative ones from the last class.
        let x = TensorData::new(vec![2_i64, 0, 3, 1, -1, i64::MAX], [1, 6]);
        let last = if by_operator { [-0.5, 6.0] } else { [0.0; 2] };
        let expected = [[-0.5, 6.0], [1.5, -2.0], [0.0; 2], [3.0, 4.0], last, [0.0; 2]];
        assert_eq!(third_run(model, &x), expected.as_flattened());
    }
}

#[test]
fn infinite_numbers_of_a_product_with_one_hot_vectors_stay_factors() {
    let model = one_hot_product(false, [1.0, f32::INFINITY, 0.0, 1.0, 2.0, 3.0]);
    let mut program = Program::record(&model).unwrap();
    program.optimize();
    assert_eq!(count(&names(&program), "matmul"), 1);
    let found = third_run(model, &TensorData::new(vec![0_i64, 1], [1, 2]));
    assert!(
        found[0] == 1.0 && found[1] == f32::INFINITY && found[2] == 0.0 && found[3].is_nan(),
        "{found:?}"
    );
}

#[test]
fn gelu_with_factors_in_the_order_of_jax_becomes_a_call() {
    let number = |name: &str, value: f32| Constant {
        name: name.into(),
        data: Arc::new(TensorData::new(vec![value], [0; 0])),
    };
    let nodes = vec![
        node("Mul", &["cubic", "x"], "a", &[]),
        node("Mul", &["x", "a"], "b", &[]),
        node("Mul", &["x", "b"], "c", &[]),
        node("Add", &["x", "c"], "d", &[]),
        node("Mul", &["root", "d"], "e", &[]),
        node("Tanh", &["e"], "f", &[]),
        node("Add", &["one", "f"], "g", &[]),
        node("Mul", &["half", "g"], "h", &[]),
        node("Mul", &["x", "h"], "y", &[]),
    ];
    let root = (2.0 / std::f64::consts::PI).sqrt();
    let initializers =
        vec![number("cubic", 0.044715), number("root", root as f32), number("one", 1.0), number("half", 0.5)];
    let value_type = ValueType::Tensor { dtype: DType::F32, dims: Some(vec![Dimension::Unknown]) };
    let model = model(nodes, initializers, ValueInfo { name: "x".into(), value_type });
    let mut program = Program::record(&model).unwrap();
    program.optimize();
    assert_eq!(names(&program), ["gelu_tanh"]);
    let x = [-3.0_f32, -0.5, 0.0, 1.0, 2.5];
    let found = third_run(model, &TensorData::new(x, [5]));
    for (x, found) in x.into_iter().map(f64::from).zip(found) {
        let expected = 0.5 * x * (1.0 + (root * (x + 0.044715 * x.powi(3))).tanh());
        assert!((f64::from(found) - expected).abs() < 1e-6, "{x}: {found}, not {expected}");
    }
}

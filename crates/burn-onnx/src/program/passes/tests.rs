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
    let output = ValueInfo { name: "y".into(), value_type: ValueType::Undeclared };
    let graph = GraphDefinition {
        nodes,
        initializers,
        inputs: vec![tensor("x", [1, 1, 3, 3])],
        outputs: vec![output],
        ..GraphDefinition::default()
    };
    Model {
        origin: "padded".into(),
        ir_version: 10,
        producer: String::new(),
        opsets: BTreeMap::from([(String::new(), 17)]),
        graph: Arc::new(graph),
        functions: HashMap::new(),
        limits: Limits::default(),
    }
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
        let graph = Graph::new(model).unwrap();
        for _ in 0..3 {
            let x = RunValue::Data(TensorData::new(vec![1.0_f32; 9], [1, 1, 3, 3]));
            let outputs = graph.run::<NdArray>(vec![x], &Default::default()).unwrap();
            let [RunValue::Tensor(y)] = &outputs[..] else { panic!("a tensor, not {outputs:?}") };
            let data = block_on(NdArray::<f32, i64>::into_data(y.clone())).unwrap().unwrap();
            assert_eq!(data.iter::<f32>().collect::<Vec<_>>(), expected);
        }
    }
}

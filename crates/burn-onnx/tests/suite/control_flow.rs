//! Runs with branches and loops, again and again: `scripts/onnx_control_fixtures.py` made the model, its
//! inputs and the outputs of onnxruntime.

use super::models::{assert_close, data, folder};
use burn::backend::NdArray;
use burn::tensor::{Int, Tensor, TensorData};
use burn_fusion::Fusion;
use burn_onnx::graph::ValueInfo;
use burn_onnx::run::read_value;
use burn_onnx::{Graph, Model, ModelGen, OnnxError, RecordType, RunValue};
use burn_tensor::{Backend, DType, DynTensor};

mod voice {
    include!("../models/voice/generated/model.rs");
}

/// Cases of the model; those from `OPEN` on have other shapes than the ones before.
const CASES: usize = 6;
const OPEN: usize = 4;

fn model() -> Model {
    Model::from_file(folder("voice").join("model.onnx")).unwrap()
}

fn values<'a, B: Backend>(
    case: usize,
    kind: &str,
    infos: impl Iterator<Item = &'a ValueInfo>,
) -> Vec<RunValue<B>> {
    let folder = folder("voice").join(format!("case_{case}"));
    let read = |(place, info): (usize, &ValueInfo)| {
        let bytes = std::fs::read(folder.join(format!("{kind}_{place}.pb"))).unwrap();
        read_value(bytes, &info.value_type).unwrap()
    };
    infos.enumerate().map(read).collect()
}

/// The outputs of onnxruntime.
fn expected(case: usize) -> Vec<TensorData> {
    values::<NdArray>(case, "output", model().graph.outputs.iter()).into_iter().map(data).collect()
}

type Run<B> = fn(&Graph, Vec<RunValue<B>>, &<B as Backend>::Device) -> Result<Vec<RunValue<B>>, OnnxError>;

fn check<B: Backend>(graph: &Graph, case: usize, run: Run<B>) {
    let inputs = values::<B>(case, "input", graph.inputs());
    let found = run(graph, inputs, &Default::default()).unwrap();
    for (found, expected) in found.into_iter().zip(expected(case)) {
        assert_close(&data(found), &expected);
    }
}

fn check_rotation<B: Backend>(graph: &Graph, cases: usize, run: Run<B>) {
    // The order of cases changes which way through the model is known when another one comes.
    for round in 0..5 {
        for place in 0..cases {
            check::<B>(graph, (place * (round + 1)) % cases, run);
        }
    }
}

fn fixed() -> Graph {
    Graph::new(model()).unwrap().with_input_shapes(&[("input", &[1, 8]), ("state", &[2, 1, 4])]).unwrap()
}

#[test]
fn runs_that_take_other_branches_and_iterations_give_the_outputs_of_onnxruntime() {
    let graph = Graph::new(model()).unwrap();
    check_rotation::<NdArray>(&graph, CASES, Graph::run);
    check_rotation::<Fusion<NdArray>>(&graph, CASES, Graph::run);
}

#[test]
fn runs_with_fixed_shapes_give_the_outputs_of_onnxruntime() {
    let graph = fixed();
    check_rotation::<NdArray>(&graph, OPEN, Graph::run);
    check_rotation::<NdArray>(&graph, OPEN, Graph::run_recorded);
    check_rotation::<Fusion<NdArray>>(&graph, OPEN, Graph::run_recorded);
}

#[test]
fn branches_of_different_ranks_are_an_error_that_names_the_ranks_and_the_setting() {
    let graph = Graph::new(model()).unwrap();
    let inputs = values::<NdArray>(0, "input", graph.inputs());
    let recorded = graph.run_recorded::<NdArray>(inputs, &Default::default()).unwrap_err().to_string();
    let out = tempfile::tempdir().unwrap();
    let generator = ModelGen::new().input(folder("voice").join("model.onnx")).out_dir(out.path());
    let generated = generator.run_from_cli().unwrap_err().to_string();
    for error in [recorded, generated] {
        assert!(error.contains("expected one rank, got 1 and 2"), "{error}");
        assert!(error.contains("`Graph::with_input_shapes` or `ModelGen::input_shape`"), "{error}");
        assert!(!error.contains('\n') && error.len() < 400, "{error}");
    }
}

#[test]
fn generated_source_of_fixed_shapes_is_current_and_gives_the_outputs_of_onnxruntime() {
    let generator = ModelGen::new()
        .input(folder("voice").join("model.onnx"))
        .input_shape("input", [1, 8])
        .input_shape("state", [2, 1, 4])
        .record_type(RecordType::Bincode)
        .embed_states(true);
    let committed = folder("voice").join("generated");
    if std::env::var_os("BURN_ONNX_WRITE").is_some() {
        generator.clone().out_dir(&committed).run_from_cli().unwrap();
    }
    let fresh = tempfile::tempdir().unwrap();
    let files = generator.out_dir(fresh.path()).run_from_cli().unwrap();
    let source = |folder: &std::path::Path| std::fs::read_to_string(folder.join("model.rs")).unwrap();
    assert_eq!(
        source(&committed),
        source(files[0].source.parent().unwrap()),
        "run the test with BURN_ONNX_WRITE=1"
    );
    let model = voice::Model::<NdArray>::default();
    for case in 0..OPEN {
        let inputs = values::<NdArray>(case, "input", self::model().inputs());
        let [input, state, rate] = inputs.into_iter().map(data).collect::<Vec<_>>().try_into().unwrap();
        let device = Default::default();
        let rate = TensorData::new(rate.to_vec::<i64>().unwrap(), [1]);
        let (speech, halvings, state) = model.forward(
            Tensor::from_data(input, &device),
            Tensor::from_data(state, &device),
            Tensor::from_data(rate, &device),
        );
        let found = [speech.into_data(), halvings.into_data(), state.into_data()];
        found.iter().zip(expected(case)).for_each(|(found, expected)| assert_close(found, &expected));
    }
}

#[test]
fn shapes_that_inputs_cannot_have_are_errors_that_name_the_input() {
    let refused = |shapes: &[(&str, &[usize])], name: &str, text: &str| {
        let error = Graph::new(model()).unwrap().with_input_shapes(shapes).unwrap_err();
        assert!(matches!(&error, OnnxError::Input { name: own, .. } if own == name), "{error}");
        assert!(error.to_string().contains(text), "{error}");
    };
    refused(&[("sound", &[1, 8])], "sound", "no such input; its inputs are `input`, `state`, `sr`");
    refused(&[("input", &[8])], "input", "has rank 1; expected rank 2, of [batch, samples]");
    refused(&[("state", &[1, 1, 4])], "state", "contradicts the declared sizes; expected [2, batch, 4]");
    // Both inputs have the size `batch`.
    refused(&[("input", &[3, 8]), ("state", &[2, 1, 4])], "state", "expected [2, 3, 4]");
    let early = ModelGen::new().input_shape("input", [1, 8]).run_from_cli().unwrap_err();
    assert!(matches!(&early, OnnxError::Input { name, .. } if name == "input"), "{early}");
}

#[test]
fn a_scalar_may_be_a_tensor_of_rank_0() {
    let (graph, device) = (Graph::new(model()).unwrap(), Default::default());
    for case in [0, 1, 0, 1, 0] {
        let mut inputs = values::<NdArray>(case, "input", graph.inputs());
        let rate = data(inputs.pop().unwrap());
        assert_eq!(rate.shape.rank(), 0);
        inputs.push(DynTensor::<NdArray, Int>::from_data(rate, (&device, DType::I64)).into());
        let found = graph.run::<NdArray>(inputs, &device).unwrap();
        found
            .into_iter()
            .zip(expected(case))
            .for_each(|(found, expected)| assert_close(&data(found), &expected));
    }
}

#[test]
fn a_graph_of_fixed_shapes_takes_no_others() {
    let graph = fixed();
    let inputs = values::<NdArray>(OPEN, "input", graph.inputs());
    let error = graph.run::<NdArray>(inputs, &Default::default()).unwrap_err().to_string();
    assert!(error.contains("input `input`: expected a tensor of f32 with dimensions [1, 8]"), "{error}");
}

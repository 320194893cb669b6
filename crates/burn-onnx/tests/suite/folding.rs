//! Parameters that a model arranges, scales and joins before it uses them: generated source saves them as
//! they are used.

use super::models::{assert_close, data, folder, load, values};
use burn::module::Module;
use burn::record::NamedMpkFileRecorder;
use burn::tensor::{Tensor, TensorData};
use burn_autodiff::Autodiff;
use burn_ndarray::NdArray;
use burn_onnx::ModelGen;
use burn_tensor::Backend;

mod generated {
    include!("../models/folding/generated/model.rs");
}

fn input<B: Backend>() -> Tensor<B, 3> {
    Tensor::from_data(
        data(values::<NdArray>("folding", "input", load("folding").inputs()).remove(0)),
        &Default::default(),
    )
}

/// The output of onnxruntime.
fn output() -> TensorData {
    let graph = load("folding");
    data(values::<NdArray>("folding", "output", graph.model().graph.outputs.iter()).remove(0))
}

#[test]
fn source_has_no_calls_on_parameters_alone() {
    let source = std::fs::read_to_string(folder("folding").join("generated/model.rs")).unwrap();
    for call in [".slice(", "cat(", ".permute(", ".sqrt()", ".div(", ".mul("] {
        assert!(!source.contains(call), "`{call}` in\n{source}");
    }
    let model: generated::Model<NdArray> = generated::Model::from_embedded();
    assert_close(&model.forward(input()).into_data(), &output());
}

#[test]
fn parameters_as_they_are_used_have_gradients() {
    let model: generated::Model<Autodiff<NdArray>> = generated::Model::from_embedded();
    let gradients = model.forward(input()).sum().backward();
    // Each of the 6 steps of 2 sequences adds the bias once.
    let bias = model.table.bias.as_ref().unwrap().val().grad(&gradients).expect("the bias is trained");
    assert_eq!(bias.into_data(), TensorData::new([12.0_f32, 12.0], [2]));
    let recurrent = model.lstm_recurrent.val().grad(&gradients).expect("the weight is trained");
    assert_eq!(recurrent.dims(), [3, 12]);
}

#[test]
fn a_record_file_has_the_parameters_as_they_are_used() {
    let out = tempfile::tempdir().unwrap();
    let generator = ModelGen::new().input(folder("folding").join("model.onnx")).out_dir(out.path());
    generator.run_from_cli().unwrap();
    let device = Default::default();
    let model: generated::Model<NdArray> = generated::Model::new(&device);
    let file = out.path().join("model");
    let model = model.load_file(file, &<NamedMpkFileRecorder>::new(), &device).unwrap();
    assert_close(&model.forward(input()).into_data(), &output());
}

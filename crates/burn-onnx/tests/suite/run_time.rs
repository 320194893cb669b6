//! Models without generated code.

use super::models::{NAMES, assert_close, data, load, values};
use burn_backend::HasSpec;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_onnx::{OnnxError, RunValue};
use burn_tensor::{Backend, TensorData};

fn check<B: Backend>(name: &str) {
    let (graph, device) = (load(name), B::Device::default());
    let inputs = values::<B>(name, "input", graph.inputs());
    let expected = values::<B>(name, "output", graph.model().graph.outputs.iter());
    let found = graph.run::<B>(inputs.clone(), &device).unwrap();
    let recorded = graph.run_recorded::<B>(inputs, &device).unwrap();
    for ((found, recorded), expected) in found.into_iter().zip(recorded).zip(expected) {
        let expected = data(expected);
        assert_close(&data(found), &expected);
        assert_close(&data(recorded), &expected);
    }
}

#[test]
fn x_406_graphs_give_the_outputs_of_onnxruntime() {
    for name in NAMES {
        check::<NdArray>(name);
        check::<Fusion<NdArray>>(name);
    }
}

#[test]
fn a_run_without_an_input_names_it() {
    let error = load("encoder").run::<NdArray>(Vec::new(), &Default::default()).unwrap_err();
    assert!(matches!(&error, OnnxError::Input { name, .. } if name == "ids"), "{error}");
}

#[test]
fn an_input_of_another_type_or_size_is_named() {
    let (graph, device) = (load("convnet"), Default::default());
    for data in [
        TensorData::new([0_i64; 196], [1, 1, 14, 14]),
        TensorData::new([0_f32; 196], [1, 14, 14]),
        TensorData::new([0_f32; 182], [1, 1, 14, 13]),
    ] {
        let error = graph.run::<NdArray>(vec![RunValue::Data(data)], &device).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("input `image`: expected a tensor of f32 with dimensions [batch, 1, 14, 14]"),
            "{text}"
        );
    }
}

#[test]
fn sizes_of_one_name_are_equal() {
    let ids = TensorData::new([1_i64; 6], [2, 3]);
    let mask = TensorData::new([1_i64; 8], [2, 4]);
    let inputs = vec![RunValue::Data(ids), RunValue::Data(mask)];
    let error = load("encoder").run::<NdArray>(inputs, &Default::default()).unwrap_err();
    assert!(error.to_string().contains("input `mask`"), "{error}");
}

#[test]
fn outputs_stay_on_the_backend() {
    let graph = load("shapes");
    let inputs = values::<NdArray>("shapes", "input", graph.inputs());
    let outputs = graph.run::<NdArray>(inputs, &Default::default()).unwrap();
    let [RunValue::Tensor(output)] = &outputs[..] else { panic!("expected a tensor, found {outputs:?}") };
    assert_eq!(output.shape().rank(), 4);
}

// ANCHOR: program
// cargo add --path ../burn/crates/burn-import --features onnx-run

use burn::backend::NdArray;
use burn::tensor::{HasSpec, TensorData};
use burn_import::onnx::{Graph, OnnxError, RunValue};

fn main() -> Result<(), OnnxError> {
    let graph = Graph::load("model.onnx")?;
    let x = TensorData::new(vec![1.0_f32; 2 * 6 * 4], [2, 6, 4]);
    let outputs = graph.run::<NdArray>(vec![RunValue::Data(x)], &Default::default())?;
    for output in outputs {
        if let RunValue::Tensor(y) = output {
            println!("{:?}", y.shape());
        }
    }
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_running_onnx() {
    crate::page_output::page_prints!("import/onnx.md", "crates/burn-onnx/tests/models/shapes/model.onnx");
}

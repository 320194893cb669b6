// ANCHOR: program
// cargo add --path ../burn/crates/burn --features capture
// cargo add --path ../burn/crates/burn-import --features onnx-export,onnx-run

use burn::backend::{Capture, NdArray};
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use burn::tensor::{HasSpec, activation};
use burn_import::onnx::{Graph, OnnxExport, RunValue};
use std::error::Error;

#[derive(Module, Debug)]
struct Classifier<B: Backend> {
    output: Linear<B>,
}

impl<B: Backend> Classifier<B> {
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        activation::softmax(self.output.forward(x), 1)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // `Capture` records the calls of one forward pass.
    type B = Capture<NdArray>;
    let device = Default::default();
    let classifier = Classifier::<B> { output: LinearConfig::new(4, 3).init(&device) };
    let sample = Tensor::<B, 2>::zeros([1, 4], &device);
    OnnxExport::new().inputs(["features"]).outputs(["probabilities"]).dynamic("features", 0, "batch").save(
        "classifier.onnx",
        &classifier,
        sample,
        |classifier, x| classifier.forward(x),
    )?;

    // The file runs here and in every other ONNX runtime, with any batch size.
    let graph = Graph::load("classifier.onnx")?;
    let x = Tensor::<NdArray, 2>::ones([5, 4], &device);
    let outputs = graph.run::<NdArray>(vec![x.into()], &device)?;
    for output in outputs {
        if let RunValue::Tensor(probabilities) = output {
            println!("{:?}", probabilities.shape());
        }
    }
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_exporting_to_onnx() {
    crate::page_output::page_prints!("import/onnx-export.md");
}

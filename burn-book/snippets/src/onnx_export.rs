//! Modules as ONNX models.

use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Backend, Tensor, activation};

// ANCHOR: model
#[derive(Module, Debug)]
pub struct Classifier<B: Backend> {
    hidden: Linear<B>,
    output: Linear<B>,
}

impl<B: Backend> Classifier<B> {
    pub fn new(device: &B::Device) -> Self {
        Classifier {
            hidden: LinearConfig::new(4, 16).init(device),
            output: LinearConfig::new(16, 3).init(device),
        }
    }

    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let x = activation::gelu(self.hidden.forward(x));
        activation::softmax(self.output.forward(x), 1)
    }
}
// ANCHOR_END: model

#[test]
fn a_trained_module_becomes_a_file() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let (record, path) = (folder.path().join("classifier"), folder.path().join("classifier.onnx"));
    let trained = Classifier::<burn::backend::NdArray>::new(&Default::default());
    use burn::record::{FullPrecisionSettings, NamedMpkFileRecorder};
    let recorder = NamedMpkFileRecorder::<FullPrecisionSettings>::new();
    trained.save_file(record.clone(), &recorder)?;
    // ANCHOR: export
    use burn::backend::{Capture, NdArray};
    use burn_import::onnx::OnnxExport;

    // The module on the backend that records, with the weights of the trained one.
    type B = Capture<NdArray>;
    let device = Default::default();
    let classifier = Classifier::<B>::new(&device).load_file(record, &recorder, &device)?;

    let sample = Tensor::<B, 2>::zeros([1, 4], &device);
    OnnxExport::new().inputs(["features"]).outputs(["probabilities"]).dynamic("features", 0, "batch").save(
        &path,
        &classifier,
        sample,
        |classifier, x| classifier.forward(x),
    )?;
    // ANCHOR_END: export

    // ANCHOR: again
    use burn_import::onnx::Graph;

    let graph = Graph::load(&path)?;
    let x = Tensor::<NdArray, 2>::ones([5, 4], &device);
    let outputs = graph.run::<NdArray>(vec![x.into()], &device)?;
    // ANCHOR_END: again
    assert_eq!(outputs.len(), 1);
    Ok(())
}

#[test]
fn sizes_that_are_multiples_and_several_inputs() -> Result<(), Box<dyn std::error::Error>> {
    use burn::backend::{Capture, NdArray};
    use burn::nn::conv::{Conv2d, Conv2dConfig};
    type B = Capture<NdArray>;
    let device = Default::default();
    let conv: Conv2d<B> = Conv2dConfig::new([3, 8], [2, 2]).with_stride([2, 2]).init(&device);
    // ANCHOR: dynamic
    use burn_import::onnx::OnnxExport;
    use burn_import::onnx::export::DynamicDim;

    let image = Tensor::<B, 4>::zeros([1, 3, 32, 32], &device);
    let scale = Tensor::<B, 1>::ones([8], &device);
    let bytes = OnnxExport::new()
        .inputs(["image", "scale"])
        .dynamic("image", 0, "batch")
        .dynamic("image", 2, DynamicDim::new("height").multiple_of(2))
        .to_bytes(&conv, (image, scale), |conv, (image, scale)| {
            conv.forward(image) * scale.reshape([1, 8, 1, 1])
        })?;
    // ANCHOR_END: dynamic
    assert!(bytes.len() > 400);
    Ok(())
}

#[test]
fn all_unsupported_operations_are_named() {
    use burn::backend::{Capture, NdArray};
    use burn::tensor::linalg;
    use burn_import::onnx::OnnxExport;
    type B = Capture<NdArray>;
    let device = Default::default();
    let classifier = Classifier::<B>::new(&device);
    let sample = Tensor::<B, 2>::eye(4, &device);
    // ANCHOR: errors
    use burn_import::onnx::export::ExportError;

    let result = OnnxExport::new().to_bytes(&classifier, sample, |classifier, x| {
        let y = classifier.forward(linalg::solve(x.clone(), x.clone()));
        y.sort(1)
    });
    let Err(ExportError::Unsupported(operations)) = result else { panic!("`solve` has no counterpart") };
    assert_eq!(operations[0].operation, "solve");
    // ANCHOR_END: errors
}

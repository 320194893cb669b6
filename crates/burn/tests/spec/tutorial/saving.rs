use burn::backend::{Autodiff, NdArray};
use burn::nn::{Linear, LinearConfig, Relu};
use burn::prelude::*;
use burn::record::{CompactRecorder, FullPrecisionSettings, NamedMpkFileRecorder};
use burn::tensor::{Distribution, Tolerance};

#[derive(Module, Debug)]
struct Model<B: Backend> {
    linear1: Linear<B>,
    linear2: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Model<B> {
    fn new(device: &B::Device) -> Self {
        Model {
            linear1: LinearConfig::new(2, 64).init(device),
            linear2: LinearConfig::new(64, 2).init(device),
            activation: Relu::new(),
        }
    }
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.linear2.forward(self.activation.forward(self.linear1.forward(x)))
    }
}

#[test]
fn tu_011_a_model_is_saved_and_loaded() {
    let device = Default::default();
    let folder = tempfile::tempdir().unwrap();
    let (compact, full) = (folder.path().join("compact"), folder.path().join("full"));
    let trained = Model::<Autodiff<NdArray>>::new(&device);
    let full_recorder = NamedMpkFileRecorder::<FullPrecisionSettings>::new();
    trained.clone().save_file(compact.clone(), &CompactRecorder::new()).unwrap();
    trained.clone().save_file(full.clone(), &full_recorder).unwrap();

    let x = Tensor::<NdArray, 2>::random([16, 2], Distribution::Uniform(-1.0, 1.0), &device);
    let expected = trained.valid().forward(x.clone()).into_data();
    let model = Model::<NdArray>::new(&device).load_file(full, &full_recorder, &device).unwrap();
    assert_eq!(model.forward(x.clone()).into_data(), expected);
    let model = Model::<NdArray>::new(&device).load_file(compact, &CompactRecorder::new(), &device).unwrap();
    // Half precision keeps three digits.
    model.forward(x).into_data().assert_approx_eq::<f64>(&expected, Tolerance::rel_abs(2e-3, 2e-3));

    let size = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
    assert!(size("compact.mpk") < size("full.mpk"), "{} {}", size("compact.mpk"), size("full.mpk"));
}

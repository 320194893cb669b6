//! The guide's training gives the same bits whatever is around the backend.

use burn::backend::profile::Profile;
use burn::backend::router::duo::MultiDevice;
use burn::backend::{Autodiff, Fusion, NdArray, Router};
use burn::data::dataset::Dataset;
use burn::data::dataset::transform::PartialDataset;
use burn::data::dataset::vision::{DigitsDataset, MnistItem};
use burn::module::{ModuleVisitor, ParamId};
use burn::optim::AdamConfig;
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use guide::model::ModelConfig;
use guide::training::{TrainingConfig, train};
use std::sync::Arc;

/// The bits of all parameters.
#[derive(Default)]
struct Bits(Vec<Vec<u32>>);

impl<B: Backend> ModuleVisitor<B> for Bits {
    fn visit_float<const D: usize>(&mut self, _id: ParamId, tensor: &Tensor<B, D>) {
        self.0.push(tensor.to_data().iter::<f32>().map(f32::to_bits).collect());
    }
}

fn trained<B: AutodiffBackend>(device: B::Device) -> Vec<Vec<u32>> {
    let (images, test) = DigitsDataset::train_test_mnist(7);
    let images: Arc<dyn Dataset<MnistItem>> = Arc::new(PartialDataset::new(images, 0, 192));
    let test: Arc<dyn Dataset<MnistItem>> = Arc::new(PartialDataset::new(test, 0, 64));
    let config = TrainingConfig::new(ModelConfig::new(10, 32), AdamConfig::new())
        .with_num_epochs(1)
        .with_num_workers(1);
    let folder = tempfile::tempdir().expect("a folder");
    let model = train::<B>(folder.path(), &config, images, test, device).expect("the run succeeds");
    let mut bits = Bits::default();
    model.visit(&mut bits);
    assert!(bits.0.iter().map(Vec::len).sum::<usize>() > 1000, "the model has parameters");
    bits.0
}

#[test]
fn every_decorator_trains_the_same_model() {
    let alone = trained::<Autodiff<NdArray>>(Default::default());
    assert!(alone == trained::<Autodiff<Fusion<NdArray>>>(Default::default()), "Fusion");
    assert!(alone == trained::<Autodiff<Profile<NdArray>>>(Default::default()), "Profile");
    type Two = Router<(NdArray, NdArray)>;
    assert!(alone == trained::<Autodiff<Two>>(MultiDevice::B1(Default::default())), "the first of a router");
    assert!(alone == trained::<Autodiff<Two>>(MultiDevice::B2(Default::default())), "the second of a router");
    assert!(
        alone == trained::<Autodiff<Fusion<Two>>>(MultiDevice::B2(Default::default())),
        "Fusion around a router"
    );
}

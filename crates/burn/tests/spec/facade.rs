//! F: paths, features and the prelude of the crate `burn`.

use crate::compiler::prints;
use crate::expect::exactly;
use crate::given::CPU;
use std::path::Path;

fn manifest() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).expect("the manifest")
}

#[test]
fn f_002_names_of_burn_tensor() {
    use burn::tensor::{
        Bool, Device, Distribution, ElementConversion, Float, Int, Shape, Tensor, TensorData, activation, s,
    };
    type B = burn::backend::NdArray;
    let device: Device<B> = Default::default();
    let x: Tensor<B, 2, Float> = Tensor::from_data(TensorData::from([[-1.0, 2.0]]), &device);
    exactly(activation::relu(x.clone()).slice(s![.., 1]), [[2.0]]);
    let flags: Tensor<B, 2, Bool> = x.clone().greater_elem(0);
    let index: Tensor<B, 2, Int> = flags.int();
    assert_eq!(index.shape(), Shape::new([1, 2]));
    assert_eq!(x.random_like(Distribution::Default).dims(), [1, 2]);
    assert_eq!(2.5_f64.elem::<i32>(), 2);
}

#[test]
fn f_003_backend_traits() {
    use burn::tensor::backend::{AutodiffBackend, Backend};
    fn is_backend<B: Backend>() {}
    fn has_gradients<B: AutodiffBackend>() {}
    is_backend::<burn::backend::NdArray>();
    has_gradients::<burn::backend::Autodiff<burn::backend::NdArray>>();
}

#[test]
fn f_007_device_is_an_alias() {
    use burn::backend::{NdArray, ndarray::NdArrayDevice};
    fn on<B: burn::tensor::backend::Backend>(device: &burn::tensor::Device<B>) -> B::Device {
        device.clone()
    }
    let device: burn::tensor::Device<NdArray> = NdArrayDevice::Cpu;
    assert_eq!(on::<NdArray>(&device), NdArrayDevice::Cpu);
}

#[test]
fn f_012_the_feature_fusion() {
    use burn::backend::{Fusion, NdArray};
    assert!(manifest().contains("\nfusion = "), "the feature has this name");
    let x = burn::tensor::Tensor::<Fusion<NdArray>, 1>::from_data([1.0, 2.0], CPU);
    exactly((x.clone() + 1) * x, [2.0, 6.0]);
}

#[test]
fn f_015_the_default_features_are_what_a_training_loop_by_hand_needs() {
    let manifest = manifest();
    let (_, line) = manifest.split_once("\ndefault = ").expect("the default features");
    let default = line.lines().next().unwrap_or_default();
    for feature in ["std", "ndarray", "autodiff", "dataset", "optim"] {
        assert!(default.contains(&format!("\"{feature}\"")), "{feature} is not in {default}");
    }
}

const PROGRAM: &str = r#"
use burn::backend::{Autodiff, NdArray};
use burn::module::{Initializer, Param};
use burn::prelude::*;

#[derive(Config, Debug)]
struct ModelConfig {
    size: usize,
    #[config(default = 2.0)]
    value: f64,
}

#[derive(Module, Debug)]
struct Model<B: Backend> {
    weight: Param<Tensor<B, 2>>,
}

impl ModelConfig {
    fn init<B: Backend>(&self, device: &B::Device) -> Model<B> {
        let init = Initializer::Constant { value: self.value };
        Model { weight: init.init([self.size, self.size], device) }
    }
}

fn main() {
    let device = Default::default();
    let model = ModelConfig::new(2).init::<Autodiff<NdArray>>(&device);
    let gradients = (model.weight.val() * model.weight.val()).sum().backward();
    let gradient = model.weight.val().grad(&gradients).unwrap();
    println!("{}", gradient.sum().into_scalar());
}
"#;

#[test]
fn f_016_programs_of_edition_2021_build() {
    // Four weights of 2, whose squares have the slope 4.
    assert_eq!(prints(PROGRAM, "2021").trim(), "16");
}

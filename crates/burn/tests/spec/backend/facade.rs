//! F: paths, features and the prelude of the crate `burn`.

use crate::compiler::prints;
use crate::expect::{exactly, nearly};
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
fn f_005_modules_of_the_facade() {
    use burn::{config, data, lr_scheduler, module, nn, optim, prelude, record, server, train};
    use lr_scheduler::LrScheduler;
    type B = burn::backend::Autodiff<burn::backend::NdArray>;

    fn parameters<M: module::Module<B>>(module: &M) -> usize {
        module.num_params()
    }
    fn copy<C: config::Config>(config: &C) -> C {
        C::load_binary(config.to_json().as_bytes()).expect("its own text")
    }
    let config = copy(&nn::LinearConfig::new(3, 2));
    let layer = config.init::<B>(CPU);
    assert_eq!(parameters(&layer), 3 * 2 + 2);

    let weight: prelude::Tensor<B, 2> = layer.weight.val();
    let gradients = optim::GradientsParams::from_grads((weight * 3).sum().backward(), &layer);
    let mut schedule = lr_scheduler::ConstantLrConfig::new(0.5).init();
    let mut optimizer = optim::SgdConfig::new().init();
    let before = layer.weight.val().into_data();
    let layer: nn::Linear<B> = optim::Optimizer::step(&mut optimizer, schedule.step(), layer, gradients);
    let change = burn::tensor::Tensor::<B, 2>::from_data(before, CPU) - layer.weight.val();
    nearly(change, [[1.5; 2]; 3]);

    let recorder = record::BinBytesRecorder::<record::FullPrecisionSettings>::new();
    let bytes: Vec<u8> = record::Recorder::<B>::record(&recorder, 7_u8, ()).expect("saved");
    assert_eq!(record::Recorder::<B>::load::<u8>(&recorder, bytes, CPU), Ok(7));
    assert_eq!(data::dataset::Dataset::get(&data::dataset::InMemDataset::new(vec![1, 2]), 1), Some(2));
    assert_eq!(server::ServerOptions::new("127.0.0.1:0").address(), "127.0.0.1:0");
    let mut metric = train::metric::LossMetric::new();
    let loss = train::metric::LossInput::new(prelude::Tensor::<B, 1>::from_data([0.5], CPU));
    train::metric::Metric::update(&mut metric, &loss, &Default::default());
    assert_eq!(train::metric::Numeric::value(&metric), 0.5);
}

/// A model, its training and its use, with two imports.
mod with_the_prelude {
    use burn::prelude::*;
    use burn::tensor::backend::AutodiffBackend;

    #[derive(Config, Debug)]
    pub struct ScaleConfig {
        initial: f64,
        #[config(default = 1)]
        size: usize,
    }

    #[derive(Module, Debug)]
    pub struct Scale<B: Backend> {
        linear: nn::Linear<B>,
    }

    impl ScaleConfig {
        pub fn init<B: Backend>(&self, device: &Device<B>) -> Scale<B> {
            let initializer = nn::Initializer::Constant { value: self.initial };
            let config = nn::LinearConfig::new(self.size, self.size).with_bias(false);
            Scale { linear: config.with_initializer(initializer).init(device) }
        }
    }

    /// The numbers 1 and 2.
    pub struct Numbers;

    impl Dataset<f32> for Numbers {
        fn get(&self, index: usize) -> Option<f32> {
            (index < 2).then_some(index as f32 + 1.0)
        }
        fn len(&self) -> usize {
            2
        }
    }

    /// Trains one step towards `y = 2 x`.
    pub fn train<B: AutodiffBackend>(
        model: Scale<B>,
        mut optimizer: impl Optimizer<Scale<B>, B>,
        numbers: &impl Dataset<f32>,
        device: &Device<B>,
    ) -> Scale<B> {
        let numbers: Vec<f32> = (0..numbers.len()).filter_map(|index| numbers.get(index)).collect();
        let shape = Shape::new([numbers.len(), 1]);
        let x: Tensor<B, 2, Float> = Tensor::from_data(TensorData::new(numbers, shape), device);
        let loss = (model.linear.forward(x.clone()) - x * 2).square().mean();
        let gradients = burn::optim::GradientsParams::from_grads(loss.backward(), &model);
        optimizer.step(0.1, model, gradients)
    }

    /// Returns the model's output for an input of ones, and whether it is above 2.
    pub fn infer<B: AutodiffBackend>(model: &Scale<B>, device: &Device<B>) -> (f32, bool) {
        let x = Tensor::<B::InnerBackend, 2, Int>::ones([3, 1], device).float();
        let y = model.valid().linear.forward(x).slice(s![1..2, ..]);
        let above: Tensor<B::InnerBackend, 2, Bool> = y.clone().greater_elem(2);
        (y.into_scalar().elem(), above.into_scalar().elem())
    }
}

#[test]
fn f_006_the_prelude_and_one_trait_are_the_imports_of_a_program() {
    use with_the_prelude::{Numbers, ScaleConfig, infer, train};
    type B = burn::backend::Autodiff<burn::backend::NdArray>;
    let model = ScaleConfig::new(0.5).init::<B>(CPU);
    let model = train(model, burn::optim::SgdConfig::new().init(), &Numbers, CPU);
    // The slope of the mean of (w x - 2 x)^2 is 2 (w - 2) times the mean of x^2: 2 * -1.5 * 2.5.
    let (value, is_above) = infer(&model, CPU);
    assert!((value - (0.5 + 0.1 * 7.5)).abs() < 1e-6 && !is_above, "{value}");
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

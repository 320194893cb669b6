//! Modules.

use burn::backend::{Autodiff, NdArray};

// ANCHOR: derive
use burn::module::{Ignored, Initializer, Module, Param};
use burn::nn::{Dropout, DropoutConfig, Linear, LinearConfig, Relu};
use burn::prelude::*;

/// Multi-layer perceptron whose output is scaled by a learnable factor.
#[derive(Module, Debug)]
pub struct Mlp<B: Backend> {
    hidden: Vec<Linear<B>>,
    output: Linear<B>,
    scale: Param<Tensor<B, 1>>,
    activation: Relu,
    dropout: Dropout,
    labels: Ignored<Vec<String>>,
}

impl<B: Backend> Mlp<B> {
    pub fn new(device: &B::Device) -> Self {
        Mlp {
            hidden: vec![LinearConfig::new(4, 16).init(device), LinearConfig::new(16, 16).init(device)],
            output: LinearConfig::new(16, 3).init(device),
            scale: Initializer::Ones.init([3], device),
            activation: Relu,
            dropout: DropoutConfig::new(0.1).init(),
            labels: Ignored(vec!["setosa".into(), "versicolor".into(), "virginica".into()]),
        }
    }

    /// Class logits: `[batch, 4]` to `[batch, 3]`.
    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let x = self.hidden.iter().fold(x, |x, layer| self.activation.forward(layer.forward(x)));
        self.output.forward(self.dropout.forward(x)) * self.scale.val().unsqueeze()
    }
}
// ANCHOR_END: derive

type Plain = NdArray;
type A = Autodiff<NdArray>;

#[test]
fn a_module_is_used_and_printed() {
    // ANCHOR: use
    let device = Default::default();
    let mlp: Mlp<NdArray> = Mlp::new(&device);
    let logits = mlp.forward(Tensor::ones([8, 4], &device));
    assert_eq!(logits.dims(), [8, 3]);
    assert_eq!(mlp.num_params(), (4 * 16 + 16) + (16 * 16 + 16) + (16 * 3 + 3) + 3);
    println!("{mlp}");
    // ANCHOR_END: use
    let printed = "\
Mlp {
  hidden: {
    0: Linear {d_input: 4, d_output: 16, bias: true, params: 80}
    1: Linear {d_input: 16, d_output: 16, bias: true, params: 272}
  }
  output: Linear {d_input: 16, d_output: 3, bias: true, params: 51}
  scale: Param {shape: [3], kind: Float}
  activation: Relu
  dropout: Dropout {prob: 0.1}
  labels: [\"setosa\", \"versicolor\", \"virginica\"]
  params: 406
}";
    assert_eq!(mlp.to_string(), printed);
    assert!(include_str!("../../src/building-blocks/module.md").contains(printed));
}

#[test]
fn parameters_are_made_when_they_are_used() {
    let device: <Plain as Backend>::Device = Default::default();
    // ANCHOR: param
    // Drawn when it is first used; the shape is known before.
    let weight: Param<Tensor<NdArray, 2>> = Initializer::XavierUniform { gain: 1.0 }.init([256, 64], &device);
    assert!(!weight.is_initialized());
    assert_eq!(weight.dims(), [256, 64]);

    // The tensor, and a parameter from one.
    let transposed: Tensor<NdArray, 2> = weight.val().transpose();
    let other = Param::from_tensor(transposed);

    // Other values under the same identifier.
    let id = other.id();
    let halved = other.map(|values| values * 0.5);
    assert_eq!(halved.id(), id);
    // ANCHOR_END: param
    assert!(weight.is_initialized());
}

// ANCHOR: visitor
use burn::module::{ModuleMapper, ModuleVisitor, ParamId};

/// Collects the path, the shape and the root mean square of every float parameter.
#[derive(Default)]
struct Summary {
    path: Vec<String>,
    rows: Vec<(String, Vec<usize>, f64)>,
}

impl<B: Backend> ModuleVisitor<B> for Summary {
    fn visit_float<const D: usize>(&mut self, _id: ParamId, tensor: &Tensor<B, D>) {
        let rms = tensor.clone().square().mean().sqrt().into_scalar().elem();
        self.rows.push((self.path.join("."), tensor.dims().to_vec(), rms));
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.push(name.to_string());
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
    }
}
// ANCHOR_END: visitor

// ANCHOR: mapper
/// Clamps the elements of every float parameter.
struct ClampWeights(f64);

impl<B: Backend> ModuleMapper<B> for ClampWeights {
    fn map_float<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D>) -> Tensor<B, D> {
        tensor.clamp(-self.0, self.0)
    }
}
// ANCHOR_END: mapper

#[test]
fn visitors_see_and_mappers_change_all_parameters() {
    let device = Default::default();
    let mlp: Mlp<NdArray> = Mlp::new(&device);
    // ANCHOR: walk
    let mut summary = Summary::default();
    mlp.visit(&mut summary);
    let paths: Vec<&str> = summary.rows.iter().map(|(path, ..)| path.as_str()).collect();
    assert_eq!(paths[..2], ["hidden.0.weight", "hidden.0.bias"]);

    let mlp = mlp.map(&mut ClampWeights(0.01));
    // ANCHOR_END: walk
    assert_eq!(paths.len(), 7);
    assert_eq!(summary.rows[0].1, [4, 16]);
    let largest: f32 = mlp.output.weight.val().abs().max().into_scalar();
    assert!(largest <= 0.01);
}

#[test]
fn frozen_parameters_get_no_gradient() {
    let device = Default::default();
    // ANCHOR: freeze
    let mut mlp: Mlp<Autodiff<NdArray>> = Mlp::new(&device);
    // All parameters of a part, or a single one.
    mlp.hidden = mlp.hidden.no_grad();
    mlp.scale = mlp.scale.set_require_grad(false);

    let gradients = mlp.forward(Tensor::ones([8, 4], &device)).sum().backward();
    assert!(mlp.hidden[0].weight.val().grad(&gradients).is_none());
    assert!(mlp.output.weight.val().grad(&gradients).is_some());
    // ANCHOR_END: freeze
}

#[test]
fn a_module_moves_between_devices() {
    let device = Default::default();
    let mlp: Mlp<A> = Mlp::new(&device);
    // ANCHOR: devices
    let devices = mlp.devices();
    assert_eq!(devices, [device]);
    // Moves the parameters, which keep their identifiers.
    let mlp = mlp.to_device(&device);
    // A copy for another thread or device, which shares no graph with this module.
    let replica = mlp.clone().fork(&device);
    // ANCHOR_END: devices
    assert_eq!(replica.num_params(), mlp.num_params());
}

#[test]
fn evaluation_mode_is_a_type() {
    let device = Default::default();
    // ANCHOR: valid
    let mlp: Mlp<Autodiff<NdArray>> = Mlp::new(&device);
    let evaluated: Mlp<NdArray> = mlp.valid();
    let x = Tensor::<NdArray, 2>::ones([8, 4], &device);
    // Dropout is the identity: the output is the same each time.
    assert_eq!(evaluated.forward(x.clone()).into_data(), evaluated.forward(x).into_data());
    // ANCHOR_END: valid
    let x = Tensor::<A, 2>::ones([64, 4], &device);
    assert_ne!(mlp.forward(x.clone()).into_data(), mlp.forward(x).into_data());
}

// ANCHOR: constant
use burn::module::RunningState;

/// Subtracts a running mean of the features, and adds a constant.
#[derive(Module, Debug)]
pub struct Center<B: Backend> {
    /// Saved, without gradient, and updated in `forward`.
    mean: RunningState<B, 1>,
    /// Buffer that is not saved; it moves to other devices with the module.
    offset: Tensor<B, 1>,
    momentum: f64,
}

impl<B: Backend> Center<B> {
    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let batch = x.clone().mean_dim(0).squeeze_dim::<1>(0);
        self.mean.update(|mean| mean * (1.0 - self.momentum) + batch * self.momentum);
        x - self.mean.value().unsqueeze() + self.offset.clone().unsqueeze()
    }
}
// ANCHOR_END: constant

#[test]
fn running_state_is_saved_and_constants_are_not() {
    let device = Default::default();
    let center = |offset| Center::<NdArray> {
        mean: RunningState::new(Initializer::Zeros.init([2], &device)),
        offset: Tensor::full([2], offset, &device),
        momentum: 0.5,
    };
    let trained = center(0.0);
    let y = trained.forward(Tensor::from_data([[2.0, 4.0], [2.0, 8.0]], &device));
    assert_eq!(y.into_data().to_f64(), [1.0, 1.0, 1.0, 5.0]);
    let loaded = center(7.0).load_record(trained.into_record());
    assert_eq!(loaded.mean.value().into_data().to_f64(), [1.0, 3.0]);
    assert_eq!(loaded.offset.into_data().to_f64(), [7.0, 7.0]);
}

// ANCHOR: generic
/// Adds the input of any module with one tensor in and one out to its output.
#[derive(Module, Debug)]
pub struct Residual<B: Backend, M> {
    inner: M,
    scale: Param<Tensor<B, 1>>,
}

impl<B: Backend> Residual<B, Linear<B>> {
    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        x.clone() + self.inner.forward(x) * self.scale.val().unsqueeze()
    }
}

/// Head of the model: one of several architectures, chosen when the program runs.
#[derive(Module, Debug)]
pub enum Head<B: Backend> {
    Linear(Linear<B>),
    Mlp(Mlp<B>),
}

impl<B: Backend> Head<B> {
    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        match self {
            Head::Linear(layer) => layer.forward(x),
            Head::Mlp(mlp) => mlp.forward(x),
        }
    }
}
// ANCHOR_END: generic

#[test]
fn modules_are_generic_and_enums() {
    let device = Default::default();
    let scale = Initializer::Zeros.init([4], &device);
    let residual: Residual<Plain, _> = Residual { inner: LinearConfig::new(4, 4).init(&device), scale };
    let x = Tensor::<Plain, 2>::ones([2, 4], &device);
    assert_eq!(residual.forward(x.clone()).into_data(), x.clone().into_data());
    let heads = [Head::Linear(LinearConfig::new(4, 3).init(&device)), Head::Mlp(Mlp::new(&device))];
    assert_eq!(heads.map(|head| head.forward(x.clone()).dims()), [[2, 3], [2, 3]]);
}

// ANCHOR: display
use burn::module::{Content, DisplaySettings, ModuleDisplay};

#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Affine<B: Backend> {
    weight: Param<Tensor<B, 2>>,
    bias: Option<Param<Tensor<B, 1>>>,
}

impl<B: Backend> ModuleDisplay for Affine<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        DisplaySettings::new().with_new_line_after_attribute(false).optional()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [inputs, outputs] = self.weight.dims();
        content.add("inputs", &inputs).add("outputs", &outputs).add("bias", &self.bias.is_some()).optional()
    }
}
// ANCHOR_END: display

#[test]
fn a_display_of_ones_own() {
    let device = Default::default();
    let affine: Affine<Plain> = Affine { weight: Initializer::Ones.init([2, 3], &device), bias: None };
    let printed = "Affine {inputs: 2, outputs: 3, bias: false, params: 6}";
    assert_eq!(affine.to_string(), printed);
    assert!(include_str!("../../src/building-blocks/module.md").contains(printed));
}

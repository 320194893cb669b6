//! How modules are printed.

use crate::models::Mlp;
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::{Backend, Tensor};
use burn_ndarray::NdArray;

type B = NdArray;

#[derive(Module, Clone, Debug)]
enum Padding {
    Valid,
}

#[derive(Module, Debug)]
#[module(custom_display)]
struct Conv2d<B: Backend> {
    weight: Param<Tensor<B, 4>>,
    bias: Option<Param<Tensor<B, 1>>>,
    stride: [usize; 2],
    padding: Padding,
}

fn one_line() -> Option<DisplaySettings> {
    DisplaySettings::new().with_new_line_after_attribute(false).optional()
}

impl<B: Backend> ModuleDisplay for Conv2d<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [_, inputs, kernel_size @ ..] = self.weight.dims();
        content
            .add_debug("stride", &self.stride)
            .add_debug("kernel_size", &kernel_size)
            .add_debug("dilation", &[1, 1])
            .add("groups", &inputs.min(1))
            .add_debug("padding", &self.padding)
            .optional()
    }
}

#[derive(Module, Clone, Debug)]
#[module(custom_display)]
struct AdaptiveAvgPool2d {
    output_size: [usize; 2],
}

impl ModuleDisplay for AdaptiveAvgPool2d {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}

#[derive(Module, Clone, Debug)]
#[module(custom_display)]
struct Dropout {
    prob: f64,
}

impl ModuleDisplay for Dropout {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
}

#[derive(Module, Debug)]
#[module(custom_display)]
struct Linear<B: Backend> {
    weight: Param<Tensor<B, 2>>,
    bias: Option<Param<Tensor<B, 1>>>,
}

impl<B: Backend> ModuleDisplay for Linear<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [d_input, d_output] = self.weight.dims();
        content
            .add("d_input", &d_input)
            .add("d_output", &d_output)
            .add("bias", &self.bias.is_some())
            .optional()
    }
}

#[derive(Module, Clone, Debug)]
struct Relu;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    conv: Conv2d<B>,
    pool: AdaptiveAvgPool2d,
    dropout: Dropout,
    linear: Linear<B>,
    activation: Relu,
}

fn model() -> Model<B> {
    let device = Default::default();
    Model {
        conv: Conv2d {
            weight: Initializer::TORCH.init([8, 1, 3, 3], &device),
            bias: Some(Initializer::Zeros.init([8], &device)),
            stride: [1, 1],
            padding: Padding::Valid,
        },
        pool: AdaptiveAvgPool2d { output_size: [8, 8] },
        dropout: Dropout { prob: 0.5 },
        linear: Linear {
            weight: Initializer::TORCH.init([512, 10], &device),
            bias: Some(Initializer::Zeros.init([10], &device)),
        },
        activation: Relu,
    }
}

const GOLDEN: &str = "\
Model {
  conv: Conv2d {stride: [1, 1], kernel_size: [3, 3], dilation: [1, 1], groups: 1, padding: Valid, params: 80}
  pool: AdaptiveAvgPool2d {output_size: [8, 8]}
  dropout: Dropout {prob: 0.5}
  linear: Linear {d_input: 512, d_output: 10, bias: true, params: 5130}
  activation: Relu
  params: 5210
}";

/// Layers of every kind that print themselves; the network of the guide is printed in `burn`.
#[test]
fn a_model_prints_a_line_for_each_layer_and_makes_no_parameter() {
    let model = model();
    assert_eq!(model.to_string(), GOLDEN);
    assert!(!model.linear.weight.is_initialized(), "printing makes no parameters");
}

/// Settings of a parent reach the parts that have none.
#[derive(Module, Debug)]
#[module(custom_display)]
struct Outer<B: Backend> {
    inner: Inner<B>,
    relu: Relu,
}

#[derive(Module, Debug)]
struct Inner<B: Backend> {
    weight: Param<Tensor<B, 1>>,
    size: usize,
}

impl<B: Backend> ModuleDisplay for Outer<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        let settings = DisplaySettings::new().with_show_num_parameters(false).with_indentation_size(4);
        settings.with_show_all_attributes(true).with_show_param_id(true).optional()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content.add("more", &1.5).optional()
    }
}

#[test]
fn settings_are_inherited_and_all_attributes_come_before_custom_ones() {
    let inner = Inner::<B> { weight: Initializer::Ones.init([3], &Default::default()), size: 3 };
    let id = inner.weight.id();
    let outer = Outer { inner, relu: Relu };
    let expected = format!(
        "Outer {{
    inner: Inner {{
        weight: Param {{id: {id}, shape: [3], kind: Float}}
        size: 3
    }}
    relu: Relu
    more: 1.5
}}"
    );
    assert_eq!(outer.to_string(), expected);
}

#[test]
fn lists_options_and_enums_print_what_they_hold() {
    let text = Mlp::<B>::new(2, &Default::default()).to_string();
    let expected = "\
Mlp {
  first: Affine {
    weight: Param {shape: [2, 2], kind: Float}
    bias: Param {shape: [2], kind: Float}
    params: 6
  }
  hidden: {
    0: Affine {";
    assert!(text.starts_with(expected), "{text}");
    for line in [
        "  last: Affine {\n",
        "  scale: Scale {\n    factor: 0.5\n  }\n",
        "  sizes: [2, 2]\n",
        "  name: mlp\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(text.ends_with("\n  params: 36\n}"), "{text}");
}

//! NN, LO: layers and losses.

use crate::expect::{exactly, nearly};
use crate::given::{B, CPU, float, int};
use crate::torch;
use burn::backend::{Autodiff, NdArray};
use burn::module::{AutodiffModule, Initializer, Module, Param};
use burn::nn::conv::{Conv1d, Conv1dConfig, Conv2d, Conv2dConfig};
use burn::nn::loss::{CrossEntropyLoss, CrossEntropyLossConfig, HuberLossConfig, MseLoss, Reduction};
use burn::nn::pool::{
    AdaptiveAvgPool1dConfig, AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig, AvgPool1dConfig, AvgPool2dConfig,
    MaxPool1dConfig, MaxPool2dConfig,
};
use burn::nn::{
    Dropout, DropoutConfig, Gelu, LeakyReluConfig, Linear, LinearConfig, PaddingConfig1d, PaddingConfig2d,
    Relu,
};
use burn::tensor::activation;
use burn::tensor::backend::Backend;
use burn::tensor::{Int, Shape, Tensor};

/// Returns the numbers of the function of the same name in `scripts/spec_fixtures.py`.
pub fn ramp<const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    let count = Shape::new(shape).num_elements() as i64;
    ((Tensor::<B, 1, Int>::arange(0..count, CPU) * 7 % 11 - 5).float() / 4)
        .reshape(shape.map(|size| size as i64))
}

#[test]
fn nn_001_linear() {
    let mut linear = LinearConfig::new(2, 3).init::<B>(CPU);
    linear.weight = Param::from_data([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], CPU);
    linear.bias = Some(Param::from_data([0.5, -0.5, 0.0], CPU));
    exactly(linear.forward(float::<2>([[1.0, 2.0]])), [[9.5, 11.5, 15.0]]);
    exactly(linear.forward(float::<3>([[[1.0, 0.0]], [[0.0, 1.0]]])), [[[1.5, 1.5, 3.0]], [[4.5, 4.5, 6.0]]]);
    let without = LinearConfig::new(2, 3).with_bias(false).init::<B>(CPU);
    assert!(without.bias.is_none() && LinearConfig::new(2, 3).bias);
    assert_eq!(without.num_params(), 6);
}

#[test]
fn nn_003_dropout_works_while_training_only() {
    let dropout: Dropout = DropoutConfig::new(0.25).init();
    let ones = Tensor::<Autodiff<NdArray>, 1>::ones([10_000], CPU);
    Autodiff::<NdArray>::seed(1);
    let values: Vec<f64> = dropout.forward(ones).into_data().iter().collect();
    let kept = values.iter().filter(|&&value| value != 0.0).count();
    assert!(values.iter().all(|value| *value == 0.0 || (value - 4.0 / 3.0).abs() < 1e-6));
    // Five standard deviations of a binomial count.
    assert!((kept as f64 - 7500.0).abs() < 5.0 * f64::sqrt(10_000.0 * 0.25 * 0.75), "{kept}");
    exactly(dropout.forward(float::<1>([1.0, 2.0, 3.0, 4.0])), [1.0, 2.0, 3.0, 4.0]);

    #[derive(Module, Debug)]
    struct Model<B: Backend> {
        linear: Linear<B>,
        dropout: Dropout,
    }
    let model = Model { linear: LinearConfig::new(1, 1).init::<Autodiff<NdArray>>(CPU), dropout };
    let valid = model.valid();
    exactly(valid.dropout.forward(float::<1>([5.0; 64])), [5.0; 64]);
    assert_eq!(valid.linear.num_params(), 2);
}

#[test]
fn nn_009_gelu() {
    nearly(Gelu::new().forward(float::<1>(torch::X)), torch::GELU);
    #[allow(deprecated)]
    let old: burn::nn::GELU = Gelu::new();
    nearly(old.forward(float::<1>(torch::X)), torch::GELU);
}

#[test]
fn nn_010_relu() {
    exactly(Relu::new().forward(float::<2>([[-1.0, 2.0]])), [[0.0, 2.0]]);
    #[allow(deprecated)]
    let old: burn::nn::ReLU = Relu::new();
    exactly(old.forward(float::<1>([-1.0, 2.0])), [0.0, 2.0]);
}

#[test]
fn nn_011_leaky_relu() {
    let layer = LeakyReluConfig::new().with_negative_slope(0.1).init();
    nearly(layer.forward(float::<1>(torch::X)), torch::LEAKY_RELU);
    nearly(LeakyReluConfig::new().init().forward(float::<1>([-2.0, 3.0])), [-0.02, 3.0]);
}

#[test]
fn nn_016_conv1d() {
    let config = Conv1dConfig::new([2, 3], 3).with_stride(2).with_padding(PaddingConfig1d::Explicit(1));
    let mut conv: Conv1d<B> = config.init(CPU);
    conv.weight = Param::from_tensor(ramp([3, 2, 3]));
    conv.bias = Some(Param::from_tensor(ramp([3])));
    nearly(conv.forward(ramp([2, 2, 6])), torch::CONV1D);
}

#[test]
fn nn_017_conv2d() {
    let config = Conv2dConfig::new([2, 4], [3, 3])
        .with_stride([2, 2])
        .with_padding(PaddingConfig2d::Explicit(1, 1))
        .with_groups(2)
        .with_bias(true);
    let mut conv: Conv2d<B> = config.init(CPU);
    conv.weight = Param::from_tensor(ramp([4, 1, 3, 3]));
    conv.bias = Some(Param::from_tensor(ramp([4])));
    nearly(conv.forward(ramp([1, 2, 5, 5])), torch::CONV2D);

    let config = Conv2dConfig::new([2, 1], [3, 3]).with_bias(false);
    let run = |config: Conv2dConfig| {
        let mut conv: Conv2d<B> = config.init(CPU);
        assert!(conv.bias.is_none());
        conv.weight = Param::from_tensor(ramp([1, 2, 3, 3]));
        conv.forward(ramp([1, 2, 5, 5]))
    };
    let dilated = config.clone().with_dilation([2, 2]).with_padding(PaddingConfig2d::Explicit(2, 1));
    nearly(run(dilated), torch::CONV2D_DILATED);
    nearly(run(config.clone().with_padding(PaddingConfig2d::Same)), torch::CONV2D_SAME);
    assert_eq!(run(config.with_padding(PaddingConfig2d::Valid)).dims(), [1, 1, 3, 3]);
}

#[test]
fn nn_022_adaptive_average_pools() {
    nearly(AdaptiveAvgPool1dConfig::new(4).init().forward(ramp([2, 2, 6])), torch::ADAPTIVE1D);
    nearly(AdaptiveAvgPool2dConfig::new([3, 2]).init().forward(ramp([1, 2, 5, 5])), torch::ADAPTIVE2D);
}

#[test]
fn nn_023_average_pools() {
    let pool = AvgPool1dConfig::new(3).with_stride(2).with_padding(PaddingConfig1d::Explicit(1)).init();
    nearly(pool.forward(ramp([2, 2, 6])), torch::AVG_POOL1D);
    let config =
        AvgPool2dConfig::new([3, 3]).with_stride([2, 2]).with_padding(PaddingConfig2d::Explicit(1, 1));
    nearly(config.init().forward(ramp([1, 2, 5, 5])), torch::AVG_POOL2D);
    let inside = config.with_count_include_pad(false).init();
    nearly(inside.forward(ramp([1, 2, 5, 5])), torch::AVG_POOL2D_INSIDE);
}

#[test]
fn nn_024_max_pools() {
    nearly(MaxPool1dConfig::new(2).with_stride(2).init().forward(ramp([2, 2, 6])), torch::MAX_POOL1D);
    let config =
        MaxPool2dConfig::new([2, 3]).with_stride([2, 1]).with_padding(PaddingConfig2d::Explicit(1, 1));
    nearly(config.init().forward(ramp([1, 2, 5, 5])), torch::MAX_POOL2D);
}

#[test]
fn nn_033_paddings() {
    let size = |padding| {
        let conv: Conv2d<B> = Conv2dConfig::new([1, 1], [3, 5]).with_padding(padding).init(CPU);
        conv.forward(Tensor::zeros([1, 1, 8, 9], CPU)).dims()
    };
    assert_eq!(size(PaddingConfig2d::Valid), [1, 1, 6, 5]);
    assert_eq!(size(PaddingConfig2d::Same), [1, 1, 8, 9]);
    assert_eq!(size(PaddingConfig2d::Explicit(2, 0)), [1, 1, 10, 5]);
}

/// Largest magnitude, and variance.
fn spread<const D: usize>(x: Tensor<B, D>) -> (f64, f64) {
    let values: Vec<f64> = x.into_data().iter().collect();
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    (largest, values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64)
}

#[test]
fn nn_034_default_initialization_is_that_of_pytorch() {
    B::seed(9);
    // Uniform in +-1 / sqrt(fan_in), which has the variance 1 / (3 fan_in).
    let check = |fan_in: usize, (largest, variance): (f64, f64)| {
        let bound = 1.0 / f64::sqrt(fan_in as f64);
        assert!(largest <= bound && largest > 0.98 * bound, "{largest} {bound}");
        assert!((variance * 3.0 * fan_in as f64 - 1.0).abs() < 0.05, "{variance}");
    };
    let linear = LinearConfig::new(100, 200).init::<B>(CPU);
    check(100, spread(linear.weight.val()));
    let bias = LinearConfig::new(100, 20_000).init::<B>(CPU).bias.expect("by default");
    check(100, spread(bias.val()));
    let conv: Conv2d<B> = Conv2dConfig::new([8, 64], [5, 5]).init(CPU);
    check(8 * 25, spread(conv.weight.val()));
}

#[test]
fn nn_034_initializers_have_the_moments_of_their_formulas() {
    B::seed(10);
    // Weights of [fan_in, fan_out] = [100, 200]; the variance of each law.
    let cases = [
        (Initializer::Uniform { min: -0.5, max: 0.5 }, 1.0 / 12.0),
        (Initializer::Normal { mean: 0.0, std: 0.2 }, 0.04),
        (Initializer::KaimingUniform { gain: 1.0, fan_out_only: false }, 1.0 / 100.0),
        (Initializer::KaimingNormal { gain: 2.0, fan_out_only: true }, 4.0 / 200.0),
        (Initializer::XavierUniform { gain: 1.0 }, 2.0 / 300.0),
        (Initializer::XavierNormal { gain: 3.0 }, 9.0 * 2.0 / 300.0),
    ];
    for (initializer, variance) in cases {
        let weight: Param<Tensor<B, 2>> = initializer.init_with([100, 200], Some(100), Some(200), CPU);
        let found = spread(weight.val()).1;
        assert!((found / variance - 1.0).abs() < 0.06, "{initializer:?}: {found} instead of {variance}");
    }
    let constant: Param<Tensor<B, 1>> = Initializer::Constant { value: 0.5 }.init([2], CPU);
    exactly(constant.val(), [0.5, 0.5]);
}

/// Two samples of four classes; `torch::MATRIX` are their logits.
fn cross_entropy(config: CrossEntropyLossConfig) -> Tensor<B, 1> {
    config.init(CPU).forward(float(torch::MATRIX), int([2, 3]))
}

#[test]
fn lo_001_cross_entropy_of_logits() {
    nearly(cross_entropy(CrossEntropyLossConfig::new()), [torch::CROSS_ENTROPY]);
}

#[test]
fn lo_001_options_of_cross_entropy() {
    let new = CrossEntropyLossConfig::new;
    nearly(cross_entropy(new().with_pad_tokens(Some(vec![3]))), [torch::CROSS_ENTROPY_PAD]);
    nearly(cross_entropy(new().with_weights(Some(vec![1.0, 2.0, 3.0, 4.0]))), [torch::CROSS_ENTROPY_WEIGHTS]);
    nearly(cross_entropy(new().with_smoothing(Some(0.1))), [torch::CROSS_ENTROPY_SMOOTH]);
    let loss = new().with_logits(false).init(CPU);
    let probabilities = activation::softmax(float::<2>(torch::MATRIX), 1);
    nearly(loss.forward(probabilities, int([2, 3])), [torch::CROSS_ENTROPY]);
}

#[test]
fn lo_002_cross_entropy_with_an_index_to_leave_out() {
    let loss = CrossEntropyLoss::new(Some(3), CPU);
    nearly(loss.forward(float::<2>(torch::MATRIX), int([2, 3])), [torch::CROSS_ENTROPY_PAD]);
    let loss = CrossEntropyLoss::new(None, CPU);
    nearly(loss.forward(float::<2>(torch::MATRIX), int([2, 3])), [torch::CROSS_ENTROPY]);
}

#[test]
fn lo_003_mean_squared_error() {
    let loss = MseLoss::new().forward(float::<1>([1.0, 2.0]), float([0.0, 4.0]), Reduction::Mean);
    exactly(loss, [2.5]);
    #[allow(deprecated)]
    let old: burn::nn::loss::MSELoss = MseLoss::new();
    exactly(old.forward(float::<1>([1.0, 2.0]), float([0.0, 4.0]), Reduction::Sum), [5.0]);
}

#[test]
fn lo_004_reductions() {
    let loss = |reduction: burn::nn::loss::Reduction| {
        MseLoss::new().forward(float::<2>([[3.0, 0.0], [0.0, 1.0]]), float([[0.0; 2]; 2]), reduction)
    };
    exactly(loss(Reduction::Mean), [2.5]);
    exactly(loss(Reduction::Sum), [10.0]);
    exactly(loss(Reduction::Auto), [2.5]);
}

#[test]
fn lo_005_huber() {
    let loss = HuberLossConfig::new(0.5).init();
    nearly(loss.forward(ramp([6]), Tensor::zeros([6], CPU), Reduction::Mean), [torch::HUBER]);
}

/// `max(x, 0) - x y + log(1 + e^-|x|)`, a plain function.
fn bce_with_logits<B: Backend>(logits: Tensor<B, 1>, targets: Tensor<B, 1>) -> Tensor<B, 1> {
    let positive = logits.clone().max_pair(Tensor::zeros_like(&logits));
    (positive - logits.clone() * targets + ((-logits.abs()).exp() + 1).log()).mean()
}

#[test]
fn lo_006_a_loss_is_a_plain_function() {
    let (logits, targets) = ([2.0, -1.0, 0.5], [1.0, 0.0, 0.0]);
    let x = Tensor::<Autodiff<NdArray>, 1>::from_data(logits, CPU).require_grad();
    let loss = bce_with_logits(x.clone(), Tensor::from_data(targets, CPU));
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let by_definition = logits
        .iter()
        .zip(targets)
        .map(|(&x, y)| -(y * sigmoid(x).ln() + (1.0 - y) * (1.0 - sigmoid(x)).ln()));
    nearly(loss.clone(), [by_definition.sum::<f64>() / 3.0]);
    let slope = [0, 1, 2].map(|i| (sigmoid(logits[i]) - targets[i]) / 3.0);
    nearly(x.grad(&loss.backward()).unwrap(), slope);
    // Where the definition is infinity minus infinity.
    exactly(bce_with_logits(float::<1>([1e4, -1e4]), float([1.0, 0.0])), [0.0]);
    exactly(bce_with_logits(float::<1>([1e4]), float([0.0])), [1e4]);
}

#[derive(Module, Debug)]
struct Model<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
    pool: AdaptiveAvgPool2d,
    dropout: Dropout,
    linear1: Linear<B>,
    linear2: Linear<B>,
    activation: Relu,
}

#[test]
fn mo_022_the_model_of_the_guide_prints_a_line_for_each_layer() {
    let model: Model<B> = Model {
        conv1: Conv2dConfig::new([1, 8], [3, 3]).init(CPU),
        conv2: Conv2dConfig::new([8, 16], [3, 3]).init(CPU),
        pool: AdaptiveAvgPool2dConfig::new([8, 8]).init(),
        dropout: DropoutConfig::new(0.5).init(),
        linear1: LinearConfig::new(16 * 8 * 8, 512).init(CPU),
        linear2: LinearConfig::new(512, 10).init(CPU),
        activation: Relu::new(),
    };
    let golden = "\
Model {
  conv1: Conv2d {stride: [1, 1], kernel_size: [3, 3], dilation: [1, 1], groups: 1, padding: Valid, params: 80}
  conv2: Conv2d {stride: [1, 1], kernel_size: [3, 3], dilation: [1, 1], groups: 1, padding: Valid, params: 1168}
  pool: AdaptiveAvgPool2d {output_size: [8, 8]}
  dropout: Dropout {prob: 0.5}
  linear1: Linear {d_input: 1024, d_output: 512, bias: true, params: 524800}
  linear2: Linear {d_input: 512, d_output: 10, bias: true, params: 5130}
  activation: Relu
  params: 531178
}";
    assert_eq!(model.to_string(), golden);
    assert!(!model.linear1.weight.is_initialized(), "printing makes no parameters");
}

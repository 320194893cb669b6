//! NN, X-201, X-209: activations, small layers, wrapper enums, computed weights.

use crate::expect::{exactly, nearly, panics};
use crate::given::{B, CPU, float, int};
use burn::backend::{Autodiff, NdArray};
use burn::config::Config;
use burn::module::{AutodiffModule, Initializer, Module, ModuleVisitor, Param, ParamId};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::MaxPool2dConfig;
use burn::nn::*;
use burn::tensor::backend::Backend;
use burn::tensor::{Distribution, Tensor, Tolerance};

type A = Autodiff<NdArray>;

const POINTS: [f64; 7] = [-30.0, -2.5, -0.75, 0.0, 0.5, 2.0, 30.0];

#[track_caller]
fn is(layer: impl Forward<Tensor<B, 1>, Output = Tensor<B, 1>>, function: impl Fn(f64) -> f64) {
    nearly(layer.forward(float::<1>(POINTS)), POINTS.map(function));
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn nn_007_instance_norm() {
    let norm = InstanceNormConfig::new(2).init::<B>(CPU);
    let x = [[[1.0, 2.0, 3.0, 6.0], [0.0, -1.0, 1.0, 4.0]]];
    let expected = x.map(|sample| {
        sample.map(|channel: [f64; 4]| {
            let mean = channel.iter().sum::<f64>() / 4.0;
            let variance = channel.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4.0;
            channel.map(|x| (x - mean) / (variance + 1e-5).sqrt())
        })
    });
    nearly(norm.forward(float::<3>(x)), expected);
}

#[test]
fn nn_009_gelu_with_the_tanh_approximation() {
    let layer = GeluConfig::new().with_approximation(GeluApproximation::Tanh).init();
    let scale = (2.0 / std::f64::consts::PI).sqrt();
    is(layer, |x| x * (1.0 + (scale * (x + 0.044715 * x * x * x)).tanh()) / 2.0);
}

#[test]
fn nn_013_hard_sigmoid() {
    is(HardSigmoidConfig::new().init(), |x| (x / 6.0 + 0.5).clamp(0.0, 1.0));
    is(HardSigmoidConfig::new().with_alpha(0.2).with_beta(0.4).init(), |x| (0.2 * x + 0.4).clamp(0.0, 1.0));
}

#[test]
fn nn_014_swiglu() {
    let mut layer = SwiGluConfig::new(2, 1).init::<B>(CPU);
    assert!(layer.linear_inner.bias.is_none());
    layer.linear_inner.weight = Param::from_data([[0.5], [-1.0]], CPU);
    layer.linear_outer.weight = Param::from_data([[2.0], [3.0]], CPU);
    let gate = 0.5 * 1.0 - 2.0;
    nearly(layer.forward(float::<2>([[1.0, 2.0]])), [[gate * sigmoid(gate) * (2.0 + 6.0)]]);
}

#[test]
fn x_201_activations_without_options() {
    is(Identity::new(), |x| x);
    is(HardSwish::new(), |x| x * (x + 3.0).clamp(0.0, 6.0) / 6.0);
    is(Sigmoid::new(), sigmoid);
    is(Tanh::new(), f64::tanh);
    let (alpha, scale) = (1.6732632423543772, 1.0507009873554805);
    is(Selu::new(), |x| scale * if x > 0.0 { x } else { alpha * x.exp_m1() });
    is(Mish::new(), |x| x * x.exp().ln_1p().tanh());
    is(Silu::new(), |x| x * sigmoid(x));
    is(LogSigmoid::new(), |x| x.min(0.0) - (-x.abs()).exp().ln_1p());
    is(Relu6::new(), |x| x.clamp(0.0, 6.0));
    is(Softsign::new(), |x| x / (1.0 + x.abs()));
    is(TanhShrink::new(), |x| x - x.tanh());
}

#[test]
fn x_201_activations_with_options() {
    let softplus = |beta: f64| move |x: f64| ((beta * x).max(0.0) + (-(beta * x).abs()).exp().ln_1p()) / beta;
    is(SoftplusConfig::new().init(), softplus(1.0));
    is(SoftplusConfig::new().with_beta(0.25).init(), softplus(0.25));
    let cut = SoftplusConfig::new().with_threshold(Some(1.0)).init();
    is(cut, |x| if x > 1.0 { x } else { softplus(1.0)(x) });
    is(EluConfig::new().with_alpha(0.5).init(), |x| if x > 0.0 { x } else { 0.5 * x.exp_m1() });
    is(CeluConfig::new().with_alpha(0.5).init(), |x| if x > 0.0 { x } else { 0.5 * (x / 0.5).exp_m1() });
    is(HardtanhConfig::new().init(), |x| x.clamp(-1.0, 1.0));
    is(HardtanhConfig::new().with_min(-2.0).with_max(0.25).init(), |x| x.clamp(-2.0, 0.25));
    is(ThresholdConfig::new(0.5, -7.0).init(), |x| if x > 0.5 { x } else { -7.0 });
    is(HardShrinkConfig::new().with_lambda(0.6).init(), |x| if x.abs() > 0.6 { x } else { 0.0 });
    is(SoftShrinkConfig::new().with_lambda(0.6).init(), |x| x.signum() * (x.abs() - 0.6).max(0.0));
    let glu = GluConfig::new().with_dim(0).init();
    let x = float::<2>([[1.0, -2.0], [0.5, 3.0]]);
    nearly(glu.forward(x.clone()), [[sigmoid(0.5), -2.0 * sigmoid(3.0)]]);
    let sum = 1.0 + 2.0_f64.exp();
    let logits = float::<2>([[1.0, 3.0]]);
    nearly(SoftmaxConfig::new(1).init().forward(logits.clone()), [[1.0 / sum, 2.0_f64.exp() / sum]]);
    nearly(SoftminConfig::new(-1).init().forward(logits.clone()), [[2.0_f64.exp() / sum, 1.0 / sum]]);
    nearly(LogSoftmaxConfig::new(-1).init().forward(logits), [[-sum.ln(), 2.0 - sum.ln()]]);
    let message = panics(|| GluConfig::new().init().forward(float::<1>([1.0, 2.0, 3.0])));
    assert!(message.starts_with("glu: dimension 0 of [3] has the odd size 3"), "{message}");
}

#[test]
fn x_201_sequential_runs_layers_in_order_and_names_parameters_by_position() {
    let model = Sequential::new((
        Conv2dConfig::new([1, 2], [3, 3]).init::<A>(CPU),
        Relu::new(),
        MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init(),
        Flatten::new(),
        LinearConfig::new(2 * 3 * 3, 5).init::<A>(CPU),
    ));
    let x = Tensor::<A, 4>::random([2, 1, 8, 8], Distribution::Default, CPU);
    let y = model.forward(x.clone());
    let (conv, linear) = (&model.layers.0, &model.layers.4);
    let by_hand = model.layers.2.forward(Relu::new().forward(conv.forward(x.clone())));
    let by_hand: Tensor<A, 2> = linear.forward(by_hand.reshape([2, 18]));
    assert_eq!(y.to_data(), by_hand.into_data());

    #[derive(Default)]
    struct Paths(Vec<String>, Vec<String>);
    impl<B: Backend> ModuleVisitor<B> for Paths {
        fn visit_float<const D: usize>(&mut self, _id: ParamId, _tensor: &Tensor<B, D>) {
            self.0.push(self.1.join("."));
        }
        fn enter_module(&mut self, name: &str, _container: &str) {
            self.1.push(name.to_string());
        }
        fn exit_module(&mut self, _name: &str, _container: &str) {
            self.1.pop();
        }
    }
    let mut paths = Paths::default();
    model.visit(&mut paths);
    assert_eq!(paths.0, ["0.weight", "0.bias", "4.weight", "4.bias"]);
    let gradients = y.sum().backward();
    assert!(conv.weight.val().grad(&gradients).is_some() && linear.weight.val().grad(&gradients).is_some());
    // Loading a record and the inner module give the same outputs.
    let valid = model.valid();
    let inner = valid.forward(x.clone().inner());
    let loaded = valid.clone().load_record(valid.into_record());
    assert_eq!(loaded.forward(x.inner()).into_data(), inner.into_data());
}

#[test]
fn x_201_sequential_of_a_list_of_layers() {
    let mut layers = vec![LinearConfig::new(2, 2).with_bias(false).init::<B>(CPU); 3];
    layers.iter_mut().for_each(|layer| layer.weight = Param::from_data([[0.0, 2.0], [1.0, 0.0]], CPU));
    // Each layer maps [a, b] to [b, 2 a].
    exactly(Sequential::new(layers).forward(float::<2>([[1.0, 10.0]])), [[20.0, 4.0]]);
    let optional = Sequential::new((None::<Linear<B>>, Some(Relu::new())));
    exactly(optional.forward(float::<1>([-1.0, 3.0])), [0.0, 3.0]);
}

#[test]
fn x_201_bilinear() {
    let mut layer = BilinearConfig::new(2, 3, 2).init::<B>(CPU);
    let weight = [[[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]], [[0.5, 0.5, 0.5], [-1.0, 0.0, 1.0]]];
    layer.weight = Param::from_data(weight, CPU);
    layer.bias = Some(Param::from_data([10.0, 20.0], CPU));
    let (x1, x2) = ([2.0, 3.0], [1.0, -1.0, 4.0]);
    let expected = [0, 1].map(|k| {
        let sum: f64 = (0..2).flat_map(|i| (0..3).map(move |j| x1[i] * weight[k][i][j] * x2[j])).sum();
        sum + [10.0, 20.0][k]
    });
    nearly(layer.forward(float::<2>([x1]), float([x2])), [expected]);
    let message = panics(|| layer.forward(float::<2>([[1.0, 2.0]]), float([[1.0, 2.0]])));
    assert_eq!(message, "bilinear: wrong last dimension of the input; expected [.., 3], got [1, 2]");
}

#[test]
fn x_201_embedding_bags() {
    let rows = [[1.0, 2.0], [3.0, -4.0], [5.0, 0.5], [-1.0, 8.0]];
    let layer = |config: EmbeddingBagConfig| {
        let mut layer = config.init::<B>(CPU);
        layer.weight = Param::from_data(rows, CPU);
        layer
    };
    let config = || EmbeddingBagConfig::new(4, 2);
    let (indices, offsets) = (|| int::<1>([0, 2, 3, 1, 1]), || int::<1>([0, 3, 3]));
    let sum = layer(config().with_mode(EmbeddingBagMode::Sum));
    exactly(sum.forward_offsets(indices(), offsets()), [[5.0, 10.5], [0.0, 0.0], [6.0, -8.0]]);
    exactly(
        sum.forward_offsets_weighted(indices(), offsets(), float([1.0, 2.0, 0.0, 1.0, -1.0])),
        [[11.0, 3.0], [0.0, 0.0], [0.0, 0.0]],
    );
    let mean = layer(config().with_include_last_offset(true));
    nearly(mean.forward_offsets(indices(), int([0, 2, 5])), [[3.0, 1.25], [5.0 / 3.0, 0.0]]);
    let max = layer(config().with_mode(EmbeddingBagMode::Max).with_padding_idx(Some(1)));
    exactly(max.forward_offsets(indices(), offsets()), [[5.0, 8.0], [0.0, 0.0], [0.0, 0.0]]);
    exactly(max.forward(int([[0, 1], [3, 2]])), [[1.0, 2.0], [5.0, 8.0]]);
    let message = panics(|| mean.forward_weighted(int([[0]]), float([[1.0]])));
    assert_eq!(message, "embedding_bag: weights per index need `mode: Sum`, got `mode: Mean`");
}

#[test]
fn nn_002_embedding_with_a_padding_index_and_a_largest_norm() {
    let layer = EmbeddingConfig::new(3, 2).with_padding_idx(Some(2)).init::<A>(CPU);
    let y = layer.forward(Tensor::from_data([[2, 0]], CPU));
    let gradient = layer.weight.val().grad(&y.sum().backward()).unwrap();
    exactly(gradient, [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]);
    let mut layer = EmbeddingConfig::new(2, 2).with_max_norm(Some(1.0)).init::<B>(CPU);
    layer.weight = Param::from_data([[3.0, 4.0], [0.3, 0.4]], CPU);
    nearly(layer.forward(int([[0, 1]])), [[[0.6, 0.8], [0.3, 0.4]]]);
}

#[test]
fn x_201_local_response_norm() {
    let x = [1.0, 2.0, -3.0, 4.0];
    let layer = LocalResponseNormConfig::new(3).with_alpha(0.6).with_beta(0.5).with_k(2.0).init();
    let expected = [0, 1, 2, 3].map(|channel: usize| {
        let window = channel.saturating_sub(1)..(channel + 2).min(4);
        let sum: f64 = x[window].iter().map(|x| x * x).sum();
        x[channel] / (2.0 + 0.6 * sum / 3.0).sqrt()
    });
    nearly(layer.forward(float::<2>([x])), [expected]);
}

#[test]
fn x_209_activation_is_chosen_by_a_config() {
    let configs = [
        (ActivationConfig::Relu, "\"Relu\"", [0.0, 2.0]),
        (EluConfig::new().with_alpha(0.5).into(), "{\"Elu\":{\"alpha\":0.5}}", [-0.316060279, 2.0]),
        (ActivationConfig::Threshold(ThresholdConfig::new(3.0, 1.0)), "", [1.0, 1.0]),
    ];
    for (config, json, expected) in configs {
        let activation: Activation<B> = config.init(CPU);
        nearly(activation.forward(float::<1>([-1.0, 2.0])), expected);
        if !json.is_empty() {
            let read: ActivationConfig = ActivationConfig::from_json(json).unwrap();
            nearly(read.init::<B>(CPU).forward(float::<1>([-1.0, 2.0])), expected);
        }
    }
    let learnable: Activation<B> = ActivationConfig::PRelu(PReluConfig::new()).init(CPU);
    assert_eq!(learnable.num_params(), 1);
    assert_eq!(learnable.to_string(), "PRelu {num_parameters: 1, params: 1}");
}

#[test]
fn x_209_normalization_is_chosen_by_a_config() {
    let x = || Tensor::<B, 3>::random([2, 4, 5], Distribution::Default, CPU);
    let configs: [NormalizationConfig; 6] = [
        BatchNormConfig::new(1).into(),
        GroupNormConfig::new(1, 1).into(),
        InstanceNormConfig::new(1).into(),
        LayerNormConfig::new(1).into(),
        LocalResponseNormConfig::new(2).into(),
        RmsNormConfig::new(1).into(),
    ];
    for config in configs {
        let last = matches!(config, NormalizationConfig::Layer(_) | NormalizationConfig::Rms(_));
        let features = if last { 5 } else { 4 };
        let config = config.with_num_features(features);
        assert!(config.num_features().is_none_or(|count| count == features));
        let read = NormalizationConfig::from_json(&config.to_string()).unwrap();
        let norm: Normalization<B> = read.init(CPU);
        assert_eq!(norm.forward(x()).dims(), [2, 4, 5]);
    }
    let norm: Normalization<B> =
        NormalizationConfig::Layer(LayerNormConfig::new(2).with_epsilon(0.0)).init(CPU);
    exactly(norm.forward(float::<2>([[1.0, 3.0]])), [[-1.0, 1.0]]);
}

#[test]
fn x_209_gaussian_noise_is_for_training() {
    A::seed(4);
    let noise = GaussianNoiseConfig::new(2.0).init();
    let y: Vec<f64> = noise.forward(Tensor::<A, 1>::zeros([10_000], CPU)).into_data().iter().collect();
    let (mean, square) = (y.iter().sum::<f64>() / 1e4, y.iter().map(|y| y * y).sum::<f64>() / 1e4);
    // Five standard deviations of the mean and of the mean of squares.
    assert!(mean.abs() < 5.0 * 2.0 / 100.0 && (square - 4.0).abs() < 5.0 * 4.0 * 2.0_f64.sqrt() / 100.0);
    exactly(noise.forward(float::<1>([1.0, 2.0])), [1.0, 2.0]);
}

#[test]
fn x_209_alpha_dropout_keeps_mean_and_variance() {
    A::seed(5);
    let dropout = AlphaDropoutConfig::new(0.4).init();
    let x = Tensor::<A, 1>::random([100_000], Distribution::Normal(0.0, 1.0), CPU);
    let y: Vec<f64> = dropout.forward(x).into_data().iter().collect();
    let (mean, square) = (y.iter().sum::<f64>() / 1e5, y.iter().map(|y| y * y).sum::<f64>() / 1e5);
    assert!(mean.abs() < 0.02 && (square - 1.0).abs() < 0.03, "{mean} {square}");
    exactly(dropout.forward(float::<1>([1.0, 2.0])), [1.0, 2.0]);
}

#[test]
fn x_209_weight_norm_starts_as_the_layer_and_separates_length_from_direction() {
    let linear = LinearConfig::new(3, 2).init::<A>(CPU);
    let x = Tensor::<A, 2>::random([4, 3], Distribution::Default, CPU);
    let before = linear.forward(x.clone()).into_data();
    let mut layer: WeightNorm<A, Linear<A>, 2> = WeightNormConfig::new().init(linear);
    let tolerance = Tolerance::<f32>::rel_abs(1e-5, 1e-6);
    layer.forward(x.clone()).into_data().assert_approx_eq::<f32>(&before, tolerance);
    layer.magnitude = Param::from_data([[2.0, 3.0]], CPU);
    let lengths = layer.weight().square().sum_dim(0).sqrt();
    nearly(lengths, [[2.0, 3.0]]);
    // The length of a column does not change along its direction, so the gradient is orthogonal to it.
    let weight = layer.layer.weight.val();
    let gradients = layer.forward(x.clone()).square().sum().backward();
    let gradient = weight.grad(&gradients).unwrap();
    assert!(layer.magnitude.val().grad(&gradients).is_some());
    let along = (gradient * weight.inner()).sum_dim(0);
    along.into_data().assert_approx_eq::<f32>(&[[0.0, 0.0]].into(), Tolerance::absolute(1e-4));
    let after = layer.forward(x.clone()).into_data();
    layer.into_layer().forward(x).into_data().assert_approx_eq::<f32>(&after, tolerance);
}

#[test]
fn x_209_spectral_norm_gives_a_weight_of_norm_one() {
    A::seed(6);
    let conv = Conv2dConfig::new([3, 4], [2, 2])
        .with_initializer(Initializer::Normal { mean: 0.0, std: 3.0 })
        .init::<A>(CPU);
    let config = SpectralNormConfig::new().with_power_iterations(200);
    let layer: SpectralNorm<A, Conv2d<A>, 4> = config.init(conv);
    let matrix = |weight: Tensor<A, 4>| weight.reshape([4, 12]);
    let largest = burn::tensor::linalg::svdvals::<A, 2, 1>(matrix(layer.weight())).max();
    largest.into_data().assert_approx_eq::<f32>(&[1.0].into(), Tolerance::absolute(1e-4));
    // Evaluation does not change the singular vectors.
    let valid = layer.valid();
    let vectors = valid.left.value().into_data();
    let x = Tensor::<B, 4>::ones([1, 3, 4, 4], CPU);
    let y = valid.forward(x.clone()).into_data();
    assert_eq!((valid.left.value().into_data(), valid.forward(x).into_data()), (vectors, y));
}

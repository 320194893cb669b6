//! Errors of layers and losses for inputs that do not fit: the layer's name, and the shapes.

use crate::expect::panics;
use crate::given::CPU;
use burn::backend::NdArray;
use burn::nn::conv::{Conv1dConfig, Conv2dConfig};
use burn::nn::loss::{
    BinaryCrossEntropyLossConfig, CrossEntropyLossConfig, HuberLossConfig, MseLoss, Reduction,
};
use burn::nn::pool::{AvgPool1dConfig, AvgPool2dConfig, MaxPool1dConfig, MaxPool2dConfig};
use burn::nn::{
    BatchNormConfig, EmbeddingConfig, GroupNormConfig, InstanceNormConfig, LayerNormConfig, LinearConfig,
    RmsNormConfig, SwiGluConfig,
};
use burn::tensor::{Int, Tensor};

fn zeros<const D: usize>(shape: [usize; D]) -> Tensor<NdArray, D> {
    Tensor::zeros(shape, CPU)
}

#[test]
fn layers_with_a_wrong_last_dimension_name_themselves() {
    let message =
        |layer: &str| format!("{layer}: wrong last dimension of the input; expected [.., 3], got [2, 4]");
    let linear = LinearConfig::new(3, 2).init::<NdArray>(CPU);
    assert_eq!(panics(|| linear.forward(zeros([2, 4]))), message("linear"));
    let swiglu = SwiGluConfig::new(3, 2).init::<NdArray>(CPU);
    assert_eq!(panics(|| swiglu.forward(zeros([2, 4]))), message("swiglu"));
    let layer_norm = LayerNormConfig::new(3).init::<NdArray>(CPU);
    assert_eq!(panics(|| layer_norm.forward(zeros([2, 4]))), message("layer_norm"));
    let rms_norm = RmsNormConfig::new(3).init::<NdArray>(CPU);
    assert_eq!(panics(|| rms_norm.forward(zeros([2, 4]))), message("rms_norm"));
}

#[test]
fn layers_with_a_wrong_number_of_channels_name_themselves() {
    let message = |layer: &str, shape: &str| {
        format!(
            "{layer}: wrong number of channels (dimension 1) of the input; expected [batch, 4, ..], got {shape}"
        )
    };
    let conv1d = Conv1dConfig::new([4, 2], 3).with_groups(2).init::<NdArray>(CPU);
    assert_eq!(panics(|| conv1d.forward(zeros([1, 2, 8]))), message("conv1d", "[1, 2, 8]"));
    let conv2d = Conv2dConfig::new([4, 2], [3, 3]).init::<NdArray>(CPU);
    assert_eq!(panics(|| conv2d.forward(zeros([1, 3, 8, 8]))), message("conv2d", "[1, 3, 8, 8]"));
    let batch_norm = BatchNormConfig::new(4).init::<NdArray>(CPU);
    assert_eq!(panics(|| batch_norm.forward(zeros([2, 1]))), message("batch_norm", "[2, 1]"));
    let group_norm = GroupNormConfig::new(2, 4).init::<NdArray>(CPU);
    assert_eq!(panics(|| group_norm.forward(zeros([2, 2, 3]))), message("group_norm", "[2, 2, 3]"));
    let instance_norm = InstanceNormConfig::new(4).init::<NdArray>(CPU);
    assert_eq!(panics(|| instance_norm.forward(zeros([8]))), message("instance_norm", "[8]"));
}

#[test]
fn windows_larger_than_the_padded_input_name_the_layer() {
    let message = |layer: &str, window: &str, padded: &str, input: &str| {
        format!(
            "{layer}: the window is larger than the padded input; expected at least {window}, got {padded} \
             (unpadded {input})"
        )
    };
    let conv1d = Conv1dConfig::new([1, 1], 3).with_dilation(2).init::<NdArray>(CPU);
    assert_eq!(panics(|| conv1d.forward(zeros([1, 1, 4]))), message("conv1d", "[5]", "[4]", "[4]"));
    let padding = burn::nn::PaddingConfig2d::Explicit(1, 0);
    let conv2d = Conv2dConfig::new([1, 1], [5, 2]).with_padding(padding).init::<NdArray>(CPU);
    assert_eq!(
        panics(|| conv2d.forward(zeros([1, 1, 2, 2]))),
        message("conv2d", "[5, 2]", "[4, 2]", "[2, 2]")
    );
    let pool = MaxPool1dConfig::new(3).init();
    assert_eq!(panics(|| pool.forward(zeros([1, 1, 2]))), message("max_pool1d", "[3]", "[2]", "[2]"));
    let pool = AvgPool1dConfig::new(3).init();
    assert_eq!(panics(|| pool.forward(zeros([1, 1, 2]))), message("avg_pool1d", "[3]", "[2]", "[2]"));
    let pool = MaxPool2dConfig::new([3, 1]).init();
    assert_eq!(
        panics(|| pool.forward(zeros([1, 1, 2, 2]))),
        message("max_pool2d", "[3, 1]", "[2, 2]", "[2, 2]")
    );
    let pool = AvgPool2dConfig::new([1, 3]).init();
    assert_eq!(
        panics(|| pool.forward(zeros([1, 1, 2, 2]))),
        message("avg_pool2d", "[1, 3]", "[2, 2]", "[2, 2]")
    );
}

#[test]
fn an_index_that_is_no_embedding_names_the_layer() {
    let embedding = EmbeddingConfig::new(4, 2).init::<NdArray>(CPU);
    let message = panics(|| embedding.forward(Tensor::<NdArray, 2, Int>::from_data([[0, 4]], CPU)));
    assert!(message.starts_with("embedding: ") && message.contains('4'), "{message}");
}

#[test]
fn losses_say_which_shapes_do_not_fit() {
    let targets = Tensor::<NdArray, 1, Int>::from_data([0, 1], CPU);
    let loss = CrossEntropyLossConfig::new().init::<NdArray>(CPU);
    assert_eq!(
        panics(|| loss.forward(zeros([1, 3]), targets.clone())),
        "cross_entropy: wrong number of targets for the input [1, 3]; expected [1], got [2]"
    );
    let target = Tensor::<NdArray, 1, Int>::from_data([3], CPU);
    let message = panics(|| loss.forward(zeros([1, 3]), target));
    assert!(message.starts_with("cross_entropy: ") && message.contains('3'), "{message}");
    let loss = CrossEntropyLossConfig::new().with_weights(Some(vec![1.0])).init::<NdArray>(CPU);
    assert_eq!(
        panics(|| loss.forward(zeros([2, 3]), targets.clone())),
        "cross_entropy: wrong number of weights for the input [2, 3]; expected [3], got [1]"
    );
    let loss = BinaryCrossEntropyLossConfig::new().init::<NdArray>(CPU);
    assert_eq!(
        panics(|| loss.forward(zeros([3]), targets.clone())),
        "binary_cross_entropy: input and targets have different shapes; expected targets [3], got [2]"
    );
    let message = |loss: &str| {
        format!("{loss}: prediction and target have different shapes; expected a target [2, 3], got [2, 4]")
    };
    let mse = || MseLoss::new().forward(zeros([2, 3]), zeros([2, 4]), Reduction::Mean);
    assert_eq!(panics(mse), message("mse_loss"));
    let huber = || HuberLossConfig::new(1.0).init().forward(zeros([2, 3]), zeros([2, 4]), Reduction::Mean);
    assert_eq!(panics(huber), message("huber_loss"));
}

#[test]
fn layer_configs_refuse_values_out_of_range_by_field() {
    use burn::config::ConfigError;
    fn refused<T: std::fmt::Debug>(made: Result<T, ConfigError>, text: &str) {
        assert_eq!(made.unwrap_err().to_string(), text);
    }
    refused(
        Conv1dConfig::new([4, 4], 3).with_stride(0).try_init::<NdArray>(CPU),
        "Conv1dConfig: invalid `stride`; expected at least 1, got 0",
    );
    refused(
        Conv2dConfig::new([4, 4], [3, 0]).try_init::<NdArray>(CPU),
        "Conv2dConfig: invalid `kernel_size`; expected at least 1 in every dimension, got [3, 0]",
    );
    refused(
        Conv2dConfig::new([4, 4], [3, 3]).with_groups(0).try_init::<NdArray>(CPU),
        "Conv2dConfig: invalid `groups`; expected a divisor of the channels [4, 4], got 0",
    );
    refused(
        MaxPool2dConfig::new([2, 2]).with_dilation([0, 1]).try_init(),
        "MaxPool2dConfig: invalid `dilation`; expected at least 1 in every dimension, got [0, 1]",
    );
    refused(
        AvgPool1dConfig::new(0).try_init(),
        "AvgPool1dConfig: invalid `kernel_size`; expected at least 1, got 0",
    );
    refused(
        GroupNormConfig::new(3, 4).try_init::<NdArray>(CPU),
        "GroupNormConfig: invalid `num_groups`; expected a divisor of the 4 channels, got 3",
    );
    refused(
        BatchNormConfig::new(4).with_epsilon(-1e-5).try_init::<NdArray>(CPU),
        "BatchNormConfig: invalid `epsilon`; expected a finite number of at least 0, got -1e-5",
    );
    refused(
        CrossEntropyLossConfig::new().with_weights(Some(vec![1.0, f64::NAN])).try_init::<NdArray>(CPU),
        "CrossEntropyLossConfig: invalid `weights[1]`; expected a finite number of at least 0, got NaN",
    );
    refused(
        HuberLossConfig::new(0.0).try_init(),
        "HuberLossConfig: invalid `delta`; expected a finite number above 0, got 0.0",
    );
}

//! All configs of the crate. `configs_are_all_in_the_registry` fails when one is missing, and a field that is
//! missing here does not compile.

use crate::sweep::{Entry, Random};
use crate::values::FieldValues;
use burn_core::config::ConfigError;
use burn_ndarray::NdArray;
use burn_nn::attention::*;
use burn_nn::conv::*;
use burn_nn::interpolate::*;
use burn_nn::lora::*;
use burn_nn::loss::*;
use burn_nn::padding::*;
use burn_nn::pool::*;
use burn_nn::transformer::*;
use burn_nn::*;

/// Each config with right options, and what creates its layer: `init` where no option can be wrong.
macro_rules! registry {
    (
        $(with_device { $($with:ident($($with_arguments:expr),*) { $($with_field:ident),* })* })?
        $(without_device { $($without:ident($($without_arguments:expr),*) { $($without_field:ident),* })* })?
        $(never_wrong { $($plain:ident($($plain_arguments:expr),*) { $($plain_field:ident),* })* })?
        $(of_a_layer {
            $($of:ident($($of_arguments:expr),*) { $($of_field:ident),* } |$config:ident| $init:expr;)*
        })?
    ) => {
        pub fn registry() -> Vec<Entry> {
            let mut entries = vec![
                $($(entry!($with($($with_arguments),*) { $($with_field),* } |config| {
                    config.try_init::<NdArray>(&Default::default()).map(drop)
                }),)*)?
                $($(entry!($without($($without_arguments),*) { $($without_field),* } |config| {
                    config.try_init().map(drop)
                }),)*)?
                $($(entry!($plain($($plain_arguments),*) { $($plain_field),* } |config| {
                    config.init();
                    Ok(())
                }),)*)?
                $($(entry!($of($($of_arguments),*) { $($of_field),* } |$config| $init),)*)?
            ];
            entries.extend(choices());
            entries
        }
    };
}

macro_rules! entry {
    ($config:ident($($argument:expr),*) { $($field:ident),* } |$value:ident| $init:expr) => {{
        fn all(visit: &mut dyn FnMut(String, &dyn Fn() -> Result<(), ConfigError>)) {
            fn init($value: &$config) -> Result<(), ConfigError> {
                $init
            }
            let right = $config::new($($argument),*);
            // Without `..`: a field that the list lacks does not compile.
            let $config { $($field: _),* } = &right;
            visit(format!("{right:?}"), &|| init(&right));
            $(
                for value in values_of(&right.$field) {
                    let mut config = right.clone();
                    config.$field = value;
                    visit(format!("{config:?}"), &|| init(&config));
                }
            )*
        }
        #[allow(unused_mut, unused_variables)]
        fn random(
            random: &mut Random,
            visit: &mut dyn FnMut(String, &dyn Fn() -> Result<(), ConfigError>),
        ) {
            fn init($value: &$config) -> Result<(), ConfigError> {
                $init
            }
            let mut config = $config::new($($argument),*);
            $(
                if random.below(3) == 0 {
                    let mut values = values_of(&config.$field);
                    config.$field = values.swap_remove(random.below(values.len()));
                }
            )*
            visit(format!("{config:?}"), &|| init(&config));
        }
        Entry { name: stringify!($config), all, random }
    }};
}

fn values_of<T: FieldValues>(_field: &T) -> Vec<T> {
    T::values()
}

fn linear() -> Linear<NdArray> {
    LinearConfig::new(3, 2).init(&Default::default())
}

registry! {
    with_device {
        SwiGluConfig(4, 6) { d_input, d_output, bias, initializer }
        PReluConfig() { num_parameters, alpha }
        EmbeddingConfig(5, 4) {
            n_embedding, d_model, padding_idx, max_norm, norm_type, scale_grad_by_frequency, initializer
        }
        EmbeddingBagConfig(5, 4) {
            n_embedding, d_model, mode, padding_idx, max_norm, norm_type, scale_grad_by_frequency,
            include_last_offset, initializer
        }
        CrossAttentionConfig(8, 6, 2) {
            d_model, d_context, n_heads, n_key_value_heads, d_head, dropout, bias, quiet_softmax, initializer
        }
        MultiHeadAttentionConfig(8, 2) {
            d_model, n_heads, n_key_value_heads, d_head, d_key, d_value, dropout, bias, quiet_softmax, initializer
        }
        RnnConfig(3, 4, true) {
            d_input, d_hidden, bias, nonlinearity, num_layers, dropout, batch_first, initializer
        }
        BiRnnConfig(3, 4, true) {
            d_input, d_hidden, bias, nonlinearity, num_layers, dropout, batch_first, initializer
        }
        GruConfig(3, 4, true) {
            d_input, d_hidden, bias, reset_after, num_layers, dropout, batch_first, initializer
        }
        BiGruConfig(3, 4, true) {
            d_input, d_hidden, bias, reset_after, num_layers, dropout, batch_first, initializer
        }
        LstmConfig(3, 4, true) { d_input, d_hidden, bias, num_layers, dropout, batch_first, initializer }
        BiLstmConfig(3, 4, true) { d_input, d_hidden, bias, num_layers, dropout, batch_first, initializer }
        LinearConfig(4, 3) { d_input, d_output, bias, initializer }
        BilinearConfig(4, 3, 2) { d_input1, d_input2, d_output, bias, initializer }
        BatchNormConfig(4) { num_features, epsilon, momentum }
        LayerNormConfig(4) { d_model, epsilon, bias }
        GroupNormConfig(2, 4) { num_groups, num_channels, epsilon, affine }
        RmsNormConfig(4) { d_model, epsilon }
        InstanceNormConfig(4) { num_channels, epsilon, affine }
        Conv1dConfig([4, 6], 3) {
            channels, kernel_size, stride, dilation, groups, padding, padding_mode, bias, initializer
        }
        Conv2dConfig([4, 6], [3, 2]) {
            channels, kernel_size, stride, dilation, groups, padding, padding_mode, bias, initializer
        }
        Conv3dConfig([4, 6], [3, 2, 1]) {
            channels, kernel_size, stride, dilation, groups, padding, padding_mode, bias, initializer
        }
        ConvTranspose1dConfig([4, 6], 3) {
            channels, kernel_size, stride, dilation, groups, padding, padding_out, bias, initializer
        }
        ConvTranspose2dConfig([4, 6], [3, 2]) {
            channels, kernel_size, stride, dilation, groups, padding, padding_out, bias, initializer
        }
        ConvTranspose3dConfig([4, 6], [3, 2, 1]) {
            channels, kernel_size, stride, dilation, groups, padding, padding_out, bias, initializer
        }
        DeformConv2dConfig([4, 6], [3, 2]) {
            channels, kernel_size, stride, dilation, weight_groups, offset_groups, padding, bias, initializer
        }
        BinaryCrossEntropyLossConfig() { weights, positive_weights, smoothing, logits }
        NllLossConfig() { weights, ignore_index }
        CrossEntropyLossConfig() { pad_tokens, weights, smoothing, logits }
        MultiMarginLossConfig() { p, margin, weights }
        TransformerEncoderConfig(8, 16, 2, 1) {
            d_model, d_ff, n_heads, n_layers, dropout, norm_first, final_norm, layer_norm_eps, activation,
            gated_feed_forward, n_key_value_heads, bias, quiet_softmax, initializer
        }
        TransformerDecoderConfig(8, 16, 2, 1) {
            d_model, d_ff, n_heads, n_layers, dropout, norm_first, final_norm, layer_norm_eps, activation,
            gated_feed_forward, n_key_value_heads, bias, quiet_softmax, initializer
        }
        PositionWiseFeedForwardConfig(8, 16) { d_model, d_ff, dropout, activation, gated, bias, initializer }
        RotaryEncodingConfig(16, 4) { max_sequence_length, d_model, theta, interleaved }
        PositionalEncodingConfig(4) { d_model, max_sequence_size, max_timescale }
    }
    without_device {
        LinearCrossEntropyLossConfig() { block_rows, pad_tokens, smoothing }
        CeluConfig() { alpha }
        EluConfig() { alpha }
        SoftplusConfig() { beta, threshold }
        SoftShrinkConfig() { lambda }
        HardtanhConfig() { min, max }
        LeakyReluConfig() { negative_slope }
        HardSigmoidConfig() { alpha, beta }
        ThresholdConfig(0.0, 1.0) { threshold, value }
        HardShrinkConfig() { lambda }
        Dropout1dConfig(0.5) { prob }
        Dropout2dConfig(0.5) { prob }
        Dropout3dConfig(0.5) { prob }
        Interpolate1dConfig() { output_size, scale_factor, mode, align_corners, recompute_scale_factor }
        Interpolate2dConfig() { output_size, scale_factor, mode, align_corners, recompute_scale_factor }
        Interpolate3dConfig() { output_size, scale_factor, mode, align_corners, recompute_scale_factor }
        UpsampleConfig() { output_size, scale_factor, mode, align_corners, recompute_scale_factor }
        Fold4dConfig([4, 4], [2, 2]) { output_size, kernel_size, stride, dilation, padding }
        Unfold4dConfig([2, 2]) { kernel_size, stride, dilation, padding }
        GaussianNoiseConfig(0.5) { std }
        ChannelShuffleConfig(2) { groups }
        LocalResponseNormConfig(3) { size, alpha, beta, k }
        DropoutConfig(0.5) { prob }
        AlphaDropoutConfig(0.5) { prob, channels }
        HuberLossConfig(1.0) { delta }
        MarginRankingLossConfig() { margin }
        CosineEmbeddingLossConfig() { margin }
        FocalLossConfig() { alpha, gamma }
        PoissonNllLossConfig() { log_input, full, epsilon }
        SmoothL1LossConfig() { beta }
        GaussianNllLossConfig() { full, epsilon }
        TripletMarginLossConfig() { margin, p, epsilon, swap }
        HingeEmbeddingLossConfig() { margin }
        AvgPool1dConfig(3) { kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override }
        AvgPool2dConfig([3, 2]) { kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override }
        AvgPool3dConfig([3, 2, 2]) { kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override }
        LpPool1dConfig(2.0, 3) { norm_type, kernel_size, stride, ceil_mode }
        LpPool2dConfig(2.0, [3, 2]) { norm_type, kernel_size, stride, ceil_mode }
        LpPool3dConfig(2.0, [3, 2, 2]) { norm_type, kernel_size, stride, ceil_mode }
        MaxPool1dConfig(3) { kernel_size, stride, padding, dilation, ceil_mode }
        MaxPool2dConfig([3, 2]) { kernel_size, stride, padding, dilation, ceil_mode }
        MaxPool3dConfig([3, 2, 2]) { kernel_size, stride, padding, dilation, ceil_mode }
        MaxUnpool1dConfig(3) { kernel_size, stride, padding }
        MaxUnpool2dConfig([3, 2]) { kernel_size, stride, padding }
        MaxUnpool3dConfig([3, 2, 2]) { kernel_size, stride, padding }
        AdaptiveMaxPool1dConfig(3) { output_size }
        AdaptiveMaxPool2dConfig([3, 2]) { output_size }
        AdaptiveMaxPool3dConfig([3, 2, 2]) { output_size }
        AdaptiveAvgPool1dConfig(3) { output_size }
        AdaptiveAvgPool2dConfig([3, 2]) { output_size }
        AdaptiveAvgPool3dConfig([3, 2, 2]) { output_size }
        PixelShuffleConfig(2) { upscale_factor }
        PixelUnshuffleConfig(2) { downscale_factor }
    }
    never_wrong {
        GluConfig() { dim }
        GeluConfig() { approximation }
        LogSoftmaxConfig(1) { dim }
        SoftmaxConfig(1) { dim }
        SoftminConfig(1) { dim }
        KlDivLossConfig() { log_target }
        CtcLossConfig() { blank, zero_infinity }
        CircularPad1dConfig([(1, 1)]) { padding }
        CircularPad2dConfig([(1, 1); 2]) { padding }
        CircularPad3dConfig([(1, 1); 3]) { padding }
        ConstantPad1dConfig([(1, 1)], 0.5) { padding, value }
        ConstantPad2dConfig([(1, 1); 2], 0.5) { padding, value }
        ConstantPad3dConfig([(1, 1); 3], 0.5) { padding, value }
        ReflectionPad1dConfig([(1, 1)]) { padding }
        ReflectionPad2dConfig([(1, 1); 2]) { padding }
        ReflectionPad3dConfig([(1, 1); 3]) { padding }
        ReplicationPad1dConfig([(1, 1)]) { padding }
        ReplicationPad2dConfig([(1, 1); 2]) { padding }
        ReplicationPad3dConfig([(1, 1); 3]) { padding }
        ZeroPad1dConfig([(1, 1)]) { padding }
        ZeroPad2dConfig([(1, 1); 2]) { padding }
        ZeroPad3dConfig([(1, 1); 3]) { padding }
    }
    of_a_layer {
        LoraConfig(2) { rank, alpha, dropout, targets } |config| config.try_apply(linear()).map(drop);
        WeightNormConfig() { dim } |config| config.try_init(linear()).map(drop);
        SpectralNormConfig() { power_iterations, epsilon, dim } |config| config.try_init(linear()).map(drop);
    }
}

/// The configs that are a choice among others, whose variants have no fields of their own.
pub const CHOICES: [&str; 2] = ["ActivationConfig", "NormalizationConfig"];

fn choices() -> Vec<Entry> {
    macro_rules! choice {
        ($config:ident) => {
            Entry {
                name: stringify!($config),
                all: |visit| {
                    for config in $config::values() {
                        visit(format!("{config:?}"), &|| {
                            config.try_init::<NdArray>(&Default::default()).map(drop)
                        });
                    }
                },
                random: |random, visit| {
                    let mut configs = $config::values();
                    let config = configs.swap_remove(random.below(configs.len()));
                    visit(format!("{config:?}"), &|| {
                        config.try_init::<NdArray>(&Default::default()).map(drop)
                    });
                },
            }
        };
    }
    vec![choice!(ActivationConfig), choice!(NormalizationConfig)]
}

use super::{
    Celu, CeluConfig, Elu, EluConfig, Gelu, GeluConfig, Glu, GluConfig, HardShrink, HardShrinkConfig,
    HardSigmoid, HardSigmoidConfig, HardSwish, Hardtanh, HardtanhConfig, Identity, LeakyRelu,
    LeakyReluConfig, LogSigmoid, LogSoftmax, LogSoftmaxConfig, Mish, PRelu, PReluConfig, Relu, Relu6, Selu,
    Sigmoid, Silu, SoftShrink, SoftShrinkConfig, Softmax, SoftmaxConfig, Softmin, SoftminConfig, Softplus,
    SoftplusConfig, Softsign, SwiGlu, SwiGluConfig, Tanh, TanhShrink, Threshold, ThresholdConfig,
};
use crate::display::one_line;
use burn_core::config::{Config, ConfigError};
use burn_core::module::{Content, DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Declares both enums, the way from one to the other, and what holds for every variant. A variant without
/// options stands as its layer in the module and as its name in the config.
macro_rules! activations {
    (
        plain { $($plain:ident)* }
        configured { $($configured:ident: $config:ident;)* }
        checked { $($checked:ident: $checked_config:ident;)* }
        learnable { $($learnable:ident: $learnable_config:ident;)* }
    ) => {
        /// Choice of an activation function, for configs of models.
        ///
        /// As JSON it is the name of the activation, `"Relu"`, or the name with its options,
        /// `{"Elu": {"alpha": 0.5}}`.
        ///
        /// ```
        /// use burn::backend::NdArray;
        /// use burn::nn::{Activation, ActivationConfig, LeakyReluConfig};
        /// use burn::tensor::Tensor;
        ///
        /// let device = Default::default();
        /// let config = ActivationConfig::LeakyRelu(LeakyReluConfig::new().with_negative_slope(0.5));
        /// let activation: Activation<NdArray> = config.init(&device);
        /// let y = activation.forward(Tensor::<NdArray, 1>::from_data([-1.0, 2.0], &device));
        /// assert_eq!(y.into_data().to_f64(), [-0.5, 2.0]);
        /// ```
        #[derive(Config, Debug)]
        pub enum ActivationConfig {
            $(
                #[doc = concat!("[`", stringify!($plain), "`].")]
                $plain,
            )*
            $(
                #[doc = concat!("[`", stringify!($configured), "`] with its options.")]
                $configured($config),
            )*
            $(
                #[doc = concat!("[`", stringify!($checked), "`] with its options.")]
                $checked($checked_config),
            )*
            $(
                #[doc = concat!("[`", stringify!($learnable), "`] with its options.")]
                $learnable($learnable_config),
            )*
        }

        #[fallible(config)]
        impl ActivationConfig {
            /// Returns the activation, with its parameters, if it has some, on `device`.
            ///
            /// # Errors
            /// An option is out of its range; the error names the field and its value.
            pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<Activation<B>, ConfigError> {
                Ok(match self {
                    $(ActivationConfig::$plain => Activation::$plain($plain::new()),)*
                    $(ActivationConfig::$configured(config) => Activation::$configured(config.init()),)*
                    $(ActivationConfig::$checked(config) => Activation::$checked(config.try_init()?),)*
                    $(ActivationConfig::$learnable(config) => Activation::$learnable(config.try_init(device)?),)*
                })
            }
        }

        /// Activation function that is chosen at run time. PyTorch has no counterpart. Made by
        /// [`ActivationConfig`].
        #[derive(Module, Debug)]
        #[module(custom_display)]
        pub enum Activation<B: Backend> {
            $(
                #[doc = concat!("[`", stringify!($plain), "`].")]
                $plain($plain),
            )*
            $(
                #[doc = concat!("[`", stringify!($configured), "`].")]
                $configured($configured),
            )*
            $(
                #[doc = concat!("[`", stringify!($checked), "`].")]
                $checked($checked),
            )*
            $(
                #[doc = concat!("[`", stringify!($learnable), "`].")]
                $learnable($learnable<B>),
            )*
        }

        impl<B: Backend> Activation<B> {
            /// Applies the activation. The shape is unchanged, except that [`Glu`] halves one dimension and
            /// [`SwiGlu`] maps the last one.
            ///
            /// # Panics
            /// The activation refuses the shape.
            #[track_caller]
            pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
                match self {
                    $(Activation::$plain(layer) => layer.forward(x),)*
                    $(Activation::$configured(layer) => layer.forward(x),)*
                    $(Activation::$checked(layer) => layer.forward(x),)*
                    $(Activation::$learnable(layer) => layer.forward(x),)*
                }
            }
        }

        impl<B: Backend> ModuleDisplay for Activation<B> {
            fn custom_settings(&self) -> Option<DisplaySettings> {
                one_line()
            }
            fn custom_content(&self, content: Content) -> Option<Content> {
                match self {
                    $(Activation::$plain(layer) => layer.custom_content(content),)*
                    $(Activation::$configured(layer) => layer.custom_content(content),)*
                    $(Activation::$checked(layer) => layer.custom_content(content),)*
                    $(Activation::$learnable(layer) => layer.custom_content(content),)*
                }
            }
        }

        $(impl From<$plain> for ActivationConfig {
            fn from(_layer: $plain) -> Self {
                ActivationConfig::$plain
            }
        })*
        $(impl From<$config> for ActivationConfig {
            fn from(config: $config) -> Self {
                ActivationConfig::$configured(config)
            }
        })*
        $(impl From<$checked_config> for ActivationConfig {
            fn from(config: $checked_config) -> Self {
                ActivationConfig::$checked(config)
            }
        })*
        $(impl From<$learnable_config> for ActivationConfig {
            fn from(config: $learnable_config) -> Self {
                ActivationConfig::$learnable(config)
            }
        })*
    };
}

activations! {
    plain { HardSwish Identity LogSigmoid Mish Relu Relu6 Selu Sigmoid Silu Softsign Tanh TanhShrink }
    configured {
        Gelu: GeluConfig;
        Glu: GluConfig;
        LogSoftmax: LogSoftmaxConfig;
        Softmax: SoftmaxConfig;
        Softmin: SoftminConfig;
    }
    checked {
        Celu: CeluConfig;
        Elu: EluConfig;
        HardShrink: HardShrinkConfig;
        HardSigmoid: HardSigmoidConfig;
        Hardtanh: HardtanhConfig;
        LeakyRelu: LeakyReluConfig;
        SoftShrink: SoftShrinkConfig;
        Softplus: SoftplusConfig;
        Threshold: ThresholdConfig;
    }
    learnable {
        PRelu: PReluConfig;
        SwiGlu: SwiGluConfig;
    }
}

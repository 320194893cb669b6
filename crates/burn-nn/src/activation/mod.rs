//! Activation functions as modules. As functions they are in `tensor::activation`.

mod celu;
mod elu;
mod gelu;
mod glu;
mod hard_shrink;
mod hard_sigmoid;
mod hard_swish;
mod hardtanh;
mod identity;
mod leaky_relu;
mod log_sigmoid;
mod log_softmax;
mod mish;
mod prelu;
mod relu;
mod relu6;
mod selu;
mod sigmoid;
mod silu;
mod soft_shrink;
mod softmax;
mod softmin;
mod softplus;
mod softsign;
mod swiglu;
mod tanh;
mod tanh_shrink;
mod threshold;
mod wrapper;

pub use celu::{Celu, CeluConfig};
pub use elu::{Elu, EluConfig};
pub use gelu::{Gelu, GeluApproximation, GeluConfig};
pub use glu::{Glu, GluConfig};
pub use hard_shrink::{HardShrink, HardShrinkConfig};
pub use hard_sigmoid::{HardSigmoid, HardSigmoidConfig};
pub use hard_swish::HardSwish;
pub use hardtanh::{Hardtanh, HardtanhConfig};
pub use identity::Identity;
pub use leaky_relu::{LeakyRelu, LeakyReluConfig};
pub use log_sigmoid::LogSigmoid;
pub use log_softmax::{LogSoftmax, LogSoftmaxConfig};
pub use mish::Mish;
pub use prelu::{PRelu, PReluConfig, PReluRecord};
pub use relu::Relu;
pub use relu6::Relu6;
pub use selu::Selu;
pub use sigmoid::Sigmoid;
pub use silu::Silu;
pub use soft_shrink::{SoftShrink, SoftShrinkConfig};
pub use softmax::{Softmax, SoftmaxConfig};
pub use softmin::{Softmin, SoftminConfig};
pub use softplus::{Softplus, SoftplusConfig};
pub use softsign::Softsign;
pub use swiglu::{SwiGlu, SwiGluConfig, SwiGluRecord};
pub use tanh::Tanh;
pub use tanh_shrink::TanhShrink;
pub use threshold::{Threshold, ThresholdConfig};
pub use wrapper::{Activation, ActivationConfig, ActivationRecord};

/// Former name of [`Relu`].
#[deprecated(note = "use `Relu`")]
pub type ReLU = Relu;
/// Former name of [`Gelu`].
#[deprecated(note = "use `Gelu`")]
pub type GELU = Gelu;
/// Another spelling of [`PRelu`].
pub type Prelu<B> = PRelu<B>;
/// Another spelling of [`PReluConfig`].
pub type PreluConfig = PReluConfig;

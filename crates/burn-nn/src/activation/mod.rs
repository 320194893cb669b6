//! Activation functions as modules. As functions they are in `tensor::activation`.

mod gelu;
mod hard_sigmoid;
mod leaky_relu;
mod prelu;
mod relu;
mod sigmoid;
mod swiglu;
mod tanh;

pub use gelu::Gelu;
pub use hard_sigmoid::{HardSigmoid, HardSigmoidConfig};
pub use leaky_relu::{LeakyRelu, LeakyReluConfig};
pub use prelu::{PRelu, PReluConfig, PReluRecord};
pub use relu::Relu;
pub use sigmoid::Sigmoid;
pub use swiglu::{SwiGlu, SwiGluConfig, SwiGluRecord};
pub use tanh::Tanh;

/// The former name of [`Relu`].
#[deprecated(note = "use `Relu`")]
pub type ReLU = Relu;
/// The former name of [`Gelu`].
#[deprecated(note = "use `Gelu`")]
pub type GELU = Gelu;
/// Another spelling of [`PRelu`].
pub type Prelu<B> = PRelu<B>;
/// Another spelling of [`PReluConfig`].
pub type PreluConfig = PReluConfig;

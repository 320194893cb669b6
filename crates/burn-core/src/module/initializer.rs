use super::{Param, ParamId};
use crate::config::Config;
use crate::tensor::{Backend, Distribution, Shape, Tensor};
use libm::sqrt;

/// How the first values of a parameter are drawn.
///
/// `fan_in` and `fan_out` are how many numbers go into an output and come from an input. Unless the layer gives them,
/// a weight of shape `[a, b]` has `fan_in = a` and `fan_out = b`, and one of shape `[a, b, k1, k2, ..]`, as
/// convolutions have it, `fan_in = b k1 k2 ..` and `fan_out = a k1 k2 ..`.
///
/// PyTorch's default for linear layers and convolutions is [`Initializer::TORCH`].
#[derive(Config, Debug, PartialEq)]
pub enum Initializer {
    /// All elements are `value`.
    Constant { value: f64 },
    /// All elements are 1.
    Ones,
    /// All elements are 0.
    Zeros,
    /// Uniform in `[min, max)`.
    Uniform { min: f64, max: f64 },
    /// Normal with `mean` and standard deviation `std`.
    Normal { mean: f64, std: f64 },
    /// Uniform in `[-r, r)` with `r = gain sqrt(3 / fan)`, where `fan` is `fan_in`, or `fan_out` if `fan_out_only`
    /// (He et al. 2015; `torch.nn.init.kaiming_uniform_`).
    KaimingUniform { gain: f64, fan_out_only: bool },
    /// Normal with mean 0 and standard deviation `gain / sqrt(fan)`, with `fan` as above
    /// (`torch.nn.init.kaiming_normal_`).
    KaimingNormal { gain: f64, fan_out_only: bool },
    /// Uniform in `[-r, r)` with `r = gain sqrt(6 / (fan_in + fan_out))` (Glorot and Bengio 2010;
    /// `torch.nn.init.xavier_uniform_`).
    XavierUniform { gain: f64 },
    /// Normal with mean 0 and standard deviation `gain sqrt(2 / (fan_in + fan_out))`
    /// (`torch.nn.init.xavier_normal_`).
    XavierNormal { gain: f64 },
}

impl Initializer {
    /// What PyTorch gives linear layers and convolutions: `kaiming_uniform_` with `a = sqrt(5)`, which is uniform in
    /// `[-r, r)` with `r = 1 / sqrt(fan_in)`, the range of the bias too.
    pub const TORCH: Initializer =
        Initializer::KaimingUniform { gain: 0.577_350_269_189_625_8, fan_out_only: false };

    /// Returns a parameter of `shape` that is drawn when it is first used; nothing is allocated now.
    ///
    /// # Panics
    /// The shape is not of rank `D`, or a fan is needed and the rank is below 2.
    #[track_caller]
    pub fn init<B: Backend, const D: usize>(
        &self,
        shape: impl Into<Shape>,
        device: &B::Device,
    ) -> Param<Tensor<B, D>> {
        self.init_with(shape, None, None, device)
    }

    /// As [`init`](Self::init), with the fans of the layer.
    ///
    /// # Panics
    /// The shape is not of rank `D`, or a fan is needed that is neither given nor to be had from a shape of rank 2
    /// or more.
    #[track_caller]
    pub fn init_with<B: Backend, const D: usize>(
        &self,
        shape: impl Into<Shape>,
        fan_in: Option<usize>,
        fan_out: Option<usize>,
        device: &B::Device,
    ) -> Param<Tensor<B, D>> {
        let shape = shape.into();
        let dims: [usize; D] = match shape[..].try_into() {
            Ok(dims) => dims,
            Err(_) => panic!("initializer: wrong rank of the shape; expected rank {D}, got {shape:?}"),
        };
        let draw = self.draw(&Fans::new(&shape, fan_in, fan_out));
        Param::uninitialized(ParamId::new(), shape, device.clone(), move |device| match draw {
            Draw::Constant(value) => Tensor::full(dims, value, device),
            Draw::Random(distribution) => Tensor::random(dims, distribution, device),
        })
    }

    #[track_caller]
    fn draw(&self, fans: &Fans) -> Draw {
        let uniform = |limit: f64| Draw::Random(Distribution::Uniform(-limit, limit));
        let normal = |std: f64| Draw::Random(Distribution::Normal(0.0, std));
        match *self {
            Initializer::Constant { value } => Draw::Constant(value),
            Initializer::Ones => Draw::Constant(1.0),
            Initializer::Zeros => Draw::Constant(0.0),
            Initializer::Uniform { min, max } => Draw::Random(Distribution::Uniform(min, max)),
            Initializer::Normal { mean, std } => Draw::Random(Distribution::Normal(mean, std)),
            Initializer::KaimingUniform { gain, fan_out_only } => {
                uniform(gain * sqrt(3.0 / fans.one(fan_out_only)))
            }
            Initializer::KaimingNormal { gain, fan_out_only } => normal(gain / sqrt(fans.one(fan_out_only))),
            Initializer::XavierUniform { gain } => uniform(gain * sqrt(6.0 / fans.sum())),
            Initializer::XavierNormal { gain } => normal(gain * sqrt(2.0 / fans.sum())),
        }
    }
}

enum Draw {
    Constant(f64),
    Random(Distribution),
}

/// How many numbers go into an output and come from an input.
struct Fans {
    fan_in: Option<usize>,
    fan_out: Option<usize>,
}

impl Fans {
    fn new(shape: &[usize], fan_in: Option<usize>, fan_out: Option<usize>) -> Self {
        let of_shape = match shape {
            [inputs, outputs] => Some((*inputs, *outputs)),
            [outputs, inputs, kernel @ ..] => {
                let kernel: usize = kernel.iter().product();
                Some((inputs * kernel, outputs * kernel))
            }
            _ => None,
        };
        Fans {
            fan_in: fan_in.or(of_shape.map(|fans| fans.0)),
            fan_out: fan_out.or(of_shape.map(|fans| fans.1)),
        }
    }

    #[track_caller]
    fn one(&self, fan_out: bool) -> f64 {
        let (fan, name) = if fan_out { (self.fan_out, "fan_out") } else { (self.fan_in, "fan_in") };
        match fan {
            // An empty layer draws nothing, whatever the range.
            Some(fan) => fan.max(1) as f64,
            None => panic!(
                "initializer: {name} is unknown; expected a shape of rank 2 or more, or `init_with` with the fans of the layer"
            ),
        }
    }

    #[track_caller]
    fn sum(&self) -> f64 {
        self.one(false) + self.one(true)
    }
}

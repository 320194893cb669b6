use super::initial_values::{dirac, identity, orthogonal, sparse, truncated_normal};
use super::{Param, ParamId};
use crate::config::{Config, ConfigError, FieldCheck};
use crate::tensor::{Backend, Distribution, Shape, Tensor};
use alloc::format;
use libm::sqrt;

/// Initializer: the distribution from which the initial values of a parameter are drawn.
///
/// `fan_in` is the number of inputs that one output depends on, `fan_out` the number of outputs that one
/// input goes into. Unless the layer gives them, a weight of shape `[a, b]` has `fan_in = a` and
/// `fan_out = b`, and one of shape `[a, b, k1, k2, ..]`, as convolutions have it, `fan_in = b k1 k2 ..` and
/// `fan_out = a k1 k2 ..`.
///
/// `Orthogonal`, `Identity`, `Dirac` and `Sparse` are defined for weights. A parameter of rank 1, such as the
/// bias of a layer that is initialized with one of them, starts at 0.
///
/// PyTorch's default for linear layers and convolutions is [`Initializer::TORCH`].
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::{Initializer, Param};
/// use burn::tensor::{Tensor, Tolerance};
///
/// let initializer = Initializer::Orthogonal { gain: 1.0 };
/// let weight: Param<Tensor<NdArray, 2>> = initializer.init([3, 3], &Default::default());
/// let product = weight.val().matmul(weight.val().transpose());
/// let identity = Tensor::<NdArray, 2>::eye(3, &Default::default());
/// product.into_data().assert_approx_eq::<f32>(&identity.into_data(), Tolerance::absolute(1e-5));
/// ```
#[derive(Config, Debug, PartialEq)]
pub enum Initializer {
    /// All elements are `value` (`torch.nn.init.constant_`).
    Constant { value: f64 },
    /// All elements are 1 (`torch.nn.init.ones_`).
    Ones,
    /// All elements are 0 (`torch.nn.init.zeros_`).
    Zeros,
    /// Uniform in `[min, max)` (`torch.nn.init.uniform_`).
    Uniform { min: f64, max: f64 },
    /// Normal with `mean` and standard deviation `std` (`torch.nn.init.normal_`).
    Normal { mean: f64, std: f64 },
    /// Normal with `mean` and standard deviation `std`, restricted to `[min, max]`: values outside are drawn
    /// again (`torch.nn.init.trunc_normal_`).
    TruncatedNormal { mean: f64, std: f64, min: f64, max: f64 },
    /// Uniform in `[-r, r)` with `r = gain sqrt(3 / fan)`, where `fan` is `fan_in`, or `fan_out` if
    /// `fan_out_only` (He et al. 2015; `torch.nn.init.kaiming_uniform_`).
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
    /// `gain` times a random matrix with orthonormal rows or columns, whichever are fewer, uniform over all
    /// such matrices (Saxe et al. 2013; `torch.nn.init.orthogonal_`). A weight of more than two dimensions is
    /// a matrix of `[dimension 0, product of the others]`.
    Orthogonal { gain: f64 },
    /// Ones on the diagonal of a matrix, zeros elsewhere, so that a linear layer starts as the identity
    /// (`torch.nn.init.eye_`).
    Identity,
    /// Weight `[channels_out, channels_in / groups, kernel ..]` with a 1 in the center of the kernel from
    /// channel `i` to channel `i` of each group, zeros elsewhere, so that a convolution with same padding
    /// starts as the identity (`torch.nn.init.dirac_`).
    Dirac { groups: usize },
    /// Normal matrix with mean 0 and standard deviation `std`, in which each column has
    /// `ceil(sparsity * rows)` zeros at random rows (Martens 2010; `torch.nn.init.sparse_`).
    Sparse { sparsity: f64, std: f64 },
}

impl Initializer {
    /// PyTorch's initializer of linear layers and convolutions: `kaiming_uniform_` with `a = sqrt(5)`, which
    /// is uniform in `[-r, r)` with `r = 1 / sqrt(fan_in)`, the range of the bias too.
    pub const TORCH: Initializer =
        Initializer::KaimingUniform { gain: 0.577_350_269_189_625_8, fan_out_only: false };

    /// Returns a parameter of `shape` whose values are drawn at its first use; nothing is allocated now.
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

    /// Returns a parameter as [`init`](Self::init) does, with the fans of the layer.
    ///
    /// # Panics
    /// The shape is not of rank `D`; a fan is needed that is neither given nor follows from a shape of rank 2
    /// or more; or the initializer is not defined for the shape: [`Initializer::Identity`] and
    /// [`Initializer::Sparse`] need rank 2, [`Initializer::Dirac`] at least rank 3 and a multiple of `groups`
    /// output channels.
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
        let values = self.values(&dims, &Fans::new(&shape, fan_in, fan_out));
        Param::uninitialized(ParamId::new(), shape, device.clone(), move |device| values.draw(dims, device))
    }

    /// Checks the fields, so that the config of a layer can refuse them with [`FieldCheck::nested`].
    ///
    /// # Errors
    /// A number is not finite, a standard deviation is negative, `min` is above `max`, `sparsity` is not in
    /// `[0, 1]`, or `groups` is 0; the error names the field and its value.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let check = FieldCheck::of("Initializer");
        let finite = |field, value: f64| check.ensure(value.is_finite(), field, &value, "a finite number");
        match *self {
            Initializer::Ones | Initializer::Zeros | Initializer::Identity => Ok(()),
            Initializer::Constant { value } => finite("value", value),
            Initializer::Uniform { min, max } => {
                finite("min", min)?;
                check.ensure(max.is_finite() && max >= min, "max", &max, "a finite number of at least `min`")
            }
            Initializer::Normal { mean, std } => {
                finite("mean", mean)?;
                check.not_negative("std", std)
            }
            Initializer::TruncatedNormal { mean, std, min, max } => {
                finite("mean", mean)?;
                check.positive("std", std)?;
                check.ensure(!min.is_nan(), "min", &min, "a number")?;
                check.ensure(max > min, "max", &max, "a number above `min`")
            }
            Initializer::KaimingUniform { gain, .. }
            | Initializer::KaimingNormal { gain, .. }
            | Initializer::XavierUniform { gain }
            | Initializer::XavierNormal { gain }
            | Initializer::Orthogonal { gain } => check.not_negative("gain", gain),
            Initializer::Dirac { groups } => check.at_least("groups", groups, 1),
            Initializer::Sparse { sparsity, std } => {
                check.probability("sparsity", sparsity)?;
                check.not_negative("std", std)
            }
        }
    }

    /// Checks the fields as [`validate`](Self::validate) does, and that the initializer is defined for a
    /// weight of this shape.
    ///
    /// # Errors
    /// A field is out of its range; or [`Initializer::Identity`] or [`Initializer::Sparse`] is given for
    /// another rank than 2, or [`Initializer::Dirac`] for a rank below 3 or a number of output channels that
    /// `groups` does not divide. A shape of rank 1, as a bias has it, is right for each of them.
    pub fn validate_for(&self, shape: &[usize]) -> Result<(), ConfigError> {
        self.validate()?;
        if shape.len() < 2 {
            return Ok(());
        }
        let check = FieldCheck::of("Initializer");
        let rank_2 = |name| check.ensure(shape.len() == 2, name, &shape, "a weight of rank 2");
        match *self {
            Initializer::Identity => rank_2("Identity"),
            Initializer::Sparse { .. } => rank_2("Sparse"),
            Initializer::Dirac { groups } => {
                check.ensure(shape.len() > 2, "Dirac", &shape, "a weight of rank 3 or more")?;
                let outputs = shape[0];
                let expected = format!("a divisor of the {outputs} output channels (dimension 0)");
                check.ensure(outputs.is_multiple_of(groups), "groups", &groups, &expected)
            }
            Initializer::Constant { .. }
            | Initializer::Ones
            | Initializer::Zeros
            | Initializer::Uniform { .. }
            | Initializer::Normal { .. }
            | Initializer::TruncatedNormal { .. }
            | Initializer::KaimingUniform { .. }
            | Initializer::KaimingNormal { .. }
            | Initializer::XavierUniform { .. }
            | Initializer::XavierNormal { .. }
            | Initializer::Orthogonal { .. } => Ok(()),
        }
    }

    #[track_caller]
    fn values(&self, dims: &[usize], fans: &Fans) -> Values {
        let uniform = |limit: f64| Values::Random(Distribution::Uniform(-limit, limit));
        let normal = |std: f64| Values::Random(Distribution::Normal(0.0, std));
        match *self {
            Initializer::Constant { value } => Values::Constant(value),
            Initializer::Ones => Values::Constant(1.0),
            Initializer::Zeros => Values::Constant(0.0),
            Initializer::Uniform { min, max } => Values::Random(Distribution::Uniform(min, max)),
            Initializer::Normal { mean, std } => Values::Random(Distribution::Normal(mean, std)),
            Initializer::TruncatedNormal { mean, std, min, max } => {
                Values::TruncatedNormal { mean, std, min, max }
            }
            Initializer::KaimingUniform { gain, fan_out_only } => {
                uniform(gain * sqrt(3.0 / fans.one(fan_out_only)))
            }
            Initializer::KaimingNormal { gain, fan_out_only } => normal(gain / sqrt(fans.one(fan_out_only))),
            Initializer::XavierUniform { gain } => uniform(gain * sqrt(6.0 / fans.sum())),
            Initializer::XavierNormal { gain } => normal(gain * sqrt(2.0 / fans.sum())),
            Initializer::Orthogonal { .. }
            | Initializer::Identity
            | Initializer::Dirac { .. }
            | Initializer::Sparse { .. }
                if dims.len() < 2 =>
            {
                Values::Constant(0.0)
            }
            Initializer::Orthogonal { gain } => Values::Orthogonal { gain },
            Initializer::Identity => {
                assert!(
                    dims.len() == 2,
                    "initializer: wrong rank for `Identity`; expected rank 2, got {dims:?}"
                );
                Values::Identity
            }
            Initializer::Dirac { groups } => {
                let fits = dims.len() > 2 && groups > 0 && dims[0].is_multiple_of(groups);
                assert!(
                    fits,
                    "initializer: wrong shape for `Dirac`; expected rank 3 or more and a multiple of {groups} output \
                     channels (dimension 0), got {dims:?}"
                );
                Values::Dirac { groups }
            }
            Initializer::Sparse { sparsity, std } => {
                assert!(
                    dims.len() == 2,
                    "initializer: wrong rank for `Sparse`; expected rank 2, got {dims:?}"
                );
                Values::Sparse { sparsity, std }
            }
        }
    }
}

/// Initial values of a parameter whose fans are known.
enum Values {
    Constant(f64),
    Random(Distribution),
    TruncatedNormal { mean: f64, std: f64, min: f64, max: f64 },
    Orthogonal { gain: f64 },
    Identity,
    Dirac { groups: usize },
    Sparse { sparsity: f64, std: f64 },
}

impl Values {
    fn draw<B: Backend, const D: usize>(self, dims: [usize; D], device: &B::Device) -> Tensor<B, D> {
        match self {
            Values::Constant(value) => Tensor::full(dims, value, device),
            Values::Random(distribution) => Tensor::random(dims, distribution, device),
            Values::TruncatedNormal { mean, std, min, max } => {
                truncated_normal(dims, [min, max].map(|limit| (limit - mean) / std), device) * std + mean
            }
            Values::Orthogonal { gain } => orthogonal(dims, device) * gain,
            Values::Identity => identity(dims, device),
            Values::Dirac { groups } => dirac(dims, groups, device),
            Values::Sparse { sparsity, std } => sparse(dims, sparsity, device) * std,
        }
    }
}

/// Number of inputs of an output and number of outputs of an input.
struct Fans {
    fan_in: Option<f64>,
    fan_out: Option<f64>,
}

impl Fans {
    fn new(shape: &[usize], fan_in: Option<usize>, fan_out: Option<usize>) -> Self {
        let of_shape = match shape {
            [inputs, outputs] => Some((*inputs as f64, *outputs as f64)),
            [outputs, inputs, kernel @ ..] => {
                // Products of sizes in f64, which do not overflow.
                let kernel: f64 = kernel.iter().map(|&size| size as f64).product();
                Some((*inputs as f64 * kernel, *outputs as f64 * kernel))
            }
            _ => None,
        };
        Fans {
            fan_in: fan_in.map(|fan| fan as f64).or(of_shape.map(|fans| fans.0)),
            fan_out: fan_out.map(|fan| fan as f64).or(of_shape.map(|fans| fans.1)),
        }
    }

    #[track_caller]
    fn one(&self, fan_out: bool) -> f64 {
        let (fan, name) = if fan_out { (self.fan_out, "fan_out") } else { (self.fan_in, "fan_in") };
        match fan {
            // An empty layer draws nothing, whatever the range.
            Some(fan) => fan.max(1.0),
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

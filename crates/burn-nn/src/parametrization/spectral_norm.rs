use super::WeightLayer;
use crate::Forward;
use crate::half_precision::{in_f32, widened};
use alloc::format;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Module, Param, ParamId, RunningState, Training};
use burn_core::tensor::{Backend, Distribution, Tensor};
use burn_derive::fallible;

/// Power iterations on the initial weight, so that training starts with good singular vectors.
const FIRST_ITERATIONS: usize = 15;

/// Options of [`SpectralNorm`].
#[derive(Config, Debug)]
pub struct SpectralNormConfig {
    /// Power iterations per forward pass in training mode; at least 1.
    #[config(default = 1)]
    pub power_iterations: usize,
    /// Smallest norm that a vector of the power iteration is divided by, for numerical stability; positive.
    #[config(default = 1e-12)]
    pub epsilon: f64,
    /// Dimension of the weight that is the rows of the matrix; by default that of the outputs of the layer.
    #[config(default = "None")]
    pub dim: Option<usize>,
}

#[fallible(config)]
impl SpectralNormConfig {
    /// Returns `layer` with a normalized weight.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend, L: WeightLayer<B, D>, const D: usize>(
        &self,
        layer: L,
    ) -> Result<SpectralNorm<B, L, D>, ConfigError> {
        let SpectralNormConfig { power_iterations, epsilon, dim } = *self;
        let check = FieldCheck::of("SpectralNormConfig");
        check.at_least("power_iterations", power_iterations, 1)?;
        check.positive("epsilon", epsilon)?;
        let fits = dim.is_none_or(|dim| dim < D);
        check.ensure(fits, "dim", &dim, &format!("a dimension of the weight, which has {D}"))?;
        let dim = dim.unwrap_or(L::OUTPUT_DIM);
        let weight = layer.weight().clone();
        let (device, dims) = (weight.device(), weight.dims());
        let (rows, columns) = (dims[dim], dims.iter().product::<usize>() / dims[dim].max(1));
        let of = weight.clone();
        let right = Param::uninitialized(ParamId::new(), [columns], device.clone(), move |device| {
            let matrix = rows_of(widened(of.to_device(device).into_value().detach()), dim);
            let start = Tensor::random([columns, 1], Distribution::Normal(0.0, 1.0), device);
            let start = Vectors { left: Tensor::zeros([rows, 1], device), right: start };
            start.iterated(&matrix, FIRST_ITERATIONS, epsilon).right.reshape([columns])
        });
        let of: Param<Tensor<B, 1>> = right.clone();
        let left = Param::uninitialized(ParamId::new(), [rows], device, move |device| {
            let matrix = rows_of(widened(weight.to_device(device).into_value().detach()), dim);
            let right = of.to_device(device).into_value().detach().reshape([columns, 1]);
            normalized(matrix.matmul(right), epsilon).reshape([rows])
        });
        Ok(SpectralNorm {
            layer,
            left: RunningState::new(left),
            right: RunningState::new(right),
            power_iterations,
            epsilon,
            dim,
            training: Training::default(),
        })
    }
}

/// Spectral normalization: the weight of a layer is divided by its largest singular value, which power
/// iterations estimate, so that the layer is 1-Lipschitz (Miyato et al. 2018). PyTorch:
/// `torch.nn.utils.parametrizations.spectral_norm`.
///
/// The weight is a matrix of `[size of dim, product of the other sizes]`. On a backend that tracks gradients
/// each forward pass improves the singular vectors by power iterations; on any other, and in
/// `module.valid()`, they stay.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{Linear, LinearConfig, SpectralNorm, SpectralNormConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let linear: Linear<NdArray> = LinearConfig::new(3, 2).init(&device);
/// let layer: SpectralNorm<NdArray, Linear<NdArray>, 2> = SpectralNormConfig::new().init(linear);
/// assert_eq!(layer.forward(Tensor::<NdArray, 2>::ones([4, 3], &device)).dims(), [4, 2]);
/// ```
#[derive(Module, Debug)]
pub struct SpectralNorm<B: Backend, L: Module<B>, const D: usize> {
    /// Layer, whose weight is normalized when it is applied.
    pub layer: L,
    /// Left singular vector, `[size of dim]`.
    pub left: RunningState<B, 1>,
    /// Right singular vector, `[product of the other sizes]`.
    pub right: RunningState<B, 1>,
    /// Power iterations per forward pass in training mode.
    pub power_iterations: usize,
    /// Smallest norm that a vector of the power iteration is divided by.
    pub epsilon: f64,
    /// Dimension of the weight that is the rows of the matrix.
    pub dim: usize,
    /// Whether the layer is in training mode; [`valid`](burn_core::module::AutodiffModule::valid) switches to
    /// evaluation mode.
    pub training: Training,
}

#[fallible(layer = "spectral_norm")]
impl<B: Backend, L: WeightLayer<B, D>, const D: usize> SpectralNorm<B, L, D> {
    /// Computes the weight. In training mode the singular vectors are improved first.
    pub fn weight(&self) -> Tensor<B, D> {
        in_f32(self.layer.weight().val(), |weight| self.normalized_weight(weight))
    }

    /// Applies the layer with the normalized weight.
    ///
    /// # Panics
    /// The layer refuses the shape of the input.
    pub fn forward<Input>(&self, input: Input) -> L::Output
    where
        L: Forward<Input>,
    {
        let mut layer = self.layer.clone();
        *layer.weight_mut() = Param::computed(self.weight());
        layer.forward(input)
    }

    /// Returns the layer with the weight as it is now, as a parameter.
    pub fn into_layer(mut self) -> L {
        self.training = Training::OFF;
        let weight = self.weight().detach();
        let mut layer = self.layer;
        *layer.weight_mut() = Param::initialized(layer.weight().id(), weight);
        layer
    }
}

impl<B: Backend, L: WeightLayer<B, D>, const D: usize> SpectralNorm<B, L, D> {
    /// Divides `weight`, which is not of half precision, by its largest singular value.
    fn normalized_weight(&self, weight: Tensor<B, D>) -> Tensor<B, D> {
        let matrix = rows_of(weight.clone(), self.dim);
        let [rows, columns] = matrix.dims();
        let mut vectors = Vectors {
            left: widened(self.left.value()).reshape([rows, 1]),
            right: widened(self.right.value()).reshape([columns, 1]),
        };
        if self.training.is_on::<B>(&weight.device()) {
            vectors = vectors.iterated(&matrix.clone().detach(), self.power_iterations, self.epsilon);
            self.left.update(|_| vectors.left.clone().reshape([rows]));
            self.right.update(|_| vectors.right.clone().reshape([columns]));
        }
        let singular_value = (vectors.left * matrix.matmul(vectors.right)).sum();
        weight / singular_value.reshape([1; D])
    }
}

impl<B: Backend, Input, L: WeightLayer<B, D> + Forward<Input>, const D: usize> Forward<Input>
    for SpectralNorm<B, L, D>
{
    type Output = L::Output;

    #[track_caller]
    fn forward(&self, input: Input) -> L::Output {
        SpectralNorm::forward(self, input)
    }
}

/// Estimates of the first singular vectors, `[rows, 1]` and `[columns, 1]`.
struct Vectors<B: Backend> {
    left: Tensor<B, 2>,
    right: Tensor<B, 2>,
}

impl<B: Backend> Vectors<B> {
    fn iterated(self, matrix: &Tensor<B, 2>, iterations: usize, epsilon: f64) -> Self {
        (0..iterations).fold(self, |vectors, _| {
            let left = normalized(matrix.clone().matmul(vectors.right), epsilon);
            let right = normalized(matrix.clone().transpose().matmul(left.clone()), epsilon);
            Vectors { left, right }
        })
    }
}

fn normalized<B: Backend>(x: Tensor<B, 2>, epsilon: f64) -> Tensor<B, 2> {
    let length = x.clone().square().sum_dim(0).sqrt().clamp_min(epsilon);
    x / length
}

/// Returns the weight as a matrix whose rows are `dim`.
fn rows_of<B: Backend, const D: usize>(weight: Tensor<B, D>, dim: usize) -> Tensor<B, 2> {
    let dims = weight.dims();
    let columns = dims.iter().product::<usize>() / dims[dim].max(1);
    let mut others = (0..D).filter(|&index| index != dim);
    let axes: [usize; D] =
        core::array::from_fn(|index| if index == 0 { dim } else { others.next().unwrap_or(dim) });
    weight.permute(axes).reshape([dims[dim], columns])
}

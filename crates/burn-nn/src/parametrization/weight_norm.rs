use super::WeightLayer;
use crate::Forward;
use crate::half_precision::in_f32;
use alloc::format;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Module, Param, ParamId};
use burn_core::tensor::{Backend, Tensor};
use burn_derive::fallible;

/// Magnitudes that [`WeightNorm`] gives a weight.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum WeightNormDim {
    /// One magnitude per output of the layer.
    Output,
    /// One magnitude per index of this dimension of the weight.
    Dim(usize),
    /// One magnitude for the whole weight.
    Whole,
}

/// Options of [`WeightNorm`].
#[derive(Config, Debug)]
pub struct WeightNormConfig {
    /// Magnitudes of the weight. PyTorch: `dim`, which is 0 by default and `None` for the whole weight.
    #[config(default = "WeightNormDim::Output")]
    pub dim: WeightNormDim,
}

#[fallible(config)]
impl WeightNormConfig {
    /// Returns `layer` with a normalized weight. It computes what it computed before, until a parameter
    /// changes.
    ///
    /// # Errors
    /// The dimension does not exist; the error names the field and its value.
    pub fn try_init<B: Backend, L: WeightLayer<B, D>, const D: usize>(
        &self,
        layer: L,
    ) -> Result<WeightNorm<B, L, D>, ConfigError> {
        let dim = match self.dim {
            WeightNormDim::Output => Some(L::OUTPUT_DIM),
            WeightNormDim::Dim(dim) => Some(dim),
            WeightNormDim::Whole => None,
        };
        let fits = dim.is_none_or(|dim| dim < D);
        let expected = format!("a dimension of the weight, which has {D}");
        FieldCheck::of("WeightNormConfig").ensure(fits, "dim", &self.dim, &expected)?;
        let direction = layer.weight().clone();
        let (device, mut shape) = (direction.device(), direction.dims());
        for (index, size) in shape.iter_mut().enumerate() {
            *size = if dim == Some(index) { *size } else { 1 };
        }
        let magnitude = Param::uninitialized(ParamId::new(), shape, device, move |device| {
            norm(direction.to_device(device).into_value().detach(), dim)
        });
        Ok(WeightNorm { layer, magnitude, dim })
    }
}

/// Weight normalization: the weight of a layer is `magnitude * direction / |direction|`, where magnitude and
/// direction are the parameters (Salimans and Kingma 2016). The norm is over all dimensions of the weight but
/// `dim`. PyTorch: `torch.nn.utils.parametrizations.weight_norm`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{Linear, LinearConfig, WeightNorm, WeightNormConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let linear: Linear<NdArray> = LinearConfig::new(3, 2).init(&device);
/// let layer: WeightNorm<NdArray, Linear<NdArray>, 2> = WeightNormConfig::new().init(linear);
/// assert_eq!(layer.magnitude.dims(), [1, 2]);
/// assert_eq!(layer.forward(Tensor::<NdArray, 2>::ones([4, 3], &device)).dims(), [4, 2]);
/// ```
#[derive(Module, Debug)]
pub struct WeightNorm<B: Backend, L: Module<B>, const D: usize> {
    /// Layer, whose weight is the direction.
    pub layer: L,
    /// Magnitudes: the size of the weight in `dim`, 1 in its other dimensions.
    pub magnitude: Param<Tensor<B, D>>,
    /// Dimension of the weight with one magnitude per index; none if there is one for the whole weight.
    pub dim: Option<usize>,
}

#[fallible(layer = "weight_norm")]
impl<B: Backend, L: WeightLayer<B, D>, const D: usize> WeightNorm<B, L, D> {
    /// Computes the weight.
    pub fn weight(&self) -> Tensor<B, D> {
        let direction = self.layer.weight().val();
        let scale = self.magnitude.val() / norm(direction.clone(), self.dim);
        direction * scale
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
    pub fn into_layer(self) -> L {
        let weight = self.weight().detach();
        let mut layer = self.layer;
        *layer.weight_mut() = Param::initialized(layer.weight().id(), weight);
        layer
    }
}

impl<B: Backend, Input, L: WeightLayer<B, D> + Forward<Input>, const D: usize> Forward<Input>
    for WeightNorm<B, L, D>
{
    type Output = L::Output;

    #[track_caller]
    fn forward(&self, input: Input) -> L::Output {
        WeightNorm::forward(self, input)
    }
}

/// Computes the Euclidean norm over all dimensions but `dim`, which keep size 1.
fn norm<B: Backend, const D: usize>(x: Tensor<B, D>, dim: Option<usize>) -> Tensor<B, D> {
    let dims: Vec<usize> = (0..D).filter(|&index| Some(index) != dim).collect();
    in_f32(x, |x| x.square().sum_dims(&dims).sqrt())
}

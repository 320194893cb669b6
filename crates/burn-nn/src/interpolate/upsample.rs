use super::resize::{Asked, target};
use crate::display::one_line;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::module::{
    InterpolateMode, InterpolateOptions, try_interpolate1d, try_interpolate2d, try_interpolate3d,
};
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

const LAYER: &str = "upsample";

/// Options of [`Upsample`]: an output size, or a scale factor.
#[derive(Config, Debug)]
pub struct UpsampleConfig {
    /// Size of each spatial dimension of the output, or one size of all.
    #[config(default = "None")]
    pub output_size: Option<Vec<usize>>,
    /// Factor of each spatial dimension, or one of all, that the sizes of the input are multiplied by and
    /// rounded down.
    #[config(default = "None")]
    pub scale_factor: Option<Vec<f64>>,
    /// Interpolation mode.
    #[config(default = "InterpolateMode::Nearest")]
    pub mode: InterpolateMode,
    /// Whether the centres of the corner elements of input and output coincide; otherwise their outer edges
    /// do.
    #[config(default = false)]
    pub align_corners: bool,
    /// Whether the scale factor only gives the output size, and positions are computed from the sizes.
    #[config(default = false)]
    pub recompute_scale_factor: bool,
}

#[fallible(config)]
impl UpsampleConfig {
    /// Returns the layer.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init(&self) -> Result<Upsample, ConfigError> {
        let check = FieldCheck::of("UpsampleConfig");
        let (size, scale) = (self.output_size.as_deref(), self.scale_factor.as_deref());
        let asked = Asked {
            output_size: size,
            scale_factor: scale,
            mode: self.mode,
            align_corners: self.align_corners,
        };
        asked.check(check)?;
        let count = |length: Option<usize>| length.is_none_or(|length| (1..=3).contains(&length));
        let expected = "1 to 3 spatial dimensions";
        check.ensure(count(size.map(<[usize]>::len)), "output_size", &size, expected)?;
        check.ensure(count(scale.map(<[f64]>::len)), "scale_factor", &scale, expected)?;
        Ok(Upsample {
            output_size: Ignored(self.output_size.clone()),
            scale_factor: Ignored(self.scale_factor.clone()),
            mode: Ignored(self.mode),
            align_corners: self.align_corners,
            recompute_scale_factor: self.recompute_scale_factor,
        })
    }
}

/// Upsampling layer: resizes inputs of one to three spatial dimensions. PyTorch: `torch.nn.Upsample`.
///
/// See [`Interpolate2d`](super::Interpolate2d) and its siblings for layers of one number of dimensions.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::UpsampleConfig;
/// use burn::tensor::Tensor;
///
/// let upsample = UpsampleConfig::new().with_scale_factor(Some(vec![2.0])).init();
/// let device = Default::default();
/// assert_eq!(upsample.forward(Tensor::<NdArray, 3>::ones([1, 2, 4], &device)).dims(), [1, 2, 8]);
/// assert_eq!(upsample.forward(Tensor::<NdArray, 4>::ones([1, 2, 4, 3], &device)).dims(), [1, 2, 8, 6]);
/// ```
#[derive(Module, Clone, Debug)]
#[module(custom_display)]
pub struct Upsample {
    /// Size of each spatial dimension of the output, or one size of all.
    pub output_size: Ignored<Option<Vec<usize>>>,
    /// Factor of each spatial dimension, or one of all.
    pub scale_factor: Ignored<Option<Vec<f64>>>,
    /// Interpolation mode.
    pub mode: Ignored<InterpolateMode>,
    /// Whether the centres of the corner elements of input and output coincide.
    pub align_corners: bool,
    /// Whether the scale factor only gives the output size.
    pub recompute_scale_factor: bool,
}

#[fallible(layer)]
impl Upsample {
    /// Resizes the spatial dimensions of `[batch, channels, ..]`, of rank 3 to 5.
    ///
    /// # Errors
    /// The rank is another, or not that of the sizes or factors; or a spatial dimension has no element.
    pub fn try_forward<B: Backend, const D: usize>(
        &self,
        x: Tensor<B, D>,
    ) -> Result<Tensor<B, D>, TensorError> {
        try_in_operation(LAYER, || {
            let options = InterpolateOptions { mode: self.mode.0, align_corners: self.align_corners };
            match D {
                3 => {
                    let (x, to) = self.resized::<B, D, 3, 1>(x)?;
                    ranked(try_interpolate1d(x, to, options)?)
                }
                4 => {
                    let (x, to) = self.resized::<B, D, 4, 2>(x)?;
                    ranked(try_interpolate2d(x, to, options)?)
                }
                5 => {
                    let (x, to) = self.resized::<B, D, 5, 3>(x)?;
                    ranked(try_interpolate3d(x, to, options)?)
                }
                _ => {
                    let message =
                        format_args!("wrong rank of the input; expected 3 to 5, got {:?}", x.shape());
                    Err(TensorError::argument(LAYER, message))
                }
            }
        })
    }

    /// The input with its rank `R`, which is `D`, and its size over the `N` spatial dimensions.
    fn resized<B: Backend, const D: usize, const R: usize, const N: usize>(
        &self,
        x: Tensor<B, D>,
    ) -> Result<(Tensor<B, R>, burn_core::tensor::module::InterpolateTo<N>), TensorError> {
        let x: Tensor<B, R> = ranked(x)?;
        let size = each(self.output_size.as_deref())?;
        let scale = each(self.scale_factor.as_deref())?;
        let input = crate::spatial::spatial(&x.dims());
        Ok((x, target(size, scale, self.recompute_scale_factor, input)))
    }
}

/// The same tensor; `D` and `R` are one number, which the compiler can't know.
fn ranked<B: Backend, const D: usize, const R: usize>(x: Tensor<B, D>) -> Result<Tensor<B, R>, TensorError> {
    let shape = x.shape();
    x.try_reshape(shape)
}

/// A value for each of `N` dimensions, from as many or one.
fn each<T: Copy + core::fmt::Debug, const N: usize>(
    values: Option<&[T]>,
) -> Result<Option<[T; N]>, TensorError> {
    match values {
        None => Ok(None),
        Some([one]) => Ok(Some([*one; N])),
        Some(values) => match values.try_into() {
            Ok(values) => Ok(Some(values)),
            Err(_) => {
                let message = format_args!(
                    "wrong number of spatial dimensions of the input; expected those of {values:?}, got {N}"
                );
                Err(TensorError::argument(LAYER, message))
            }
        },
    }
}

impl ModuleDisplay for Upsample {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content
            .add_debug("output_size", &self.output_size.0)
            .add_debug("scale_factor", &self.scale_factor.0)
            .add_debug("mode", &self.mode.0)
            .add("align_corners", &self.align_corners)
            .optional()
    }
}

#[cfg(test)]
mod tests {
    use super::UpsampleConfig;
    use alloc::string::ToString;
    use alloc::vec;
    use burn_core::tensor::Tensor;
    use burn_ndarray::NdArray;

    #[test]
    fn upsample_names_itself_and_the_sizes_that_do_not_fit() {
        let device = Default::default();
        let upsample = UpsampleConfig::new().with_output_size(Some(vec![2, 3])).init();
        let error = upsample.try_forward(Tensor::<NdArray, 3>::ones([1, 1, 2], &device)).unwrap_err();
        let text =
            "upsample: wrong number of spatial dimensions of the input; expected those of [2, 3], got 1";
        assert!(error.to_string().starts_with(text), "{error}");
        let error = upsample.try_forward(Tensor::<NdArray, 2>::ones([1, 1], &device)).unwrap_err();
        let text = "upsample: wrong rank of the input; expected 3 to 5, got [1, 1]";
        assert!(error.to_string().starts_with(text), "{error}");
        let none = UpsampleConfig::new().with_scale_factor(Some(vec![]));
        assert_eq!(
            none.try_init().unwrap_err().to_string(),
            "UpsampleConfig: invalid `scale_factor`; expected 1 to 3 spatial dimensions, got Some([])"
        );
    }
}

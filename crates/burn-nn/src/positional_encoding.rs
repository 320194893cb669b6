use crate::display::one_line;
use crate::size_limits::check_table;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, TensorData, TensorError};
use burn_derive::fallible;

/// The name of the layer in errors.
const NAME: &str = "positional_encoding";

/// Options of [`PositionalEncoding`].
#[derive(Config, Debug)]
pub struct PositionalEncodingConfig {
    /// Embedding dimension, even.
    pub d_model: usize,
    /// Largest sequence length.
    #[config(default = 5_000)]
    pub max_sequence_size: usize,
    /// Base of the wavelengths: they grow from `2 pi` to `2 pi max_timescale`.
    #[config(default = 10_000)]
    pub max_timescale: usize,
}

#[fallible(config)]
impl PositionalEncodingConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<PositionalEncoding<B>, ConfigError> {
        let check = FieldCheck::of("PositionalEncodingConfig");
        let even = self.d_model > 0 && self.d_model.is_multiple_of(2);
        check.ensure(even, "d_model", &self.d_model, "an even number of at least 2")?;
        check_table(check, &[("max_sequence_size", self.max_sequence_size), ("d_model", self.d_model)])?;
        check.at_least("max_timescale", self.max_timescale, 1)?;
        let table = table(self.d_model, self.max_sequence_size, self.max_timescale as f64);
        Ok(PositionalEncoding {
            sinusoids: Tensor::from_data(table, device),
            max_timescale: self.max_timescale,
        })
    }
}

/// The encodings of all positions, `[1, length, d_model]`.
fn table(d_model: usize, length: usize, base: f64) -> TensorData {
    let frequencies: Vec<f64> =
        (0..d_model / 2).map(|pair| libm::pow(base, -2.0 * pair as f64 / d_model as f64)).collect();
    let angles = (0..length).flat_map(|position| frequencies.iter().map(move |x| position as f64 * x));
    let values: Vec<f64> = angles.flat_map(|angle| [libm::sin(angle), libm::cos(angle)]).collect();
    TensorData::new(values, [1, length, d_model])
}

/// Sinusoidal positional encoding, added to embeddings (Vaswani et al. 2017): `PE[p, 2i] = sin(p /
/// max_timescale^(2i / d_model))` and `PE[p, 2i + 1] = cos(p / max_timescale^(2i / d_model))`.
///
/// PyTorch has no counterpart. The table is not a parameter: it is neither trained nor saved.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{PositionalEncoding, PositionalEncodingConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let layer: PositionalEncoding<NdArray> = PositionalEncodingConfig::new(2).init(&device);
/// let y = layer.forward(Tensor::zeros([1, 2, 2], &device)).into_data().to_f64();
/// assert_eq!(y[..2], [0.0, 1.0]);
/// assert!((y[2] - 1.0_f64.sin()).abs() < 1e-6 && (y[3] - 1.0_f64.cos()).abs() < 1e-6);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct PositionalEncoding<B: Backend> {
    /// Encodings of all positions, `[1, max_sequence_size, d_model]`.
    pub sinusoids: Tensor<B, 3>,
    /// Base of the wavelengths.
    pub max_timescale: usize,
}

#[fallible(layer)]
impl<B: Backend> PositionalEncoding<B> {
    /// Adds the encodings of the positions from 0 on to `[batch, length, d_model]`.
    ///
    /// # Errors
    /// The last dimension is not `d_model`, or the sequence is longer than `max_sequence_size`.
    pub fn try_forward(&self, x: Tensor<B, 3>) -> Result<Tensor<B, 3>, TensorError> {
        self.try_apply(x, 0)
    }

    /// Adds the encodings of the positions from `start` on, as for tokens that are decoded with a cache of
    /// `start` positions.
    ///
    /// # Errors
    /// The last dimension is not `d_model`, or the sequence ends after `max_sequence_size`.
    pub fn try_apply(&self, x: Tensor<B, 3>, start: usize) -> Result<Tensor<B, 3>, TensorError> {
        let [_, length, _] = x.dims();
        check(x.dims(), start, self.sinusoids.dims())?;
        Ok(x + self.sinusoids.clone().narrow(1, start, length))
    }
}

#[track_caller]
fn check(x: [usize; 3], start: usize, [_, longest, d_model]: [usize; 3]) -> Result<(), TensorError> {
    if x[2] != d_model {
        let message = format_args!("wrong last dimension of the input; expected [.., {d_model}], got {x:?}");
        return Err(TensorError::argument(NAME, message));
    }
    if start.saturating_add(x[1]) > longest {
        let message = format_args!(
            "the sequence is too long; expected at most {longest} positions (max_sequence_size), got {} from {start} on",
            x[1]
        );
        return Err(TensorError::argument(NAME, message));
    }
    Ok(())
}

impl<B: Backend> ModuleDisplay for PositionalEncoding<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [_, max_sequence_size, d_model] = self.sinusoids.dims();
        content
            .add("d_model", &d_model)
            .add("max_sequence_size", &max_sequence_size)
            .add("max_timescale", &self.max_timescale)
            .optional()
    }
}

use crate::display::one_line;
use crate::size_limits::check_table;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Module, ModuleDisplay};
use burn_core::tensor::{Backend, Tensor, TensorData, TensorError};
use burn_derive::fallible;

/// The name of the layer in errors.
const NAME: &str = "rotary_encoding";

/// Options of [`RotaryEncoding`].
#[derive(Config, Debug)]
pub struct RotaryEncodingConfig {
    /// Largest sequence length.
    pub max_sequence_length: usize,
    /// Size of the last dimension of the input, even: that of a head.
    pub d_model: usize,
    /// Base of the rotation frequencies.
    #[config(default = 10_000.0)]
    pub theta: f64,
    /// Whether the elements `2i` and `2i + 1` are rotated together, as in the paper; with `false` it is the
    /// elements `i` and `i + d_model / 2`, as in GPT-NeoX and in the Llama of Hugging Face.
    #[config(default = true)]
    pub interleaved: bool,
}

#[fallible(config)]
impl RotaryEncodingConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<RotaryEncoding<B>, ConfigError> {
        self.try_init_with_frequency_scaling(&|frequency| frequency, device)
    }

    /// Returns the layer with other frequencies: `scaling` gives the angle per position in place of
    /// `theta^(-2i / d_model)`. Linear position interpolation is `|f| f / factor`; the scaling of Llama 3.1
    /// depends on the wavelength `2 pi / f`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init_with_frequency_scaling<B: Backend>(
        &self,
        scaling: &dyn Fn(f64) -> f64,
        device: &B::Device,
    ) -> Result<RotaryEncoding<B>, ConfigError> {
        let frequencies = self.frequencies(scaling)?;
        let [cos, sin] = tables(&frequencies, 0, self.max_sequence_length);
        Ok(RotaryEncoding {
            cos: Tensor::from_data(cos, device),
            sin: Tensor::from_data(sin, device),
            frequencies: Ignored(frequencies),
            theta: self.theta,
            interleaved: self.interleaved,
        })
    }
}

impl RotaryEncodingConfig {
    /// Angles per position, one for each pair of elements.
    fn frequencies(&self, scaling: &dyn Fn(f64) -> f64) -> Result<Vec<f64>, ConfigError> {
        let check = FieldCheck::of("RotaryEncodingConfig");
        let even = self.d_model > 0 && self.d_model.is_multiple_of(2);
        check.ensure(even, "d_model", &self.d_model, "an even number of at least 2")?;
        check_table(check, &[("max_sequence_length", self.max_sequence_length), ("d_model", self.d_model)])?;
        check.positive("theta", self.theta)?;
        let pairs = self.d_model / 2;
        let frequency = |pair| scaling(libm::pow(self.theta, -2.0 * pair as f64 / self.d_model as f64));
        Ok((0..pairs).map(frequency).collect())
    }
}

/// Cosines and sines of `length` positions from `start` on, `[length, frequencies]`.
fn tables(frequencies: &[f64], start: usize, length: usize) -> [TensorData; 2] {
    [libm::cos, libm::sin].map(|f| {
        let positions = (0..length).map(|position| start as f64 + position as f64);
        let angles = positions.flat_map(|position| frequencies.iter().map(move |x| position * x));
        TensorData::new(angles.map(f).collect::<Vec<f64>>(), [length, frequencies.len()])
    })
}

/// Rotary position encoding (RoPE; Su et al. 2021): each pair of elements at position `p` is rotated by the
/// angle `p theta^(-2i / d_model)`, so that products of queries and keys depend on the distance of their
/// positions.
///
/// `[x', y'] = [x cos - y sin, x sin + y cos]`. PyTorch has no counterpart. Cosines and sines are computed in
/// `f64` and are no parameters: they are neither trained nor saved.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{RotaryEncoding, RotaryEncodingConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let rotary: RotaryEncoding<NdArray> = RotaryEncodingConfig::new(64, 2).init(&device);
/// let x = Tensor::<NdArray, 2>::from_data([[1.0, 0.0], [1.0, 0.0]], &device);
/// let y = rotary.forward(x).into_data().to_f64();
/// assert_eq!(y[..2], [1.0, 0.0]);
/// assert!((y[2] - 1.0_f64.cos()).abs() < 1e-6 && (y[3] - 1.0_f64.sin()).abs() < 1e-6);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct RotaryEncoding<B: Backend> {
    /// Cosines of the angles, `[max_sequence_length, d_model / 2]`.
    pub cos: Tensor<B, 2>,
    /// Sines of the angles, `[max_sequence_length, d_model / 2]`.
    pub sin: Tensor<B, 2>,
    /// Angles per position, one for each pair of elements; after a frequency scaling, the scaled ones.
    pub frequencies: Ignored<Vec<f64>>,
    /// Base of the rotation frequencies.
    pub theta: f64,
    /// Whether the elements `2i` and `2i + 1` are rotated together.
    pub interleaved: bool,
}

#[fallible(layer)]
impl<B: Backend> RotaryEncoding<B> {
    /// Rotates `[.., length, d_model]`, whose first position is 0.
    ///
    /// # Errors
    /// The last dimension is not `d_model`, or the sequence is longer than `max_sequence_length`.
    pub fn try_forward<const D: usize>(&self, x: Tensor<B, D>) -> Result<Tensor<B, D>, TensorError> {
        self.try_apply(x, 0)
    }

    /// Rotates `[.., length, d_model]`, whose first position is `start`, as for tokens that are decoded with
    /// a cache of `start` positions.
    ///
    /// # Errors
    /// The last dimension is not `d_model`, or the sequence ends after `max_sequence_length`.
    pub fn try_apply<const D: usize>(
        &self,
        x: Tensor<B, D>,
        start: usize,
    ) -> Result<Tensor<B, D>, TensorError> {
        let dims = x.dims();
        let [others, length, d_model] = sizes(&dims, start, self.cos.dims())?;
        let y = self.rotate(x.reshape([others, length, d_model]), start);
        Ok(y.reshape(dims))
    }
}

impl<B: Backend> RotaryEncoding<B> {
    /// Computes the tables anew for the `max_sequence_length` positions from `start` on, so that a window can
    /// move along a sequence that is longer: position `p` of [`apply`](Self::apply) is then position `start +
    /// p`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::{RotaryEncoding, RotaryEncodingConfig};
    /// use burn::tensor::Tensor;
    ///
    /// let device = Default::default();
    /// let long: RotaryEncoding<NdArray> = RotaryEncodingConfig::new(64, 4).init(&device);
    /// let mut window: RotaryEncoding<NdArray> = RotaryEncodingConfig::new(8, 4).init(&device);
    /// window.shift(40);
    /// let x = Tensor::<NdArray, 2>::ones([8, 4], &device);
    /// assert!(window.forward(x.clone()).all_close(long.apply(x, 40), None, Some(1e-6)));
    /// ```
    pub fn shift(&mut self, start: usize) {
        let [length, _] = self.cos.dims();
        let (device, dtype) = (self.cos.device(), self.cos.dtype());
        let [cos, sin] = tables(&self.frequencies, start, length);
        self.cos = Tensor::from_data(cos, &device).cast(dtype);
        self.sin = Tensor::from_data(sin, &device).cast(dtype);
    }

    fn rotate(&self, x: Tensor<B, 3>, start: usize) -> Tensor<B, 3> {
        let [others, length, d_model] = x.dims();
        let pairs = d_model / 2;
        // The dimension of the two elements of a pair.
        let (dim, sizes, angles) = match self.interleaved {
            true => (3, [others, length, pairs, 2], [1, length, pairs, 1]),
            false => (2, [others, length, 2, pairs], [1, length, 1, pairs]),
        };
        let [cos, sin] =
            [&self.cos, &self.sin].map(|table| table.clone().narrow(0, start, length).reshape(angles));
        let pairs = x.reshape(sizes);
        let (first, second) = (pairs.clone().narrow(dim, 0, 1), pairs.narrow(dim, 1, 1));
        let rotated = Vec::from([
            first.clone() * cos.clone() - second.clone() * sin.clone(),
            first * sin + second * cos,
        ]);
        Tensor::cat(rotated, dim).reshape([others, length, d_model])
    }
}

/// The sizes of the input as `[others, length, d_model]`.
#[track_caller]
fn sizes(dims: &[usize], start: usize, [longest, pairs]: [usize; 2]) -> Result<[usize; 3], TensorError> {
    let d_model = 2 * pairs;
    let [others @ .., length, last] = dims else {
        let message = format_args!("wrong rank of the input; expected [.., length, {d_model}], got {dims:?}");
        return Err(TensorError::argument(NAME, message));
    };
    if *last != d_model {
        let message =
            format_args!("wrong last dimension of the input; expected [.., {d_model}], got {dims:?}");
        return Err(TensorError::argument(NAME, message));
    }
    if start.saturating_add(*length) > longest {
        let message = format_args!(
            "the sequence is too long; expected at most {longest} positions (max_sequence_length), got {length} from \
             {start} on"
        );
        return Err(TensorError::argument(NAME, message));
    }
    Ok([others.iter().product(), *length, d_model])
}

impl<B: Backend> ModuleDisplay for RotaryEncoding<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [max_sequence_length, pairs] = self.cos.dims();
        content
            .add("max_sequence_length", &max_sequence_length)
            .add("d_model", &(2 * pairs))
            .add("theta", &self.theta)
            .add("interleaved", &self.interleaved)
            .optional()
    }
}

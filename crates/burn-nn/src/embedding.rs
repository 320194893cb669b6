use crate::display::one_line;
use crate::embedding_lookup::Lookup;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::{Backend, Int, Tensor};
use burn_derive::fallible;

/// Options of [`Embedding`].
#[derive(Config, Debug)]
pub struct EmbeddingConfig {
    /// Vocabulary size: the number of embedding vectors.
    pub n_embedding: usize,
    /// Embedding dimension: the size of each vector.
    pub d_model: usize,
    /// Padding index: its vector starts at 0 and gets no gradient.
    #[config(default = "None")]
    pub padding_idx: Option<usize>,
    /// Largest norm of a vector that is returned; longer ones are scaled down. The weight stays as it is.
    #[config(default = "None")]
    pub max_norm: Option<f64>,
    /// The `p` of the p-norm that `max_norm` limits; above 0.
    #[config(default = 2.0)]
    pub norm_type: f64,
    /// Whether the gradient of a vector is divided by the number of times that its index occurs in the input.
    #[config(default = false)]
    pub scale_grad_by_frequency: bool,
    /// Initializer of the embedding vectors.
    #[config(default = "Initializer::Normal { mean: 0.0, std: 1.0 }")]
    pub initializer: Initializer,
}

#[fallible(config)]
impl EmbeddingConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<Embedding<B>, ConfigError> {
        let EmbeddingConfig { n_embedding, d_model, ref initializer, .. } = *self;
        let layer = Lookup {
            padding_idx: self.padding_idx,
            max_norm: self.max_norm,
            norm_type: self.norm_type,
            scale_grad_by_frequency: self.scale_grad_by_frequency,
        };
        let check = FieldCheck::of("EmbeddingConfig");
        layer.validate(check, [n_embedding, d_model], initializer)?;
        Ok(Embedding {
            weight: layer.weight(initializer, [n_embedding, d_model], device),
            padding_idx: self.padding_idx,
            max_norm: self.max_norm,
            norm_type: self.norm_type,
            scale_grad_by_frequency: self.scale_grad_by_frequency,
        })
    }
}

/// Lookup table of embedding vectors, one per index. PyTorch: `torch.nn.Embedding`, with the same normal
/// initialization.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{Embedding, EmbeddingConfig};
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let embedding: Embedding<NdArray> = EmbeddingConfig::new(100, 16).with_padding_idx(Some(0)).init(&device);
/// let tokens = Tensor::<NdArray, 2, Int>::from_data([[1, 7, 99], [4, 0, 0]], &device);
/// assert_eq!(embedding.forward(tokens).dims(), [2, 3, 16]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Embedding<B: Backend> {
    /// Embedding matrix, `[n_embedding, d_model]`.
    pub weight: Param<Tensor<B, 2>>,
    /// Padding index: its vector gets no gradient.
    pub padding_idx: Option<usize>,
    /// Largest norm of a vector that is returned.
    pub max_norm: Option<f64>,
    /// The `p` of the p-norm that `max_norm` limits.
    pub norm_type: f64,
    /// Whether the gradient of a vector is divided by the number of times that its index occurs in the input.
    pub scale_grad_by_frequency: bool,
}

#[fallible(layer = "embedding")]
impl<B: Backend> Embedding<B> {
    /// Looks up the vectors of the indices: `[batch, length]` to `[batch, length, d_model]`.
    ///
    /// # Panics
    /// An index is not in `0..n_embedding`.
    pub fn forward(&self, indices: Tensor<B, 2, Int>) -> Tensor<B, 3> {
        let ([batch, length], [_, d_model]) = (indices.dims(), self.weight.dims());
        let lookup = Lookup {
            padding_idx: self.padding_idx,
            max_norm: self.max_norm,
            norm_type: self.norm_type,
            scale_grad_by_frequency: self.scale_grad_by_frequency,
        };
        let vectors = lookup.vectors(self.weight.val(), indices.reshape([batch * length]));
        vectors.reshape([batch, length, d_model])
    }
}

impl<B: Backend> ModuleDisplay for Embedding<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [n_embedding, d_model] = self.weight.dims();
        content.add("n_embedding", &n_embedding).add("d_model", &d_model).optional()
    }
}

#[cfg(test)]
mod tests {
    use super::{Embedding, EmbeddingConfig};
    use burn_autodiff::Autodiff;
    use burn_core::tensor::{Int, Tensor};
    use burn_ndarray::NdArray;

    type B = Autodiff<NdArray>;

    #[test]
    fn embedding_gradients_of_one_index_add_up() {
        let device = Default::default();
        let embedding: Embedding<B> = EmbeddingConfig::new(3, 2).init(&device);
        let y = embedding.forward(Tensor::<_, 2, Int>::from_data([[2, 0, 2]], &device));
        let rows = embedding.weight.val().into_data().to_f64();
        assert_eq!(y.to_data().to_f64(), [&rows[4..], &rows[..2], &rows[4..]].concat());
        let grad = embedding.weight.val().grad(&y.sum().backward()).unwrap();
        assert_eq!(grad.into_data().to_f64(), [1.0, 1.0, 0.0, 0.0, 2.0, 2.0]);
    }

    #[test]
    fn embedding_of_the_padding_index_starts_at_zero() {
        let device = Default::default();
        let embedding: Embedding<B> = EmbeddingConfig::new(3, 2).with_padding_idx(Some(1)).init(&device);
        assert!(!embedding.weight.is_initialized());
        let rows = embedding.weight.val().into_data().to_f64();
        assert!(rows[2..4] == [0.0, 0.0] && rows[0] != 0.0 && rows[4] != 0.0, "{rows:?}");
    }

    #[test]
    #[should_panic(
        expected = "EmbeddingConfig: invalid `padding_idx`; expected an index below `n_embedding`, got 3"
    )]
    fn padding_index_beyond_the_vocabulary_panics() {
        let _layer: Embedding<B> =
            EmbeddingConfig::new(3, 2).with_padding_idx(Some(3)).init(&Default::default());
    }
}

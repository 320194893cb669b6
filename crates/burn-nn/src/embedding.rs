use crate::display::one_line;
use burn_core::config::Config;
use burn_core::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::{Backend, Int, Tensor, module};

/// Options of [`Embedding`].
#[derive(Config, Debug)]
pub struct EmbeddingConfig {
    /// Vocabulary size: the number of embedding vectors.
    pub n_embedding: usize,
    /// Embedding dimension: the size of each vector.
    pub d_model: usize,
    /// Initializer of the embedding vectors.
    #[config(default = "Initializer::Normal { mean: 0.0, std: 1.0 }")]
    pub initializer: Initializer,
}

impl EmbeddingConfig {
    /// Returns the layer, with its parameters on `device`.
    pub fn init<B: Backend>(&self, device: &B::Device) -> Embedding<B> {
        Embedding { weight: self.initializer.init([self.n_embedding, self.d_model], device) }
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
/// let embedding: Embedding<NdArray> = EmbeddingConfig::new(100, 16).init(&device);
/// let tokens = Tensor::<NdArray, 2, Int>::from_data([[1, 7, 99], [0, 0, 3]], &device);
/// assert_eq!(embedding.forward(tokens).dims(), [2, 3, 16]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Embedding<B: Backend> {
    /// Embedding matrix, `[n_embedding, d_model]`.
    pub weight: Param<Tensor<B, 2>>,
}

impl<B: Backend> Embedding<B> {
    /// Looks up the vectors of the indices: `[batch, length]` to `[batch, length, d_model]`.
    ///
    /// # Panics
    /// An index is not in `0..n_embedding`.
    #[track_caller]
    pub fn forward(&self, indices: Tensor<B, 2, Int>) -> Tensor<B, 3> {
        module::embedding(self.weight.val(), indices)
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

    #[test]
    fn embedding_gradients_of_one_index_add_up() {
        let device = Default::default();
        let embedding: Embedding<Autodiff<NdArray>> = EmbeddingConfig::new(3, 2).init(&device);
        let y = embedding.forward(Tensor::<_, 2, Int>::from_data([[2, 0, 2]], &device));
        let rows = embedding.weight.val().into_data().to_f64();
        assert_eq!(y.to_data().to_f64(), [&rows[4..], &rows[..2], &rows[4..]].concat());
        let grad = embedding.weight.val().grad(&y.sum().backward()).unwrap();
        assert_eq!(grad.into_data().to_f64(), [1.0, 1.0, 0.0, 0.0, 2.0, 2.0]);
    }
}

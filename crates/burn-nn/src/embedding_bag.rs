use crate::display::one_line;
use crate::embedding_lookup::Lookup;
use crate::input::require;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Ignored, Initializer, Module, ModuleDisplay, Param};
use burn_core::tensor::{Backend, Bool, Int, Tensor};
use burn_derive::fallible;

/// Reduction of the embedding vectors of a bag.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingBagMode {
    /// Sum of the vectors, each times its weight where weights are given.
    Sum,
    /// Mean of the vectors.
    Mean,
    /// Largest element in each embedding dimension.
    Max,
}

/// Options of [`EmbeddingBag`].
#[derive(Config, Debug)]
pub struct EmbeddingBagConfig {
    /// Vocabulary size: the number of embedding vectors.
    pub n_embedding: usize,
    /// Embedding dimension: the size of each vector.
    pub d_model: usize,
    /// Reduction over the vectors of a bag.
    #[config(default = "EmbeddingBagMode::Mean")]
    pub mode: EmbeddingBagMode,
    /// Padding index: bags leave it out, its vector starts at 0 and gets no gradient.
    #[config(default = "None")]
    pub padding_idx: Option<usize>,
    /// Largest norm of a vector in a bag; longer ones are scaled down. The weight stays as it is.
    #[config(default = "None")]
    pub max_norm: Option<f64>,
    /// The `p` of the p-norm that `max_norm` limits; above 0.
    #[config(default = 2.0)]
    pub norm_type: f64,
    /// Whether the gradient of a vector is divided by the number of times that its index occurs in the input;
    /// not with [`EmbeddingBagMode::Max`].
    #[config(default = false)]
    pub scale_grad_by_frequency: bool,
    /// Whether the offsets end with the number of indices, so that bag `i` is `offsets[i]..offsets[i + 1]`.
    #[config(default = false)]
    pub include_last_offset: bool,
    /// Initializer of the embedding vectors.
    #[config(default = "Initializer::Normal { mean: 0.0, std: 1.0 }")]
    pub initializer: Initializer,
}

#[fallible(config)]
impl EmbeddingBagConfig {
    /// Returns the layer, with its parameters on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<EmbeddingBag<B>, ConfigError> {
        let EmbeddingBagConfig { n_embedding, d_model, mode, scale_grad_by_frequency, .. } = *self;
        let lookup = Lookup {
            padding_idx: self.padding_idx,
            max_norm: self.max_norm,
            norm_type: self.norm_type,
            scale_grad_by_frequency,
        };
        let check = FieldCheck::of("EmbeddingBagConfig");
        lookup.validate(check, [n_embedding, d_model], &self.initializer)?;
        let fits = !scale_grad_by_frequency || mode != EmbeddingBagMode::Max;
        check.ensure(fits, "scale_grad_by_frequency", &true, "false with `mode: Max`")?;
        Ok(EmbeddingBag {
            weight: lookup.weight(&self.initializer, [n_embedding, d_model], device),
            mode: Ignored(mode),
            padding_idx: self.padding_idx,
            max_norm: self.max_norm,
            norm_type: self.norm_type,
            scale_grad_by_frequency,
            include_last_offset: self.include_last_offset,
        })
    }
}

/// Sum, mean or maximum of the embedding vectors of each bag of indices. PyTorch: `torch.nn.EmbeddingBag`.
///
/// Bags are the rows of a matrix of indices ([`forward`](Self::forward)), or follow each other in a list,
/// with the offset at which each one begins ([`forward_offsets`](Self::forward_offsets)). An empty bag gives
/// 0.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::{EmbeddingBag, EmbeddingBagConfig, EmbeddingBagMode, Initializer};
/// use burn::tensor::{Int, Tensor};
///
/// let device = Default::default();
/// let config = EmbeddingBagConfig::new(10, 3).with_mode(EmbeddingBagMode::Sum);
/// let layer: EmbeddingBag<NdArray> = config.with_initializer(Initializer::Ones).init(&device);
/// let indices = Tensor::<NdArray, 1, Int>::from_data([4, 1, 7, 2], &device);
/// let offsets = Tensor::<NdArray, 1, Int>::from_data([0, 3], &device);
/// let y = layer.forward_offsets(indices, offsets);
/// assert_eq!(y.into_data().to_f64(), [3.0, 3.0, 3.0, 1.0, 1.0, 1.0]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct EmbeddingBag<B: Backend> {
    /// Embedding matrix, `[n_embedding, d_model]`.
    pub weight: Param<Tensor<B, 2>>,
    /// Reduction over the vectors of a bag.
    pub mode: Ignored<EmbeddingBagMode>,
    /// Padding index: bags leave it out.
    pub padding_idx: Option<usize>,
    /// Largest norm of a vector in a bag.
    pub max_norm: Option<f64>,
    /// The `p` of the p-norm that `max_norm` limits.
    pub norm_type: f64,
    /// Whether the gradient of a vector is divided by the number of times that its index occurs in the input.
    pub scale_grad_by_frequency: bool,
    /// Whether the offsets end with the number of indices.
    pub include_last_offset: bool,
}

/// Vectors of all bags, in order.
struct Entries<B: Backend> {
    /// `[count, d_model]`, with the neutral element of the reduction where an entry is padding.
    vectors: Tensor<B, 2>,
    /// 1 for entries that are not padding, `[count, 1]`.
    counted: Tensor<B, 2>,
}

#[fallible(layer = "embedding_bag")]
impl<B: Backend> EmbeddingBag<B> {
    /// Reduces the vectors of each row of indices: `[bags, length]` to `[bags, d_model]`.
    ///
    /// # Panics
    /// An index is not in `0..n_embedding`.
    pub fn forward(&self, indices: Tensor<B, 2, Int>) -> Tensor<B, 2> {
        self.rows(indices, None)
    }

    /// Sums the vectors of each row of indices, `[bags, length]`, each times its weight, `[bags, length]`, to
    /// `[bags, d_model]`.
    ///
    /// # Panics
    /// The mode is not [`EmbeddingBagMode::Sum`], the shapes differ, or an index is not in `0..n_embedding`.
    pub fn forward_weighted(&self, indices: Tensor<B, 2, Int>, weights: Tensor<B, 2>) -> Tensor<B, 2> {
        self.check_weights(&indices.dims(), &weights.dims());
        self.rows(indices, Some(weights))
    }

    /// Reduces the vectors of bags that follow each other: indices `[count]` and the offset of each bag,
    /// `[bags]`, to `[bags, d_model]`. The first offset is 0 and none is below the one before it.
    ///
    /// # Panics
    /// An index is not in `0..n_embedding`, an offset not in `0..=count`, or the first offset is not 0.
    pub fn forward_offsets(&self, indices: Tensor<B, 1, Int>, offsets: Tensor<B, 1, Int>) -> Tensor<B, 2> {
        self.check_offsets(&offsets);
        self.segments(indices, offsets, None)
    }

    /// Sums the vectors of bags that follow each other, as [`forward_offsets`](Self::forward_offsets) does,
    /// each times its weight, `[count]`.
    ///
    /// # Panics
    /// Those of [`forward_offsets`](Self::forward_offsets) and [`forward_weighted`](Self::forward_weighted).
    pub fn forward_offsets_weighted(
        &self,
        indices: Tensor<B, 1, Int>,
        offsets: Tensor<B, 1, Int>,
        weights: Tensor<B, 1>,
    ) -> Tensor<B, 2> {
        self.check_offsets(&offsets);
        self.check_weights(&indices.dims(), &weights.dims());
        self.segments(indices, offsets, Some(weights))
    }

    #[track_caller]
    fn check_weights(&self, indices: &[usize], weights: &[usize]) {
        require(
            *self.mode == EmbeddingBagMode::Sum,
            "embedding_bag",
            format_args!("weights per index need `mode: Sum`, got `mode: {:?}`", *self.mode),
        );
        require(
            indices == weights,
            "embedding_bag",
            format_args!(
                "indices and weights have different shapes; expected weights {indices:?}, got {weights:?}"
            ),
        );
    }

    #[track_caller]
    fn check_offsets(&self, offsets: &Tensor<B, 1, Int>) {
        let [count] = offsets.dims();
        require(
            !self.include_last_offset || count > 0,
            "embedding_bag",
            format_args!("no last offset; expected at least 1 offset with `include_last_offset`, got 0"),
        );
    }

    #[track_caller]
    fn rows(&self, indices: Tensor<B, 2, Int>, weights: Option<Tensor<B, 2>>) -> Tensor<B, 2> {
        let ([bags, length], [_, d_model]) = (indices.dims(), self.weight.dims());
        let weights = weights.map(|weights| weights.reshape([bags * length]));
        let Entries { vectors, counted } = self.entries(indices.reshape([bags * length]), weights);
        let (vectors, counted) =
            (vectors.reshape([bags, length, d_model]), counted.reshape([bags, length, 1]));
        let counts = counted.sum_dim(1).reshape([bags, 1]);
        let reduced = match *self.mode {
            EmbeddingBagMode::Max if length > 0 => vectors.max_dim(1),
            EmbeddingBagMode::Max | EmbeddingBagMode::Sum | EmbeddingBagMode::Mean => vectors.sum_dim(1),
        };
        self.finished(reduced.reshape([bags, d_model]), counts)
    }

    #[track_caller]
    fn segments(
        &self,
        indices: Tensor<B, 1, Int>,
        offsets: Tensor<B, 1, Int>,
        weights: Option<Tensor<B, 1>>,
    ) -> Tensor<B, 2> {
        let ([count], [_, d_model]) = (indices.dims(), self.weight.dims());
        let bags = offsets.dims()[0] - usize::from(self.include_last_offset);
        let offsets = offsets.narrow(0, 0, bags);
        // Number of bags that begin at each index; their running sum numbers the bags from 1.
        let begins = Tensor::<B, 1, Int>::zeros([count + 1], &offsets.device());
        let begins = begins.select_add(0, offsets.clone(), offsets.ones_like());
        let bag = begins.cumsum(0).narrow(0, 0, count) - 1;
        let Entries { vectors, counted } = self.entries(indices, weights);
        let options = (&vectors.device(), vectors.dtype());
        let counts = Tensor::zeros([bags, 1], options).select_add(0, bag.clone(), counted);
        let reduced = match *self.mode {
            EmbeddingBagMode::Max => {
                Tensor::full([bags, d_model], f64::NEG_INFINITY, options).select_max(0, bag, vectors)
            }
            EmbeddingBagMode::Sum | EmbeddingBagMode::Mean => {
                Tensor::zeros([bags, d_model], options).select_add(0, bag, vectors)
            }
        };
        self.finished(reduced, counts)
    }

    #[track_caller]
    fn entries(&self, indices: Tensor<B, 1, Int>, weights: Option<Tensor<B, 1>>) -> Entries<B> {
        let [count] = indices.dims();
        let lookup = Lookup {
            padding_idx: self.padding_idx,
            max_norm: self.max_norm,
            norm_type: self.norm_type,
            scale_grad_by_frequency: self.scale_grad_by_frequency,
        };
        let vectors = lookup.vectors(self.weight.val(), indices.clone());
        let vectors = match weights {
            Some(weights) => vectors * weights.reshape([count, 1]),
            None => vectors,
        };
        let options = (&vectors.device(), vectors.dtype());
        let Some(idx) = self.padding_idx else {
            return Entries { vectors, counted: Tensor::ones([count, 1], options) };
        };
        let padding: Tensor<B, 2, Bool> = indices.equal_elem(idx as i64).reshape([count, 1]);
        let counted = Tensor::ones([count, 1], options).mask_fill(padding.clone(), 0.0);
        let neutral = if *self.mode == EmbeddingBagMode::Max { f64::NEG_INFINITY } else { 0.0 };
        let vectors = vectors.mask_fill(padding, neutral);
        Entries { vectors, counted }
    }

    /// Divides sums by `counts`, `[bags, 1]`, for the mean; the maximum of an empty bag is 0.
    fn finished(&self, reduced: Tensor<B, 2>, counts: Tensor<B, 2>) -> Tensor<B, 2> {
        match *self.mode {
            EmbeddingBagMode::Sum => reduced,
            EmbeddingBagMode::Mean => reduced / counts.clamp_min(1.0),
            EmbeddingBagMode::Max => {
                let empty = counts.equal_elem(0.0);
                reduced.mask_fill(empty, 0.0)
            }
        }
    }
}

impl<B: Backend> ModuleDisplay for EmbeddingBag<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [n_embedding, d_model] = self.weight.dims();
        let content = content.add("n_embedding", &n_embedding).add("d_model", &d_model);
        content.add_debug("mode", &*self.mode).optional()
    }
}

#[cfg(feature = "json-schema")]
use super::request::GenerationRequest;
use crate::LmError;
use crate::cache::{CacheDtype, KvCache};
use crate::model::LanguageModel;
#[cfg(feature = "json-schema")]
use crate::sampling::{JsonConstraint, SchemaCompiler};
use crate::tokenizer::Tokenizer;
use burn_core::tensor::Backend;
use burn_import::gguf::GgufFile;
use std::path::Path;
use std::sync::Arc;
#[cfg(feature = "json-schema")]
use std::sync::OnceLock;

/// A language model with its tokenizer: from text to text.
///
/// ```no_run
/// use burn::backend::NdArray;
/// use burn::lm::{GenerationRequest, TextGenerator};
///
/// let generator = TextGenerator::<NdArray>::from_path("gemma-3-270m-q4_k_m.gguf", &Default::default())?;
/// let prompt = generator.tokenizer.encode("The capital of France is", true)?;
/// for token in generator.generate(GenerationRequest::new(prompt, 20))? {
///     print!("{}", token?.text);
/// }
/// # Ok::<(), burn::lm::LmError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TextGenerator<B: Backend> {
    /// The model.
    pub model: LanguageModel<B>,
    /// Its tokenizer.
    pub tokenizer: Arc<Tokenizer>,
    /// Made by the first request with a schema.
    #[cfg(feature = "json-schema")]
    schemas: Arc<OnceLock<Result<SchemaCompiler, LmError>>>,
}

impl<B: Backend> TextGenerator<B> {
    /// Joins a model and a tokenizer.
    ///
    /// # Errors
    /// The tokenizer has tokens for which the model has no embeddings.
    pub fn new(model: LanguageModel<B>, tokenizer: Tokenizer) -> Result<Self, LmError> {
        let (tokens, embeddings) = (tokenizer.vocabulary_size(), model.config.vocabulary_size);
        if tokens > embeddings {
            let cause = format!("expected at most {embeddings} tokens, as many as embeddings, got {tokens}");
            return Err(LmError::tokenizer("tokenizer", cause));
        }
        Ok(TextGenerator {
            model,
            tokenizer: Arc::new(tokenizer),
            #[cfg(feature = "json-schema")]
            schemas: Arc::default(),
        })
    }

    /// Loads a GGUF file, or a folder with `config.json`, safetensors and `tokenizer.json`.
    ///
    /// # Errors
    /// A file cannot be read or is damaged, or the model or the tokenizer is of an unsupported kind.
    pub fn from_path(path: impl AsRef<Path>, device: &B::Device) -> Result<Self, LmError> {
        let path = path.as_ref();
        if path.is_dir() {
            return Self::new(LanguageModel::from_folder(path, device)?, Tokenizer::from_folder(path)?);
        }
        let file = Arc::new(GgufFile::open(path)?);
        let tokenizer = Tokenizer::from_gguf_file(&file)?;
        Self::new(LanguageModel::from_gguf_file(file, device)?, tokenizer)
    }

    /// The constraint of a request with a schema.
    #[cfg(feature = "json-schema")]
    pub(super) fn constraint(&self, request: &GenerationRequest) -> Result<Option<JsonConstraint>, LmError> {
        let Some(schema) = &request.json_schema else { return Ok(None) };
        let compiler = self.schemas.get_or_init(|| SchemaCompiler::new(&self.tokenizer));
        compiler.as_ref().map_err(LmError::clone)?.compile(schema).map(Some)
    }

    /// Computes the mean of the last hidden states of a text, scaled to length 1: `[d_model]` numbers.
    ///
    /// # Errors
    /// The text is empty or longer than the context, or a tensor operation fails.
    pub fn embed(&self, tokens: &[u32]) -> Result<Vec<f32>, LmError> {
        let mut cache = KvCache::new(&self.model, tokens.len().max(1))?;
        let sequence = cache.start(tokens, tokens.len())?;
        let hidden = self.model.decode(&[(sequence, tokens)], &mut cache)?;
        let mean: Vec<f32> = hidden.mean_dim(0).try_into_data()?.iter::<f32>().collect();
        let length = mean.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        Ok(mean.into_iter().map(|x| (f64::from(x) / length) as f32).collect())
    }

    /// Computes the perplexity of a text: `exp` of the mean negative log probability of its tokens, each
    /// after those before it in its window of `window` tokens. The first token of a window is not counted.
    ///
    /// # Errors
    /// There are fewer than two tokens, the window is less than two or longer than the context, or a tensor
    /// operation fails.
    pub fn perplexity(&self, tokens: &[u32], window: usize) -> Result<f64, LmError> {
        self.perplexity_with_cache(tokens, window, self.model.embedding_dtype())
    }

    /// Computes the [`perplexity`](Self::perplexity) with keys and values as a cache of `dtype` stores them:
    /// what their rounding costs.
    ///
    /// # Errors
    /// As for [`perplexity`](Self::perplexity), or a cache cannot be of `dtype`
    /// ([`KvCache::with_dtype`]).
    pub fn perplexity_with_cache(
        &self,
        tokens: &[u32],
        window: usize,
        dtype: impl Into<CacheDtype>,
    ) -> Result<f64, LmError> {
        /// Rows of logits in memory at a time.
        const ROWS: usize = 64;
        if tokens.len() < 2 || window < 2 || window > self.model.config.context_length {
            let expected = format!("two tokens, and a window of 2 to {}", self.model.config.context_length);
            return Err(LmError::argument("window", expected, (tokens.len(), window)));
        }
        let (mut sum, mut count, dtype) = (0.0, 0, dtype.into());
        for part in tokens.chunks(window).filter(|part| part.len() > 1) {
            let mut cache = KvCache::with_dtype(&self.model, part.len(), dtype)?;
            let sequence = cache.start(part, part.len())?;
            let hidden = self.model.decode(&[(sequence, part)], &mut cache)?;
            for (index, targets) in part[1..].chunks(ROWS).enumerate() {
                let rows = hidden.clone().narrow(0, index * ROWS, targets.len());
                let logits = self.model.read_logits(rows)?;
                for (row, target) in self.model.logit_rows(&logits).zip(targets) {
                    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                    let total: f64 = row.iter().map(|logit| f64::from(logit - largest).exp()).sum();
                    sum -= f64::from(row[*target as usize] - largest) - total.ln();
                }
                count += targets.len();
            }
        }
        Ok((sum / f64::from(u32::try_from(count).unwrap_or(u32::MAX))).exp())
    }
}

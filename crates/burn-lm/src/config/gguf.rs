//! Metadata and tensor names of GGUF files.

use super::{BlockLayout, LanguageModelConfig, NormKind, RopeConfig, RopeScaling};
use crate::LmError;
use burn_core::weights::TensorSource;
use burn_import::gguf::{GgufFile, MetadataArray, MetadataValue};
use burn_nn::transformer::FeedForwardActivation;

impl LanguageModelConfig {
    /// Reads the configuration from the metadata of a GGUF file.
    ///
    /// # Errors
    /// The architecture is not supported, or a field is missing or out of its range; the error names it.
    pub fn from_gguf(file: &GgufFile) -> Result<Self, LmError> {
        read(file)
    }
}

/// Properties of an architecture that no metadata field of a GGUF file holds.
struct Architecture {
    name: &'static str,
    /// Whether the rows of query and key are in the order for pairs `2i`, `2i + 1`.
    interleaved: bool,
    gelu: bool,
    layer_norm: bool,
    /// Whether embeddings are multiplied by `sqrt(d_model)`.
    scaled_embeddings: bool,
    /// Every so many layers one has no window; 0 is a window on all layers, 1 on none.
    window_period: usize,
}

const ARCHITECTURES: [Architecture; 11] = {
    const LLAMA: Architecture = Architecture {
        name: "llama",
        interleaved: true,
        gelu: false,
        layer_norm: false,
        scaled_embeddings: false,
        window_period: 0,
    };
    const QWEN: Architecture = Architecture { name: "qwen2", interleaved: false, window_period: 1, ..LLAMA };
    const GEMMA: Architecture = Architecture { name: "gemma", gelu: true, scaled_embeddings: true, ..QWEN };
    [
        LLAMA,
        Architecture { name: "mistral", ..LLAMA },
        Architecture { name: "smollm3", ..LLAMA },
        QWEN,
        Architecture { name: "qwen3", ..QWEN },
        GEMMA,
        Architecture { name: "gemma2", window_period: 2, ..GEMMA },
        Architecture { name: "gemma3", window_period: 6, ..GEMMA },
        Architecture { name: "phi2", gelu: true, layer_norm: true, ..QWEN },
        Architecture { name: "phi3", window_period: 0, ..QWEN },
        Architecture { name: "gpt2", gelu: true, layer_norm: true, ..QWEN },
    ]
};

fn read(file: &GgufFile) -> Result<LanguageModelConfig, LmError> {
    let name = file.name();
    let found = match file.get("general.architecture") {
        Some(MetadataValue::Text(text)) => text.as_str(),
        _ => return Err(LmError::config(&name, "general.architecture", "missing; expected a text")),
    };
    let Some(architecture) = ARCHITECTURES.iter().find(|architecture| architecture.name == found) else {
        let known: Vec<_> = ARCHITECTURES.iter().map(|architecture| architecture.name).collect();
        let shown: String = found.chars().take(60).collect();
        let cause = format!("expected one of {}, got `{shown}`", known.join(", "));
        return Err(LmError::config(&name, "general.architecture", cause));
    };
    let config = Metadata { file, name: &name, architecture }.config()?;
    config.validate(&name)?;
    Ok(config)
}

struct Metadata<'a> {
    file: &'a GgufFile,
    name: &'a str,
    architecture: &'a Architecture,
}

impl Metadata<'_> {
    fn config(&self) -> Result<LanguageModelConfig, LmError> {
        let Architecture { gelu, layer_norm, scaled_embeddings, .. } = *self.architecture;
        let (d_model, n_heads) = (self.size("embedding_length")?, self.size("attention.head_count")?);
        let (n_layers, d_ff) = (self.size("block_count")?, self.size("feed_forward_length")?);
        let Some([vocabulary_size, _]) = self.matrix("token_embd.weight") else {
            return Err(self.error("token_embd.weight", "missing; expected a matrix"));
        };
        let epsilon = match layer_norm {
            true => "attention.layer_norm_epsilon",
            false => "attention.layer_norm_rms_epsilon",
        };
        let layout = match (self.has("blk.0.post_ffw_norm.weight"), self.has("blk.0.ffn_norm.weight")) {
            (true, _) => BlockLayout::PostNorm,
            (false, true) => BlockLayout::Sequential,
            (false, false) => BlockLayout::Parallel,
        };
        let joined =
            self.matrix("blk.0.ffn_up.weight").is_some_and(|[rows, _]| rows == d_ff.saturating_mul(2));
        let context_length = self.size("context_length")?;
        let config = LanguageModelConfig::new(vocabulary_size, d_model, n_layers, n_heads, d_ff)
            .with_context_length(context_length)
            .with_n_key_value_heads(self.optional_size("attention.head_count_kv")?)
            .with_d_head(self.optional_size("attention.key_length")?)
            .with_norm(if layer_norm { NormKind::Layer } else { NormKind::Rms })
            .with_norm_epsilon(self.number(epsilon)?.unwrap_or(1e-5))
            .with_layout(layout)
            .with_qk_norm(self.has("blk.0.attn_q_norm.weight"))
            .with_activation(match gelu {
                true => FeedForwardActivation::GeluTanh,
                false => FeedForwardActivation::Silu,
            })
            .with_gated(joined || self.has("blk.0.ffn_gate.weight"))
            .with_attention_bias(self.has("blk.0.attn_q.bias") || self.has("blk.0.attn_qkv.bias"))
            .with_joint_projections(matches!(self.architecture.name, "gpt2" | "phi3"))
            .with_output_bias(self.has("blk.0.attn_output.bias"))
            .with_feed_forward_bias(self.has("blk.0.ffn_up.bias"))
            .with_head_bias(self.has("output.bias"))
            .with_learned_positions(self.has("position_embd.weight"))
            .with_embedding_scale(scaled_embeddings.then(|| (d_model as f64).sqrt()))
            .with_attention_soft_cap(self.positive("attn_logit_softcapping")?)
            .with_logit_soft_cap(self.positive("final_logit_softcapping")?)
            .with_attention_scale(self.positive("attention.scale")?)
            .with_tied_embeddings(!self.has("output.weight"));
        if let Some(size) = self.optional_size("attention.value_length")?
            && size != config.head_size()
        {
            let cause = format!("expected {}, the size of keys, got {size}", config.head_size());
            return Err(self.error("attention.value_length", cause));
        }
        let config = self.with_windows(config)?;
        self.with_rope(config)
    }

    fn with_windows(&self, config: LanguageModelConfig) -> Result<LanguageModelConfig, LmError> {
        let Some(window) = self.optional_size("attention.sliding_window")?.filter(|window| *window > 0)
        else {
            return Ok(config);
        };
        let n_layers = config.n_layers;
        let period = self.architecture.window_period;
        let pattern = self.key("attention.sliding_window_pattern");
        let layers: Vec<usize> = match self.file.get(&pattern) {
            Some(MetadataValue::Array(MetadataArray::Bool(slides))) => {
                (0..n_layers).filter(|layer| slides.get(*layer) == Some(&true)).collect()
            }
            Some(_) => every(n_layers, self.size("attention.sliding_window_pattern")?),
            None => every(n_layers, period),
        };
        Ok(config.with_sliding_window(Some(window)).with_window_layers(layers))
    }

    fn with_rope(&self, config: LanguageModelConfig) -> Result<LanguageModelConfig, LmError> {
        if config.learned_positions {
            return Ok(config.with_rope(None));
        }
        let theta = self.number("rope.freq_base")?.unwrap_or(10_000.0);
        let dims = self.optional_size("rope.dimension_count")?.unwrap_or(config.head_size());
        let original = self.optional_size("rope.scaling.original_context_length")?;
        let original = original.unwrap_or(config.context_length);
        let scaling = match self.factors(original)? {
            Some(factors) => factors,
            None => self.scaling(original)?,
        };
        let plain = RopeConfig::new()
            .with_theta(theta)
            .with_dims(Some(dims))
            .with_interleaved(self.architecture.interleaved);
        let local = match (self.number("rope.freq_base_swa")?, self.architecture.name) {
            (Some(theta), _) => Some(plain.clone().with_theta(theta)),
            (None, "gemma3") => Some(plain.clone().with_theta(10_000.0)),
            (None, _) => None,
        };
        let without: Vec<usize> = match self.architecture.name {
            "smollm3" => (0..config.n_layers).filter(|layer| (layer + 1).is_multiple_of(4)).collect(),
            _ => Vec::new(),
        };
        Ok(config
            .with_rope(Some(plain.with_scaling(scaling)))
            .with_window_rope(local)
            .with_layers_without_rope(without))
    }

    fn scaling(&self, original_context: usize) -> Result<RopeScaling, LmError> {
        let kind = match self.value("rope.scaling.type") {
            Some(MetadataValue::Text(kind)) => kind.as_str(),
            _ => "none",
        };
        let factor = match self.positive("rope.scaling.factor")? {
            Some(factor) => factor,
            None => self.positive("rope.scale_linear")?.unwrap_or(1.0),
        };
        match kind {
            "none" | "linear" if factor == 1.0 => Ok(RopeScaling::None),
            "none" if self.value("rope.scaling.type").is_some() => Ok(RopeScaling::None),
            "none" | "linear" => Ok(RopeScaling::Linear { factor }),
            "yarn" => Ok(RopeScaling::Yarn {
                factor,
                original_context,
                beta_fast: self.number("rope.scaling.yarn_beta_fast")?.unwrap_or(32.0),
                beta_slow: self.number("rope.scaling.yarn_beta_slow")?.unwrap_or(1.0),
                attention_factor: (0.1 * factor.max(1.0).ln() + 1.0)
                    * self.positive("rope.scaling.attn_factor")?.unwrap_or(1.0),
                truncate: true,
            }),
            // The factors are tensors of the file; without them, nothing changes.
            "longrope" => Ok(RopeScaling::None),
            other => {
                let shown: String = other.chars().take(60).collect();
                let cause = format!("expected none, linear, yarn or longrope, got `{shown}`");
                Err(self.error("rope.scaling.type", cause))
            }
        }
    }

    /// Factors of the frequencies that are tensors of the file: those of Llama 3.1 and of LongRoPE.
    fn factors(&self, original_context: usize) -> Result<Option<RopeScaling>, LmError> {
        let read = |name: &str| -> Result<Option<Vec<f64>>, LmError> {
            let Some(index) = self.file.tensors().iter().position(|tensor| tensor.name == name) else {
                return Ok(None);
            };
            Ok(Some(self.file.read(index)?.to_f64()))
        };
        if let Some(factors) = read("rope_freqs.weight")? {
            return Ok(Some(RopeScaling::Factors {
                short: factors.clone(),
                long: factors,
                original_context,
                attention_factor: 1.0,
            }));
        }
        let (Some(short), Some(long)) =
            (read("rope_factors_short.weight")?, read("rope_factors_long.weight")?)
        else {
            return Ok(None);
        };
        let attention_factor = self.positive("rope.scaling.attn_factor")?.unwrap_or(1.0);
        Ok(Some(RopeScaling::Factors { short, long, original_context, attention_factor }))
    }

    fn key(&self, field: &str) -> String {
        format!("{}.{field}", self.architecture.name)
    }

    fn value(&self, field: &str) -> Option<&MetadataValue> {
        self.file.get(&self.key(field))
    }

    fn error(&self, field: &str, cause: impl Into<String>) -> LmError {
        LmError::config(self.name, field, cause)
    }

    fn optional_size(&self, field: &str) -> Result<Option<usize>, LmError> {
        let fail = |found: &dyn std::fmt::Debug| {
            let found: String = format!("{found:?}").chars().take(60).collect();
            Err(self.error(&self.key(field), format!("expected a whole number, got {found}")))
        };
        match self.value(field) {
            None => Ok(None),
            Some(MetadataValue::UInt(size)) => Ok(usize::try_from(*size).ok()),
            Some(MetadataValue::Int(size)) if *size >= 0 => Ok(usize::try_from(*size).ok()),
            // Sizes by layer are supported where all layers have the same.
            Some(MetadataValue::Array(MetadataArray::UInt(sizes))) if all_equal(sizes) => {
                Ok(sizes.first().and_then(|size| usize::try_from(*size).ok()))
            }
            Some(MetadataValue::Array(MetadataArray::Int(sizes))) if all_equal(sizes) => {
                Ok(sizes.first().and_then(|size| usize::try_from(*size).ok()))
            }
            Some(other) => fail(other),
        }
    }

    fn size(&self, field: &str) -> Result<usize, LmError> {
        let missing = || self.error(&self.key(field), "missing; expected a whole number");
        self.optional_size(field)?.ok_or_else(missing)
    }

    fn number(&self, field: &str) -> Result<Option<f64>, LmError> {
        match self.value(field) {
            None => Ok(None),
            Some(MetadataValue::Float(number)) => Ok(Some(*number)),
            Some(_) => Err(self.error(&self.key(field), "expected a number")),
        }
    }

    /// A number, unless it is 0, which stands for none.
    fn positive(&self, field: &str) -> Result<Option<f64>, LmError> {
        Ok(self.number(field)?.filter(|number| *number != 0.0))
    }

    fn has(&self, tensor: &str) -> bool {
        self.file.tensors().iter().any(|info| info.name == tensor)
    }

    fn matrix(&self, tensor: &str) -> Option<[usize; 2]> {
        let info = self.file.tensors().iter().find(|info| info.name == tensor)?;
        info.shape[..].try_into().ok()
    }
}

fn all_equal<T: PartialEq>(items: &[T]) -> bool {
    !items.is_empty() && items.windows(2).all(|pair| pair[0] == pair[1])
}

/// Layers with a window where one of `period` has none.
fn every(n_layers: usize, period: usize) -> Vec<usize> {
    (0..n_layers).filter(|layer| period == 0 || !(layer + 1).is_multiple_of(period)).collect()
}

//! `config.json` of Hugging Face's `transformers`.

use super::{BlockLayout, LanguageModelConfig, NormKind, RopeConfig, RopeScaling};
use crate::LmError;
use burn_nn::transformer::FeedForwardActivation;
use serde_json::Value;
use std::path::Path;

/// Largest `config.json`.
const MOST_BYTES: u64 = 4 << 20;

impl LanguageModelConfig {
    /// Reads the configuration from a `config.json` of Hugging Face's `transformers`.
    ///
    /// # Errors
    /// The file cannot be read, the model type is not supported, or a field is missing or out of its range;
    /// the error names it.
    pub fn from_hugging_face(path: impl AsRef<Path>) -> Result<Self, LmError> {
        read(path.as_ref())
    }
}

fn read(path: &Path) -> Result<LanguageModelConfig, LmError> {
    let json = crate::load::read_json(path, MOST_BYTES)?;
    let fields = Fields { file: path.display().to_string(), json: &json };
    let fields = match fields.json.get("text_config") {
        Some(text) if text.is_object() => Fields { json: text, ..fields },
        _ => fields,
    };
    let config = fields.config()?;
    config.validate(&fields.file)?;
    Ok(config)
}

struct Fields<'a> {
    file: String,
    json: &'a Value,
}

impl Fields<'_> {
    fn config(&self) -> Result<LanguageModelConfig, LmError> {
        match self.text("model_type")?.unwrap_or_default() {
            "gpt2" => self.gpt2(),
            "llama" | "mistral" => self.llama(),
            "smollm3" => self.smollm3(),
            "qwen2" => self.qwen2(),
            "qwen3" => Ok(self.llama()?.with_qk_norm(true)),
            "gemma" | "gemma2" | "gemma3" | "gemma3_text" => self.gemma(),
            "phi" => self.phi(),
            "phi3" => self.phi3(),
            other => Err(self.error(
                "model_type",
                format!(
                    "expected llama, mistral, smollm3, qwen2, qwen3, gemma, gemma2, gemma3_text, phi, phi3 or gpt2, \
                     got `{other}`"
                ),
            )),
        }
    }

    /// Reads the fields that most families share, under the names of Llama.
    fn llama(&self) -> Result<LanguageModelConfig, LmError> {
        let (d_model, n_heads) = (self.size("hidden_size")?, self.size("num_attention_heads")?);
        let bias = self.flag("attention_bias")?.unwrap_or(false);
        let mlp_bias = self.flag("mlp_bias")?.unwrap_or(false);
        let config = LanguageModelConfig::new(
            self.size("vocab_size")?,
            d_model,
            self.size("num_hidden_layers")?,
            n_heads,
            self.size("intermediate_size")?,
        );
        let config = config
            .with_context_length(self.size_or("max_position_embeddings", 2048)?)
            .with_n_key_value_heads(self.optional_size("num_key_value_heads")?)
            .with_d_head(self.optional_size("head_dim")?)
            .with_norm_epsilon(self.number("rms_norm_eps")?.unwrap_or(1e-6))
            .with_activation(self.activation(&["hidden_act", "hidden_activation"], "silu")?)
            .with_attention_bias(bias)
            .with_output_bias(bias)
            .with_feed_forward_bias(mlp_bias)
            .with_tied_embeddings(self.flag("tie_word_embeddings")?.unwrap_or(false));
        let config = self.with_windows(config)?;
        self.with_rope(config)
    }

    fn smollm3(&self) -> Result<LanguageModelConfig, LmError> {
        let config = self.llama()?;
        let rotated = self.json.get("no_rope_layers").and_then(Value::as_array);
        let every = self.optional_size("no_rope_layer_interval")?.unwrap_or(4).max(1);
        // The list has a 1 where positions are rotated.
        let has_rope = |layer: usize| match rotated {
            Some(list) => list.get(layer).is_none_or(|rotated| rotated.as_u64() != Some(0)),
            None => !(layer + 1).is_multiple_of(every),
        };
        let layers = (0..config.n_layers).filter(|layer| !has_rope(*layer)).collect();
        Ok(config.with_layers_without_rope(layers))
    }

    fn qwen2(&self) -> Result<LanguageModelConfig, LmError> {
        Ok(self.llama()?.with_attention_bias(true).with_output_bias(false))
    }

    fn gemma(&self) -> Result<LanguageModelConfig, LmError> {
        let model_type = self.text("model_type")?.unwrap_or_default();
        let config = self.llama()?;
        let d_model = config.d_model;
        let config = config
            .with_activation(self.activation(&["hidden_activation", "hidden_act"], "gelu_pytorch_tanh")?)
            .with_d_head(Some(self.size_or("head_dim", 256)?))
            .with_norm_plus_one(true)
            .with_embedding_scale(Some((d_model as f64).sqrt()))
            .with_tied_embeddings(self.flag("tie_word_embeddings")?.unwrap_or(true));
        if model_type == "gemma" {
            return Ok(config);
        }
        let query = self.number("query_pre_attn_scalar")?.unwrap_or(256.0);
        let config = config
            .with_layout(BlockLayout::PostNorm)
            .with_attention_scale(Some(1.0 / query.sqrt()))
            .with_attention_soft_cap(self.number("attn_logit_softcapping")?)
            .with_logit_soft_cap(self.number("final_logit_softcapping")?);
        Ok(if model_type == "gemma2" { config } else { config.with_qk_norm(true) })
    }

    fn phi(&self) -> Result<LanguageModelConfig, LmError> {
        let config = self.llama()?;
        let config = config
            .with_norm(NormKind::Layer)
            .with_norm_epsilon(self.number("layer_norm_eps")?.unwrap_or(1e-5))
            .with_layout(BlockLayout::Parallel)
            .with_activation(self.activation(&["hidden_act"], "gelu_new")?)
            .with_gated(false)
            .with_attention_bias(true)
            .with_output_bias(true)
            .with_feed_forward_bias(true)
            .with_head_bias(true);
        if self.flag("qk_layernorm")?.unwrap_or(false) {
            return Err(self.error("qk_layernorm", "expected false, got true"));
        }
        Ok(config)
    }

    fn phi3(&self) -> Result<LanguageModelConfig, LmError> {
        let config = self.llama()?.with_attention_bias(false).with_output_bias(false);
        let config = config.with_joint_projections(true);
        // The window is on all layers, whatever the types of layers say.
        let layers = (0..config.n_layers).collect();
        Ok(config.with_sliding_window(self.optional_size("sliding_window")?).with_window_layers(layers))
    }

    fn gpt2(&self) -> Result<LanguageModelConfig, LmError> {
        let d_model = self.size("n_embd")?;
        for (name, needed) in [("scale_attn_weights", true), ("scale_attn_by_inverse_layer_idx", false)] {
            if self.flag(name)?.is_some_and(|value| value != needed) {
                return Err(self.error(name, format!("expected {needed}")));
            }
        }
        let config = LanguageModelConfig::new(
            self.size("vocab_size")?,
            d_model,
            self.size("n_layer")?,
            self.size("n_head")?,
            self.optional_size("n_inner")?.unwrap_or(d_model.saturating_mul(4)),
        );
        Ok(config
            .with_context_length(self.size_or("n_positions", 1024)?)
            .with_norm(NormKind::Layer)
            .with_norm_epsilon(self.number("layer_norm_epsilon")?.unwrap_or(1e-5))
            .with_activation(self.activation(&["activation_function"], "gelu_new")?)
            .with_gated(false)
            .with_attention_bias(true)
            .with_output_bias(true)
            .with_feed_forward_bias(true)
            .with_learned_positions(true)
            .with_joint_projections(true)
            .with_rope(None)
            .with_tied_embeddings(self.flag("tie_word_embeddings")?.unwrap_or(true)))
    }

    /// The sliding window and its layers: all of them, unless the file says which.
    fn with_windows(&self, config: LanguageModelConfig) -> Result<LanguageModelConfig, LmError> {
        let model_type = self.text("model_type")?.unwrap_or_default();
        let window = self.optional_size("sliding_window")?;
        if self.flag("use_sliding_window")? == Some(false) || window.is_none() {
            return Ok(config);
        }
        let n_layers = config.n_layers;
        let windowed = match self.json.get("layer_types").and_then(Value::as_array) {
            Some(types) => {
                let slides =
                    |layer: &usize| types.get(*layer).and_then(Value::as_str) == Some("sliding_attention");
                (0..n_layers).filter(slides).collect()
            }
            None => match model_type {
                "gemma2" => (0..n_layers).step_by(2).collect(),
                "gemma3" | "gemma3_text" => {
                    let pattern = self.size_or("sliding_window_pattern", 6)?.max(1);
                    (0..n_layers).filter(|layer| !(layer + 1).is_multiple_of(pattern)).collect()
                }
                // These have no window unless the file says so.
                "qwen2" | "qwen3" => {
                    let from = self.size_or("max_window_layers", n_layers)?;
                    let used = self.flag("use_sliding_window")? == Some(true);
                    (from..n_layers).filter(|_| used).collect()
                }
                "mistral" => (0..n_layers).collect(),
                _ => Vec::new(),
            },
        };
        Ok(config.with_sliding_window(window).with_window_layers(windowed))
    }

    /// Rotary positions: `rope_parameters`, or the older `rope_theta` and `rope_scaling`.
    fn with_rope(&self, config: LanguageModelConfig) -> Result<LanguageModelConfig, LmError> {
        let d_head = config.head_size();
        let both = |key: &str| self.json.get("rope_parameters").and_then(|rope| rope.get(key));
        let (global, local) = match (both("full_attention"), both("sliding_attention")) {
            (Some(global), local) => (Some(global), local),
            (None, _) => {
                let rope = self.json.get("rope_parameters").or_else(|| self.json.get("rope_scaling"));
                (rope.filter(|rope| rope.is_object()), None)
            }
        };
        let theta = self.number("rope_theta")?;
        let rope = self.rope(global, theta.unwrap_or(10_000.0), d_head, config.context_length)?;
        let window_rope = match (local, self.number("rope_local_base_freq")?) {
            (None, None) => None,
            (local, theta) => {
                Some(self.rope(local, theta.unwrap_or(10_000.0), d_head, config.context_length)?)
            }
        };
        Ok(config.with_rope(Some(rope)).with_window_rope(window_rope))
    }

    fn rope(
        &self,
        json: Option<&Value>,
        theta: f64,
        d_head: usize,
        context: usize,
    ) -> Result<RopeConfig, LmError> {
        let empty = Value::Null;
        let rope = Fields { file: self.file.clone(), json: json.unwrap_or(&empty) };
        let theta = rope.number("rope_theta")?.unwrap_or(theta);
        let partial = match rope.number("partial_rotary_factor")? {
            Some(factor) => Some(factor),
            None => self.number("partial_rotary_factor")?,
        };
        let dims = partial.map(|factor| (d_head as f64 * factor) as usize);
        let original = match rope.optional_size("original_max_position_embeddings")? {
            Some(original) => original,
            None => self.size_or("original_max_position_embeddings", context)?,
        };
        let kind = rope.text("rope_type")?.or(rope.text("type")?).unwrap_or("default");
        let factor = || -> Result<f64, LmError> {
            rope.number("factor")?.ok_or_else(|| self.error("rope_scaling.factor", "missing"))
        };
        let scaling = match kind {
            "default" => RopeScaling::None,
            "linear" => RopeScaling::Linear { factor: factor()? },
            "ntk" => RopeScaling::Ntk { factor: factor()? },
            "dynamic" => RopeScaling::DynamicNtk { factor: factor()?, original_context: original },
            "yarn" => rope.yarn(factor()?, original)?,
            "llama3" => RopeScaling::Llama3 {
                factor: factor()?,
                low_frequency_factor: rope.number("low_freq_factor")?.unwrap_or(1.0),
                high_frequency_factor: rope.number("high_freq_factor")?.unwrap_or(4.0),
                original_context: original,
            },
            "longrope" | "su" => {
                let ratio = context as f64 / original.max(1) as f64;
                let ratio = rope.number("factor")?.unwrap_or(ratio);
                let computed = match ratio <= 1.0 {
                    true => 1.0,
                    false => (1.0 + ratio.ln() / (original as f64).ln()).sqrt(),
                };
                RopeScaling::Factors {
                    short: rope.numbers("short_factor")?,
                    long: rope.numbers("long_factor")?,
                    original_context: original,
                    attention_factor: rope.number("attention_factor")?.unwrap_or(computed),
                }
            }
            other => {
                let known = "default, linear, ntk, dynamic, yarn, llama3 or longrope";
                return Err(self.error("rope_scaling.rope_type", format!("expected {known}, got `{other}`")));
            }
        };
        Ok(RopeConfig::new().with_theta(theta).with_dims(dims).with_scaling(scaling))
    }

    fn yarn(&self, factor: f64, original_context: usize) -> Result<RopeScaling, LmError> {
        let magnitude = |scale: f64| if factor <= 1.0 { 1.0 } else { 0.1 * scale * factor.ln() + 1.0 };
        let computed = match (self.number("mscale")?, self.number("mscale_all_dim")?) {
            (Some(scale), Some(all)) if scale != 0.0 && all != 0.0 => magnitude(scale) / magnitude(all),
            _ => magnitude(1.0),
        };
        Ok(RopeScaling::Yarn {
            factor,
            original_context,
            beta_fast: self.number("beta_fast")?.unwrap_or(32.0),
            beta_slow: self.number("beta_slow")?.unwrap_or(1.0),
            attention_factor: self.number("attention_factor")?.unwrap_or(computed),
            truncate: self.flag("truncate")?.unwrap_or(true),
        })
    }

    fn activation(&self, names: &[&str], default: &str) -> Result<FeedForwardActivation, LmError> {
        let mut found = default;
        for name in names.iter().rev() {
            found = self.text(name)?.unwrap_or(found);
        }
        match found {
            "silu" | "swish" => Ok(FeedForwardActivation::Silu),
            "gelu" => Ok(FeedForwardActivation::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Ok(FeedForwardActivation::GeluTanh),
            "relu" => Ok(FeedForwardActivation::Relu),
            other => {
                Err(self.error(names[0], format!("expected silu, gelu, gelu_new or relu, got `{other}`")))
            }
        }
    }

    fn error(&self, field: &str, cause: impl Into<String>) -> LmError {
        LmError::config(&self.file, field, cause)
    }

    /// The value of a field, unless it is `null`.
    fn value(&self, field: &str) -> Option<&Value> {
        self.json.get(field).filter(|value| !value.is_null())
    }

    fn optional_size(&self, field: &str) -> Result<Option<usize>, LmError> {
        let Some(value) = self.value(field) else { return Ok(None) };
        match value.as_u64().and_then(|value| usize::try_from(value).ok()) {
            Some(size) => Ok(Some(size)),
            None => Err(self.error(field, format!("expected a whole number, got {}", shown(value)))),
        }
    }

    fn size(&self, field: &str) -> Result<usize, LmError> {
        self.optional_size(field)?.ok_or_else(|| self.error(field, "missing; expected a whole number"))
    }

    fn size_or(&self, field: &str, default: usize) -> Result<usize, LmError> {
        Ok(self.optional_size(field)?.unwrap_or(default))
    }

    fn number(&self, field: &str) -> Result<Option<f64>, LmError> {
        let Some(value) = self.value(field) else { return Ok(None) };
        match value.as_f64() {
            Some(number) => Ok(Some(number)),
            None => Err(self.error(field, format!("expected a number, got {}", shown(value)))),
        }
    }

    fn numbers(&self, field: &str) -> Result<Vec<f64>, LmError> {
        let items = self.value(field).and_then(Value::as_array);
        let numbers = items.and_then(|items| items.iter().map(Value::as_f64).collect::<Option<Vec<_>>>());
        numbers.ok_or_else(|| self.error(field, "expected a list of numbers"))
    }

    fn flag(&self, field: &str) -> Result<Option<bool>, LmError> {
        let Some(value) = self.value(field) else { return Ok(None) };
        match value.as_bool() {
            Some(flag) => Ok(Some(flag)),
            None => Err(self.error(field, format!("expected true or false, got {}", shown(value)))),
        }
    }

    fn text(&self, field: &str) -> Result<Option<&str>, LmError> {
        let Some(value) = self.value(field) else { return Ok(None) };
        match value.as_str() {
            Some(text) => Ok(Some(text)),
            None => Err(self.error(field, format!("expected a text, got {}", shown(value)))),
        }
    }
}

/// The beginning of a value, for messages.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    text.chars().take(60).collect()
}

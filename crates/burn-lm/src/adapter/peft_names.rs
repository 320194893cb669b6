use crate::LmError;
use crate::config::{BlockLayout, LanguageModelConfig};

/// Prefix that PEFT puts before the name of a module of the base model.
const PREFIX: &str = "base_model.model.";

/// A linear layer of the model, under its path here and its name in Hugging Face's models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdaptedLayer {
    /// Such as `blocks.0.attention.query`.
    pub path: String,
    /// Such as `model.layers.0.self_attn.q_proj`.
    pub name: String,
    /// Number of heads whose rows have another order here than in Hugging Face's models.
    pub interleaved_heads: Option<usize>,
}

impl AdaptedLayer {
    /// Returns the key of a factor in a file, `A` or `B`.
    pub fn key(&self, factor: char) -> String {
        format!("{PREFIX}{}.lora_{factor}.weight", self.name)
    }

    /// Returns the last part of the name, `q_proj`.
    pub fn target(&self) -> &str {
        self.name.rsplit_once('.').map_or(&self.name, |(_, last)| last)
    }
}

/// Returns the linear layers of a model, which may have an adapter.
///
/// # Errors
/// Projections are separate here and joint in Hugging Face's model, so PEFT has one adapter for several.
pub fn adapted_layers(config: &LanguageModelConfig) -> Result<Vec<AdaptedLayer>, LmError> {
    if config.joint_projections {
        let expected = "a model whose files have a projection each for query, key and value";
        return Err(LmError::argument("model", expected, "joint projections, as those of GPT-2 and Phi 3"));
    }
    let parallel = config.layout == BlockLayout::Parallel;
    let interleaved = config.rope.as_ref().is_some_and(|rope| rope.interleaved);
    let names = [
        ("attention.query", "self_attn.q_proj", Some(config.n_heads)),
        ("attention.key", "self_attn.k_proj", Some(config.key_value_heads())),
        ("attention.value", "self_attn.v_proj", None),
        ("attention.output", if parallel { "self_attn.dense" } else { "self_attn.o_proj" }, None),
        ("feed_forward.gate", "mlp.gate_proj", None),
        ("feed_forward.up", if config.gated { "mlp.up_proj" } else { "mlp.fc1" }, None),
        ("feed_forward.down", if config.gated { "mlp.down_proj" } else { "mlp.fc2" }, None),
    ];
    let block = |layer: usize| {
        names.map(|(path, name, heads)| AdaptedLayer {
            path: format!("blocks.{layer}.{path}"),
            name: format!("model.layers.{layer}.{name}"),
            interleaved_heads: heads.filter(|_| interleaved),
        })
    };
    let head = AdaptedLayer { path: "head".into(), name: "lm_head".into(), interleaved_heads: None };
    Ok((0..config.n_layers).flat_map(block).chain([head]).collect())
}

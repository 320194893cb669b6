use crate::model::{NormRole, ProjectionKind};

/// Whose names a file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameStyle {
    /// Those of llama.cpp, `blk.0.attn_q.weight`.
    Gguf,
    /// Those of Hugging Face after this prefix, `model.layers.0.self_attn.q_proj.weight`.
    HuggingFace { prefix: String },
}

/// Source of the weight of a projection in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightSource {
    /// Name without `.weight`.
    pub name: String,
    pub part: WeightRows,
    /// Whether the weight is `[d_input, d_output]`, as those of GPT-2.
    pub transposed: bool,
}

/// The rows of a weight that several projections share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightRows {
    Whole,
    /// One of query, key and value.
    QueryKeyValue,
    /// One of gate and hidden layer.
    GateUp,
}

impl NameStyle {
    /// The paths where a projection may be, of which the first that exists counts.
    pub fn projection(&self, layer: usize, kind: ProjectionKind) -> Vec<WeightSource> {
        let block = |name: &str| match self {
            NameStyle::Gguf => format!("blk.{layer}.{name}"),
            NameStyle::HuggingFace { prefix } => format!("{prefix}layers.{layer}.{name}"),
        };
        let joined = |name: &str, part| WeightSource { name: block(name), part, transposed: false };
        let whole = |name: &str| joined(name, WeightRows::Whole);
        let gpt2 = |name: &str, part| match self {
            NameStyle::Gguf => None,
            NameStyle::HuggingFace { prefix } => {
                Some(WeightSource { name: format!("{prefix}h.{layer}.{name}"), part, transposed: true })
            }
        };
        let is_gguf = *self == NameStyle::Gguf;
        let attention = |gguf: &str, name: &str| match is_gguf {
            true => vec![whole(gguf), joined("attn_qkv", WeightRows::QueryKeyValue)],
            false => {
                let mut sources = vec![whole(name), joined("self_attn.qkv_proj", WeightRows::QueryKeyValue)];
                sources.extend(gpt2("attn.c_attn", WeightRows::QueryKeyValue));
                sources
            }
        };
        let plain = |gguf: &str, names: &[&str], old: &str| match is_gguf {
            true => vec![whole(gguf)],
            false => {
                let mut sources: Vec<WeightSource> = names.iter().map(|name| whole(name)).collect();
                sources.extend(gpt2(old, WeightRows::Whole));
                sources
            }
        };
        match kind {
            ProjectionKind::Query => attention("attn_q", "self_attn.q_proj"),
            ProjectionKind::Key => attention("attn_k", "self_attn.k_proj"),
            ProjectionKind::Value => attention("attn_v", "self_attn.v_proj"),
            ProjectionKind::AttentionOutput => {
                plain("attn_output", &["self_attn.o_proj", "self_attn.dense"], "attn.c_proj")
            }
            ProjectionKind::Gate if is_gguf => vec![whole("ffn_gate"), joined("ffn_up", WeightRows::GateUp)],
            ProjectionKind::Gate => {
                vec![whole("mlp.gate_proj"), joined("mlp.gate_up_proj", WeightRows::GateUp)]
            }
            ProjectionKind::Up if is_gguf => vec![whole("ffn_up")],
            ProjectionKind::Up => {
                let mut sources = plain("", &["mlp.up_proj", "mlp.fc1"], "mlp.c_fc");
                sources.insert(1, joined("mlp.gate_up_proj", WeightRows::GateUp));
                sources
            }
            ProjectionKind::Down => plain("ffn_down", &["mlp.down_proj", "mlp.fc2"], "mlp.c_proj"),
            ProjectionKind::Head => {
                let names: &[&str] =
                    if is_gguf { &["output"] } else { &["lm_head", "language_model.lm_head"] };
                let source = |name: &&str| WeightSource {
                    name: name.to_string(),
                    part: WeightRows::Whole,
                    transposed: false,
                };
                names.iter().map(source).collect()
            }
        }
    }

    /// The names that a norm may have, without `.weight`.
    pub fn norm(&self, layer: usize, role: NormRole) -> Vec<String> {
        match self {
            NameStyle::Gguf => {
                let name = match role {
                    NormRole::Attention => "attn_norm",
                    NormRole::Query => "attn_q_norm",
                    NormRole::Key => "attn_k_norm",
                    NormRole::AttentionPost => "post_attention_norm",
                    NormRole::FeedForward => "ffn_norm",
                    NormRole::FeedForwardPost => "post_ffw_norm",
                    NormRole::Output => return vec!["output_norm".to_string()],
                };
                vec![format!("blk.{layer}.{name}")]
            }
            NameStyle::HuggingFace { prefix } => {
                let (names, old): (&[&str], Option<&str>) = match role {
                    NormRole::Attention => (&["input_layernorm"], Some("ln_1")),
                    NormRole::Query => (&["self_attn.q_norm"], None),
                    NormRole::Key => (&["self_attn.k_norm"], None),
                    NormRole::AttentionPost => (&["post_attention_layernorm"], None),
                    NormRole::FeedForward => {
                        (&["pre_feedforward_layernorm", "post_attention_layernorm"], Some("ln_2"))
                    }
                    NormRole::FeedForwardPost => (&["post_feedforward_layernorm"], None),
                    NormRole::Output => {
                        let names = ["norm", "final_layernorm", "ln_f"];
                        return names.iter().map(|name| format!("{prefix}{name}")).collect();
                    }
                };
                let block = |name: &&str| format!("{prefix}layers.{layer}.{name}");
                let old = old.map(|name| format!("{prefix}h.{layer}.{name}"));
                names.iter().map(block).chain(old).collect()
            }
        }
    }

    /// The names that the embeddings of tokens or positions may have.
    pub fn embedding(&self, positions: bool) -> Vec<String> {
        match (self, positions) {
            (NameStyle::Gguf, false) => vec!["token_embd.weight".to_string()],
            (NameStyle::Gguf, true) => vec!["position_embd.weight".to_string()],
            (NameStyle::HuggingFace { prefix }, false) => {
                vec![format!("{prefix}embed_tokens.weight"), format!("{prefix}wte.weight")]
            }
            (NameStyle::HuggingFace { prefix }, true) => vec![format!("{prefix}wpe.weight")],
        }
    }

    /// Whether a tensor that no layer takes is no part of the language model.
    pub fn ignores(&self, name: &str, tied_embeddings: bool) -> bool {
        match self {
            NameStyle::Gguf => name.starts_with("rope_f"),
            NameStyle::HuggingFace { .. } => {
                let ends = ["rotary_emb.inv_freq", ".attn.bias", ".attn.masked_bias"];
                let parts = ["vision_tower.", "vision_model.", "multi_modal_projector."];
                ends.iter().any(|end| name.ends_with(end))
                    || parts.iter().any(|part| name.contains(part))
                    || (tied_embeddings && name.ends_with("lm_head.weight"))
            }
        }
    }
}

use super::api_error::ApiError;
use crate::engine::GenerationRequest;
use crate::sampling::SamplingOptions;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// Fields that requests for chats and completions share.
#[derive(Debug, Default, Deserialize)]
pub struct CompletionOptions {
    pub model: Option<String>,
    max_tokens: Option<usize>,
    max_completion_tokens: Option<usize>,
    temperature: Option<f64>,
    top_p: Option<f64>,
    top_k: Option<usize>,
    min_p: Option<f64>,
    typical_p: Option<f64>,
    frequency_penalty: Option<f64>,
    presence_penalty: Option<f64>,
    repetition_penalty: Option<f64>,
    logit_bias: Option<HashMap<String, f64>>,
    seed: Option<u64>,
    stop: Option<OneOrMore>,
    n: Option<usize>,
    #[serde(default)]
    pub stream: bool,
    stream_options: Option<StreamOptions>,
    response_format: Option<ResponseFormat>,
}

#[derive(Debug, Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

/// Format of the generated text.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat {
    Text,
    JsonObject,
    JsonSchema { json_schema: NamedSchema },
}

#[derive(Debug, Deserialize)]
struct NamedSchema {
    schema: Value,
}

/// A text, or a list of texts.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    pub fn into_vec(self) -> Vec<String> {
        match self {
            OneOrMore::One(text) => vec![text],
            OneOrMore::More(texts) => texts,
        }
    }
}

/// Most stop strings, and the longest.
const MOST_STOPS: usize = 16;
const LONGEST_STOP: usize = 1024;

impl CompletionOptions {
    pub fn includes_usage(&self) -> bool {
        self.stream_options.as_ref().is_some_and(|options| options.include_usage)
    }

    /// The request for a prompt. Without a number of tokens it is `default_tokens`, or what the context
    /// leaves.
    pub fn request(
        self,
        prompt: Vec<u32>,
        log_probs: Option<usize>,
        default_tokens: usize,
        context: usize,
    ) -> Result<GenerationRequest, ApiError> {
        if self.n.is_some_and(|n| n != 1) {
            return Err(ApiError::invalid("wrong `n`; expected 1"));
        }
        let stop = self.stop.map(OneOrMore::into_vec).unwrap_or_default();
        if stop.len() > MOST_STOPS || stop.iter().any(|text| text.len() > LONGEST_STOP) {
            let message =
                format!("wrong `stop`; expected at most {MOST_STOPS} texts of {LONGEST_STOP} bytes");
            return Err(ApiError::invalid(message));
        }
        let mut bias = Vec::new();
        for (token, value) in self.logit_bias.unwrap_or_default() {
            let Ok(token) = token.parse() else {
                return Err(ApiError::invalid("wrong `logit_bias`; expected numbers of tokens as keys"));
            };
            bias.push((token, value));
        }
        let seed = self.seed.unwrap_or_else(|| {
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
        });
        let sampling = SamplingOptions::new()
            .with_temperature(self.temperature.unwrap_or(1.0))
            .with_top_p(self.top_p)
            .with_top_k(self.top_k)
            .with_min_p(self.min_p)
            .with_typical_p(self.typical_p)
            .with_frequency_penalty(self.frequency_penalty.unwrap_or(0.0))
            .with_presence_penalty(self.presence_penalty.unwrap_or(0.0))
            .with_repetition_penalty(self.repetition_penalty.unwrap_or(1.0))
            .with_logit_bias(bias)
            .with_seed(seed)
            .with_log_probs(log_probs);
        let left = context.saturating_sub(prompt.len()).max(1);
        let max_tokens = self.max_completion_tokens.or(self.max_tokens).unwrap_or(default_tokens.min(left));
        let request = GenerationRequest::new(prompt, max_tokens).with_sampling(sampling).with_stop(stop);
        Ok(match self.response_format {
            None | Some(ResponseFormat::Text) => request,
            Some(ResponseFormat::JsonObject) => request.with_json_schema(json!({"type": "object"})),
            Some(ResponseFormat::JsonSchema { json_schema }) => request.with_json_schema(json_schema.schema),
        })
    }
}

//! Objects of OpenAI's interface.

use crate::engine::{FinishReason, Token, Usage};
use crate::tokenizer::Tokenizer;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Whether a response is of a chat or of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseKind {
    Chat,
    Completion,
}

/// Fields that all parts of a response share.
#[derive(Clone, Debug)]
pub struct ResponseHead {
    kind: ResponseKind,
    id: String,
    created: u64,
    model: String,
}

static LAST_ID: AtomicU64 = AtomicU64::new(0);

impl ResponseHead {
    pub fn new(kind: ResponseKind, model: &str) -> Self {
        let prefix = match kind {
            ResponseKind::Chat => "chatcmpl",
            ResponseKind::Completion => "cmpl",
        };
        let created = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let number = LAST_ID.fetch_add(1, Ordering::Relaxed);
        ResponseHead { kind, id: format!("{prefix}-{created}-{number}"), created, model: model.to_string() }
    }

    fn object(&self, object: &str, choices: Value) -> Value {
        json!({
            "id": self.id, "object": object, "created": self.created, "model": self.model, "choices": choices,
        })
    }

    /// A whole response.
    pub fn whole(&self, text: &str, log_probs: Value, reason: FinishReason, usage: Usage) -> Value {
        let reason = finish_reason(reason);
        let (object, choice) = match self.kind {
            ResponseKind::Chat => {
                let message = json!({"role": "assistant", "content": text});
                let choice =
                    json!({"index": 0, "message": message, "logprobs": log_probs, "finish_reason": reason});
                ("chat.completion", choice)
            }
            ResponseKind::Completion => {
                let choice =
                    json!({"index": 0, "text": text, "logprobs": log_probs, "finish_reason": reason});
                ("text_completion", choice)
            }
        };
        let mut response = self.object(object, json!([choice]));
        response["usage"] = usage_object(usage);
        response
    }

    /// A part of a stream; the first of a chat names the role.
    pub fn part(&self, text: &str, log_probs: Value, reason: Option<FinishReason>, first: bool) -> Value {
        let reason = reason.map(finish_reason);
        match self.kind {
            ResponseKind::Chat => {
                let delta = match (first, text.is_empty()) {
                    (true, _) => json!({"role": "assistant", "content": text}),
                    (false, true) => json!({}),
                    (false, false) => json!({"content": text}),
                };
                let choice =
                    json!({"index": 0, "delta": delta, "logprobs": log_probs, "finish_reason": reason});
                self.object("chat.completion.chunk", json!([choice]))
            }
            ResponseKind::Completion => {
                let choice =
                    json!({"index": 0, "text": text, "logprobs": log_probs, "finish_reason": reason});
                self.object("text_completion", json!([choice]))
            }
        }
    }

    /// The last part of a stream, with the numbers of tokens alone.
    pub fn usage_part(&self, usage: Usage) -> Value {
        let object = match self.kind {
            ResponseKind::Chat => "chat.completion.chunk",
            ResponseKind::Completion => "text_completion",
        };
        let mut part = self.object(object, json!([]));
        part["usage"] = usage_object(usage);
        part
    }

    /// Log probabilities of tokens, `null` if none has any.
    pub fn log_probs(&self, tokens: &[Token], tokenizer: &Tokenizer) -> Value {
        if tokens.iter().all(|token| token.log_probs.is_none()) {
            return Value::Null;
        }
        let text = |token: u32| String::from_utf8_lossy(&tokenizer.token_bytes(token)).into_owned();
        let found = tokens.iter().filter_map(|token| Some((token.id, token.log_probs.as_ref()?)));
        match self.kind {
            ResponseKind::Chat => {
                let entry = |token: u32, log_prob: f32| json!({"token": text(token), "logprob": log_prob, "bytes": tokenizer.token_bytes(token)});
                let content = found.map(|(id, log_probs)| {
                    let mut content = entry(id, log_probs.log_prob);
                    let top = log_probs.top.iter().map(|(token, log_prob)| entry(*token, *log_prob));
                    content["top_logprobs"] = top.collect();
                    content
                });
                json!({"content": content.collect::<Vec<_>>()})
            }
            ResponseKind::Completion => {
                let (mut texts, mut values, mut top) = (Vec::new(), Vec::new(), Vec::new());
                for (id, log_probs) in found {
                    texts.push(text(id));
                    values.push(log_probs.log_prob);
                    let most = log_probs.top.iter().map(|(token, log_prob)| (text(*token), json!(log_prob)));
                    top.push(Value::Object(most.collect()));
                }
                json!({"tokens": texts, "token_logprobs": values, "top_logprobs": top, "text_offset": []})
            }
        }
    }
}

fn finish_reason(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop | FinishReason::Cancelled => "stop",
        FinishReason::Length => "length",
    }
}

fn usage_object(usage: Usage) -> Value {
    let Usage { prompt_tokens, cached_tokens, generated_tokens } = usage;
    json!({
        "prompt_tokens": prompt_tokens,
        "completion_tokens": generated_tokens,
        "total_tokens": prompt_tokens + generated_tokens,
        "prompt_tokens_details": {"cached_tokens": cached_tokens},
    })
}

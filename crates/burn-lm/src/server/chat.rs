use super::api_error::ApiError;
use super::completion_options::CompletionOptions;
use super::response::ResponseKind;
use super::shared::Shared;
use crate::tokenizer::ChatMessage;
use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::response::Response;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Debug, Deserialize)]
pub struct ChatRequest {
    messages: Vec<Message>,
    #[serde(default)]
    logprobs: bool,
    top_logprobs: Option<usize>,
    #[serde(flatten)]
    options: CompletionOptions,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: String,
    content: Content,
}

/// A text, or parts of a message.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Debug, Deserialize)]
struct ContentPart {
    text: String,
}

pub async fn chat_completions(
    State(shared): State<Arc<Shared>>,
    request: Result<Json<ChatRequest>, JsonRejection>,
) -> Result<Response, ApiError> {
    let Json(ChatRequest { messages, logprobs, top_logprobs, options }) = request?;
    let messages: Vec<ChatMessage> = messages
        .into_iter()
        .map(|Message { role, content }| match content {
            Content::Text(text) => ChatMessage::new(role, text),
            Content::Parts(parts) => {
                ChatMessage::new(role, parts.into_iter().map(|part| part.text).collect::<String>())
            }
        })
        .collect();
    let prompt = shared.encode(move |tokenizer| tokenizer.encode_chat(&messages)).await?;
    let log_probs = logprobs.then(|| top_logprobs.unwrap_or(0));
    shared.generate(ResponseKind::Chat, prompt, log_probs, options).await
}

use super::api_error::ApiError;
use super::completion_options::CompletionOptions;
use super::response::ResponseKind;
use super::shared::Shared;
use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::response::Response;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Debug, Deserialize)]
pub struct CompletionRequest {
    prompt: Prompt,
    logprobs: Option<usize>,
    #[serde(flatten)]
    options: CompletionOptions,
}

/// A prompt as text or as tokens; one of them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Prompt {
    Text(String),
    Tokens(Vec<u32>),
    Texts(Vec<String>),
}

pub async fn completions(
    State(shared): State<Arc<Shared>>,
    request: Result<Json<CompletionRequest>, JsonRejection>,
) -> Result<Response, ApiError> {
    let Json(CompletionRequest { prompt, logprobs, options }) = request?;
    let text = match prompt {
        Prompt::Text(text) => Ok(text),
        Prompt::Tokens(tokens) => Err(tokens),
        Prompt::Texts(texts) => {
            let [text]: [String; 1] = texts.try_into().map_err(|texts: Vec<_>| {
                ApiError::invalid(format!("expected one prompt, got {}", texts.len()))
            })?;
            Ok(text)
        }
    };
    let prompt = match text {
        Ok(text) => shared.encode(move |tokenizer| tokenizer.encode(&text, true)).await?,
        Err(tokens) => tokens,
    };
    shared.generate(ResponseKind::Completion, prompt, logprobs, options).await
}

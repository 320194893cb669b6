use super::api_error::ApiError;
use super::completion_options::OneOrMore;
use super::shared::Shared;
use super::worker::Command;
use crate::LmError;
use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::oneshot;

#[derive(Debug, Deserialize)]
pub struct EmbeddingRequest {
    input: OneOrMore,
}

/// Most texts in a request.
const MOST_TEXTS: usize = 256;

pub async fn embeddings(
    State(shared): State<Arc<Shared>>,
    request: Result<Json<EmbeddingRequest>, JsonRejection>,
) -> Result<Json<Value>, ApiError> {
    let Json(EmbeddingRequest { input }) = request?;
    let texts = input.into_vec();
    if texts.is_empty() || texts.len() > MOST_TEXTS {
        let message = format!("wrong `input`; expected 1 to {MOST_TEXTS} texts, got {}", texts.len());
        return Err(ApiError::invalid(message));
    }
    let encode = move |tokenizer: &crate::Tokenizer| {
        texts.iter().map(|text| tokenizer.encode(text, true)).collect::<Result<Vec<_>, _>>()
    };
    let tokens = shared.encode(encode).await?;
    let count: usize = tokens.iter().map(Vec::len).sum();
    if let Some(length) = tokens.iter().map(Vec::len).find(|length| *length > shared.context) {
        let cause = format!("{length} tokens; expected at most {}", shared.context);
        return Err(LmError::Prompt { cause }.into());
    }
    let _place = shared.queue_place()?;
    let (reply, result) = oneshot::channel();
    shared.send(Command::Embed(tokens, reply))?;
    let vectors = result.await.map_err(|_closed| ApiError::from(LmError::Cancelled))??;
    let data = vectors.into_iter().enumerate();
    let data: Value = data
        .map(|(index, embedding)| json!({"object": "embedding", "index": index, "embedding": embedding}))
        .collect();
    let usage = json!({"prompt_tokens": count, "total_tokens": count});
    Ok(Json(json!({"object": "list", "data": data, "model": shared.options.model_name, "usage": usage})))
}

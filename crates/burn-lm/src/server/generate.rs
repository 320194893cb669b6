use super::api_error::ApiError;
use super::completion_options::CompletionOptions;
use super::event_stream::event_stream;
use super::metrics::Metrics;
use super::response::{ResponseHead, ResponseKind};
use super::shared::Shared;
use super::worker::Command;
use crate::LmError;
use crate::engine::GenerationEvent;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;

impl Shared {
    /// Generates a text, as a stream or whole.
    pub async fn generate(
        self: Arc<Self>,
        kind: ResponseKind,
        prompt: Vec<u32>,
        log_probs: Option<usize>,
        options: CompletionOptions,
    ) -> Result<Response, ApiError> {
        if let Some(model) = options.model.as_ref().filter(|model| **model != self.options.model_name) {
            let shown: String = model.chars().take(60).collect();
            let message = format!("no model `{shown}`; expected `{}`", self.options.model_name);
            return Err(ApiError::new(StatusCode::NOT_FOUND, message));
        }
        let place = self.queue_place()?;
        let (stream, include_usage) = (options.stream, options.includes_usage());
        let head = ResponseHead::new(kind, &self.options.model_name);
        let request = options.request(prompt, log_probs, self.options.default_max_tokens, self.context)?;
        let (sender, mut events) = unbounded_channel();
        Metrics::add(&self.metrics.requests, 1);
        self.send(Command::Generate(Box::new(request), sender))?;
        if stream {
            // The first event decides about the status.
            let first = events.recv().await.unwrap_or(GenerationEvent::Failed(LmError::Cancelled));
            if let GenerationEvent::Failed(error) = first {
                return Err(error.into());
            }
            return Ok(event_stream(first, events, head, self, place, include_usage));
        }
        let (mut text, mut tokens) = (String::new(), Vec::new());
        while let Some(event) = events.recv().await {
            match event {
                GenerationEvent::Token(token) => {
                    text.push_str(&token.text);
                    tokens.push(token);
                }
                GenerationEvent::Finished { reason, text: rest, usage } => {
                    text.push_str(&rest);
                    let log_probs = head.log_probs(&tokens, &self.tokenizer);
                    return Ok(Json(head.whole(&text, log_probs, reason, usage)).into_response());
                }
                GenerationEvent::Failed(error) => return Err(error.into()),
            }
        }
        Err(LmError::Cancelled.into())
    }
}

use super::api_error::ApiError;
use super::response::ResponseHead;
use super::shared::{QueuePlace, Shared};
use crate::engine::{GenerationEvent, Token};
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::Value;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;

struct Parts {
    /// The first event, which was waited for already.
    next: Option<GenerationEvent>,
    events: UnboundedReceiver<GenerationEvent>,
    head: ResponseHead,
    shared: Arc<Shared>,
    include_usage: bool,
    is_first: bool,
    ended: bool,
    _place: QueuePlace,
    /// Tokens whose text has not come yet.
    held: Vec<Token>,
}

/// A response of server-sent events. When the client goes, the receiver is dropped, which cancels the
/// request.
pub fn event_stream(
    first: GenerationEvent,
    events: UnboundedReceiver<GenerationEvent>,
    head: ResponseHead,
    shared: Arc<Shared>,
    place: QueuePlace,
    include_usage: bool,
) -> Response {
    let parts = Parts {
        next: Some(first),
        events,
        head,
        shared,
        include_usage,
        is_first: true,
        ended: false,
        _place: place,
        held: Vec::new(),
    };
    let stream = stream::unfold(parts, |mut parts| async move {
        let text = parts.next().await?;
        Some((Ok::<_, Infallible>(text), parts))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(stream)).into_response()
}

impl Parts {
    async fn next(&mut self) -> Option<String> {
        loop {
            if self.ended {
                return None;
            }
            let next = match self.next.take() {
                Some(event) => Some(event),
                None => self.events.recv().await,
            };
            match next {
                Some(GenerationEvent::Token(token)) => {
                    let text = token.text.clone();
                    self.held.push(token);
                    if text.is_empty() && !self.is_first {
                        continue;
                    }
                    return Some(event(&self.part(&text, None)));
                }
                Some(GenerationEvent::Finished { reason, text, usage }) => {
                    self.ended = true;
                    let mut last = event(&self.part(&text, Some(reason)));
                    if self.include_usage {
                        last.push_str(&event(&self.head.usage_part(usage)));
                    }
                    last.push_str("data: [DONE]\n\n");
                    return Some(last);
                }
                Some(GenerationEvent::Failed(error)) => {
                    self.ended = true;
                    return Some(event(&ApiError::from(error).body()));
                }
                None => return None,
            }
        }
    }

    fn part(&mut self, text: &str, reason: Option<crate::engine::FinishReason>) -> Value {
        let tokens = std::mem::take(&mut self.held);
        let log_probs = self.head.log_probs(&tokens, &self.shared.tokenizer);
        let first = std::mem::take(&mut self.is_first);
        self.head.part(text, log_probs, reason, first)
    }
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

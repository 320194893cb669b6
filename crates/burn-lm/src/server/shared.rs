//! State that the requests of a server share.

use super::ServerOptions;
use super::api_error::ApiError;
use super::metrics::Metrics;
use super::worker::Command;
use crate::LmError;
use crate::tokenizer::Tokenizer;
use axum::http::StatusCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

#[derive(Debug)]
pub struct Shared {
    pub options: ServerOptions,
    pub tokenizer: Arc<Tokenizer>,
    pub context: usize,
    pub(super) metrics: Arc<Metrics>,
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) requests: Arc<AtomicUsize>,
}

/// One of the requests that the server takes at a time.
pub struct QueuePlace(Arc<AtomicUsize>);

impl Drop for QueuePlace {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Shared {
    /// Takes a place in the queue.
    pub fn queue_place(&self) -> Result<QueuePlace, ApiError> {
        let place = QueuePlace(self.requests.clone());
        if self.requests.fetch_add(1, Ordering::AcqRel) >= self.options.max_requests {
            Metrics::add(&self.metrics.rejected, 1);
            return Err(ApiError::busy());
        }
        Ok(place)
    }

    pub fn send(&self, command: Command) -> Result<(), ApiError> {
        self.commands.send(command).map_err(|_closed| ApiError::from(LmError::Cancelled))
    }

    /// Makes tokens on a thread that may block.
    pub async fn encode<T: Send + 'static>(
        self: &Arc<Self>,
        encode: impl FnOnce(&Tokenizer) -> Result<T, LmError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let tokenizer = self.tokenizer.clone();
        let result = tokio::task::spawn_blocking(move || encode(&tokenizer)).await;
        Ok(result
            .map_err(|_panic| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "the tokenizer failed"))??)
    }
}

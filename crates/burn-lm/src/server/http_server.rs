use super::ServerOptions;
use super::api_error::ApiError;
use super::authorization::check_key;
use super::chat::chat_completions;
use super::completions::completions;
use super::embeddings::embeddings;
use super::metrics::Metrics;
use super::shared::Shared;
use super::worker::Worker;
use crate::LmError;
use crate::engine::{GenerationEngine, TextGenerator};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use burn_core::tensor::Backend;
use serde_json::{Value, json};
use std::future::Future;
use std::sync::{Arc, mpsc};
use std::thread;
use tokio::net::TcpListener;

/// HTTP server with the interface of OpenAI: `/v1/chat/completions`, `/v1/completions` (both also as
/// server-sent events), `/v1/embeddings`, `/v1/models`, `/health`, and `/metrics` for Prometheus.
///
/// ```no_run
/// use burn_lm::server::{LanguageModelServer, ServerOptions};
/// use burn_lm::TextGenerator;
/// use burn_ndarray::NdArray;
///
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// let generator = TextGenerator::<NdArray>::from_path("model.gguf", &Default::default())?;
/// let server = LanguageModelServer::new(generator, ServerOptions::new("gemma".to_string()))?;
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// server.serve(listener, std::future::pending()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct LanguageModelServer {
    shared: Arc<Shared>,
}

impl LanguageModelServer {
    /// Starts the thread that computes; it ends with the server.
    ///
    /// # Errors
    /// An option is out of its range, there is no memory for the cache, or the thread cannot be started.
    pub fn new<B: Backend>(generator: TextGenerator<B>, options: ServerOptions) -> Result<Self, LmError> {
        let tokenizer = generator.tokenizer.clone();
        let engine = GenerationEngine::new(generator, options.engine.clone())?;
        let context = engine.context_length();
        let metrics = Arc::new(Metrics::default());
        let (commands, receiver) = mpsc::channel();
        let worker = Worker::new(engine, options.engine.clone(), metrics.clone());
        let thread = thread::Builder::new().name("burn-lm".to_string());
        thread.spawn(move || worker.run(&receiver)).map_err(|cause| LmError::File {
            path: "thread `burn-lm`".to_string(),
            cause: cause.to_string(),
        })?;
        let requests = Arc::default();
        let shared = Shared { options, tokenizer, context, metrics, commands, requests };
        Ok(LanguageModelServer { shared: Arc::new(shared) })
    }

    /// Serves the connections of `listener` until `shutdown` is ready; requests in progress are completed.
    ///
    /// # Errors
    /// The socket fails.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        axum::serve(listener, self.router()).with_graceful_shutdown(shutdown).await
    }

    fn router(self) -> Router {
        let shared = self.shared;
        let limit = DefaultBodyLimit::max(shared.options.max_body_bytes);
        let routes = Router::new()
            .route("/v1/chat/completions", post(chat_completions))
            .route("/v1/completions", post(completions))
            .route("/v1/embeddings", post(embeddings))
            .route("/v1/models", get(models))
            .layer(middleware::from_fn_with_state(shared.clone(), check_key));
        routes
            .route("/health", get(health))
            .route("/metrics", get(metrics))
            .fallback(unknown_path)
            .layer(limit)
            .with_state(shared)
    }
}

async fn models(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let model =
        json!({"id": shared.options.model_name, "object": "model", "created": 0, "owned_by": "burn-lm"});
    Json(json!({"object": "list", "data": [model]}))
}

async fn health() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

async fn metrics(State(shared): State<Arc<Shared>>) -> Response {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], shared.metrics.text()).into_response()
}

async fn unknown_path() -> ApiError {
    ApiError::new(
        StatusCode::NOT_FOUND,
        "no such path; expected one of the paths under /v1, /health or /metrics",
    )
}

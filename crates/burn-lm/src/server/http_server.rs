use super::api_error::ApiError;
use super::authorization::check_key;
use super::chat::chat_completions;
use super::completion_options::CompletionOptions;
use super::completions::completions;
use super::embeddings::embeddings;
use super::event_stream::event_stream;
use super::metrics::Metrics;
use super::response::{ResponseHead, ResponseKind};
use super::worker::{Command, Worker};
use crate::LmError;
use crate::engine::{EngineOptions, GenerationEngine, GenerationEvent, TextGenerator};
use crate::tokenizer::Tokenizer;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use burn_core::config::Config;
use burn_core::tensor::Backend;
use serde_json::{Value, json};
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use tokio::net::TcpListener;
use tokio::sync::mpsc::unbounded_channel;

/// Options of a [`LanguageModelServer`].
#[derive(Config, Debug)]
pub struct ServerOptions {
    /// Name of the model in responses.
    pub model_name: String,
    /// Keys that clients send as `Authorization: Bearer KEY`; without any, all clients are served.
    #[config(default = "Vec::new()")]
    pub api_keys: Vec<String>,
    /// Largest body of a request, in bytes.
    #[config(default = 1_048_576)]
    pub max_body_bytes: usize,
    /// Largest number of requests at a time, those that are decoded among them; others get status 429.
    #[config(default = 64)]
    pub max_requests: usize,
    /// Number of tokens to generate where the request names none.
    #[config(default = 512)]
    pub default_max_tokens: usize,
    /// Options of the engine.
    #[config(default = "EngineOptions::new()")]
    pub engine: EngineOptions,
}

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

#[derive(Debug)]
pub struct Shared {
    pub options: ServerOptions,
    pub tokenizer: Arc<Tokenizer>,
    pub context: usize,
    metrics: Arc<Metrics>,
    commands: mpsc::Sender<Command>,
    requests: Arc<AtomicUsize>,
}

/// One of the requests that the server takes at a time.
pub struct QueuePlace(Arc<AtomicUsize>);

impl Drop for QueuePlace {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
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

impl Shared {
    /// Takes a slot in the queue.
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

use crate::engine::EngineOptions;
use burn_core::config::Config;

/// Options of a [`LanguageModelServer`](super::LanguageModelServer).
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

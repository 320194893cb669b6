//! HTTP server with the interface of OpenAI.

mod api_error;
mod authorization;
mod chat;
mod completion_options;
mod completions;
mod embeddings;
mod event_stream;
mod http_server;
mod metrics;
mod response;
mod worker;

pub use http_server::{LanguageModelServer, ServerOptions};

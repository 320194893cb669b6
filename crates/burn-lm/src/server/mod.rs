//! HTTP server with the interface of OpenAI.

mod api_error;
mod authorization;
mod chat;
mod completion_options;
mod completions;
mod embeddings;
mod event_stream;
mod generate;
mod http_server;
mod metrics;
mod response;
mod server_options;
mod shared;
mod worker;

pub use http_server::LanguageModelServer;
pub use server_options::ServerOptions;

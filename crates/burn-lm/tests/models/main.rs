//! Models with random weights against `transformers` and SentencePiece, see
//! `scripts/language_model_fixtures.py`; the engine, the server over a socket, and the program.

mod cached;
mod config;
mod families;
mod fixture;
mod generation;
mod gguf;
mod http_client;
mod program;
mod sampling;
mod server;
mod tokenizer;

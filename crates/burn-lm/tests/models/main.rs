//! Models with random weights against `transformers`, see `scripts/language_model_fixtures.py`.

mod cached;
mod config;
mod families;
mod fixture;

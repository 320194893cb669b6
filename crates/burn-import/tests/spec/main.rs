//! Files of other frameworks, made by `scripts/import_fixtures.py`, and what is loaded from them.

mod command;
mod files;
mod gguf;
mod hostile;
mod layers;
mod memory;
mod module_route;
mod npz;
mod pytorch;
mod pytorch_names;
mod safetensors;

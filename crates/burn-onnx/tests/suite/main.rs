//! Models of `tests/models`, which `scripts/onnx_fixtures.py` made with their outputs of onnxruntime.

mod calls;
mod control_flow;
mod damaged;
mod folding;
mod generated;
mod gradients;
mod hostile;
mod limits;
mod loose_files;
mod message;
mod models;
mod names;
mod run_time;
mod script;
mod small_model;
mod supported;
mod wrong_ranks;

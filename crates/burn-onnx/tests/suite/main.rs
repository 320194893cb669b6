//! Models of `tests/models`, which `scripts/onnx_fixtures.py` made with their outputs of onnxruntime.

mod calls;
mod damaged;
mod generated;
mod gradients;
mod models;
mod names;
mod run_time;
mod supported;

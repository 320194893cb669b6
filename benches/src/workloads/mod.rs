//! The workloads, one family a file, each with the targets it must meet.

mod attention;
mod conv;
mod cumulative;
mod elementwise;
mod guide;
mod index;
mod input;
mod interpolate;
mod layout;
mod list;
mod matmul;
mod mlp;
mod norm;
#[cfg(feature = "candle")]
mod on_candle;
#[cfg(not(feature = "candle"))]
#[path = "without_candle.rs"]
mod on_candle;
#[cfg(feature = "tch")]
mod on_libtorch;
#[cfg(not(feature = "tch"))]
#[path = "without_libtorch.rs"]
mod on_libtorch;
mod onnx;
#[cfg(feature = "onnx-generated")]
mod onnx_generated;
mod order;
mod pool;
mod recurrent;
mod reduce;
mod resnet;
mod resnet_50;
mod tape;
mod training;
mod transformer;
mod unet;
mod vision_transformer;

pub(crate) use list::{all, alone};
pub(crate) use on_candle::on_candle;
pub(crate) use on_libtorch::{by_tch, on_libtorch};
pub(crate) use onnx::of_folder;

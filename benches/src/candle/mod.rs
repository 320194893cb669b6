//! The candle baseline, where the program is built with it.

#[cfg(feature = "candle")]
mod kernels;
#[cfg(feature = "candle")]
mod models;
#[cfg(feature = "candle")]
mod resnet;
#[cfg(feature = "candle")]
mod training;
#[cfg(feature = "candle")]
mod transformer;
#[cfg(feature = "candle")]
mod work;
#[cfg(not(feature = "candle"))]
#[path = "without.rs"]
mod work;

pub(crate) use work::work;

/// Makes a call that is timed.
pub(crate) type Prepare = fn() -> Box<dyn FnMut()>;

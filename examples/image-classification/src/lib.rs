//! EfficientNet-Lite0 for ImageNet, with the weights of a PyTorch file.

#[cfg(feature = "files")]
mod files;
#[cfg(feature = "files")]
mod load;
mod model;
#[cfg(feature = "files")]
mod photo;

#[cfg(feature = "files")]
pub use files::{Error, photos, weights_file};
#[cfg(feature = "files")]
pub use load::load;
pub use model::EfficientNetLite0;
#[cfg(feature = "files")]
pub use photo::photo;

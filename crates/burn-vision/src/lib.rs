//! Image operations on batches of tensors, `[batch, channels, height, width]`.
//!
//! [`BatchAugmentation`] changes each image of a batch at random, on the device that has it. The functions
//! beneath it take what is drawn as arguments.
//!
//! ```
//! use burn::prelude::*;
//! use burn::tensor::Distribution;
//! use burn::vision::BatchAugmentation;
//!
//! fn augmented<B: Backend>(device: &B::Device) -> Tensor<B, 4> {
//!     let images = Tensor::random([8, 3, 32, 32], Distribution::Default, device);
//!     BatchAugmentation::new().horizontal_flip(0.5).rotation(10.0).brightness(0.8, 1.2).apply(images)
//! }
//! # let _ = augmented::<burn::backend::NdArray>(&Default::default()).into_data();
//! ```

mod augmentation;
mod color;
mod geometry;

pub use augmentation::BatchAugmentation;
pub use color::{erase_rectangles, scale_brightness, scale_contrast};
pub use geometry::{affine_images, flip_images};

mod color;
mod geometry;
mod pipeline;
mod resize;

pub use pipeline::ImageAugmentation;

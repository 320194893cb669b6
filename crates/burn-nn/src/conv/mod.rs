//! Convolution layers.

mod conv_transpose;
mod convolution;
mod deform_conv2d;
mod init;

pub use conv_transpose::{
    ConvTranspose1d, ConvTranspose1dConfig, ConvTranspose1dRecord, ConvTranspose2d, ConvTranspose2dConfig,
    ConvTranspose2dRecord, ConvTranspose3d, ConvTranspose3dConfig, ConvTranspose3dRecord,
};
pub use convolution::{
    Conv1d, Conv1dConfig, Conv1dRecord, Conv2d, Conv2dConfig, Conv2dRecord, Conv3d, Conv3dConfig,
    Conv3dRecord,
};
pub use deform_conv2d::{DeformConv2d, DeformConv2dConfig, DeformConv2dRecord};

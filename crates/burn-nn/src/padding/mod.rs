//! Padding: its configuration in convolution and pooling layers, and layers that pad.

mod circular;
mod config;
mod constant;
mod layer;
mod mode;
mod reflection;
mod replication;
mod window;

pub use circular::{
    CircularPad1d, CircularPad1dConfig, CircularPad2d, CircularPad2dConfig, CircularPad3d,
    CircularPad3dConfig,
};
pub use config::{PaddingConfig1d, PaddingConfig2d, PaddingConfig3d};
pub use constant::{
    ConstantPad1d, ConstantPad1dConfig, ConstantPad2d, ConstantPad2dConfig, ConstantPad3d,
    ConstantPad3dConfig, ZeroPad1d, ZeroPad1dConfig, ZeroPad2d, ZeroPad2dConfig, ZeroPad3d, ZeroPad3dConfig,
};
pub use mode::PaddingMode;
pub use reflection::{
    ReflectionPad1d, ReflectionPad1dConfig, ReflectionPad2d, ReflectionPad2dConfig, ReflectionPad3d,
    ReflectionPad3dConfig,
};
pub use replication::{
    ReplicationPad1d, ReplicationPad1dConfig, ReplicationPad2d, ReplicationPad2dConfig, ReplicationPad3d,
    ReplicationPad3dConfig,
};

pub(crate) use config::Padding;
pub(crate) use window::{Sides, Windows, symmetric};

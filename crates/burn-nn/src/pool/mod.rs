//! Pooling layers.

mod adaptive_avg_pool;
mod adaptive_max_pool;
mod adaptive_pool;
mod avg_pool;
mod lp_pool;
mod max_pool;
mod max_unpool;
mod pooling;

pub use adaptive_avg_pool::{
    AdaptiveAvgPool1d, AdaptiveAvgPool1dConfig, AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig,
    AdaptiveAvgPool3d, AdaptiveAvgPool3dConfig,
};
pub use adaptive_max_pool::{
    AdaptiveMaxPool1d, AdaptiveMaxPool1dConfig, AdaptiveMaxPool2d, AdaptiveMaxPool2dConfig,
    AdaptiveMaxPool3d, AdaptiveMaxPool3dConfig,
};
pub use avg_pool::{AvgPool1d, AvgPool1dConfig, AvgPool2d, AvgPool2dConfig, AvgPool3d, AvgPool3dConfig};
pub use lp_pool::{LpPool1d, LpPool1dConfig, LpPool2d, LpPool2dConfig, LpPool3d, LpPool3dConfig};
pub use max_pool::{MaxPool1d, MaxPool1dConfig, MaxPool2d, MaxPool2dConfig, MaxPool3d, MaxPool3dConfig};
pub use max_unpool::{
    MaxUnpool1d, MaxUnpool1dConfig, MaxUnpool2d, MaxUnpool2dConfig, MaxUnpool3d, MaxUnpool3dConfig,
};

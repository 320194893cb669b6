//! Renderers, which show a run while it trains.

#[cfg(feature = "tui")]
mod dashboard;
mod interrupter;
mod item_rate;
mod metrics_renderer;
mod plain;
mod select;
mod silent;
mod training_progress;

#[cfg(feature = "tui")]
pub use dashboard::DashboardRenderer;
pub use interrupter::Interrupter;
pub use metrics_renderer::{MetricState, MetricsRenderer};
pub use plain::PlainRenderer;
pub use select::default_renderer;
pub(crate) use silent::SilentRenderer;
pub use training_progress::TrainingProgress;

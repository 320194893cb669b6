//! L-BFGS, which calls the loss several times a step.

mod config;
mod flat;
mod iteration;
mod line_search;
mod optimizer;
mod record;
mod state;
mod vector;

pub use config::{LbfgsConfig, LineSearch};
pub use optimizer::Lbfgs;
pub use record::LbfgsRecord;

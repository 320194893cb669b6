//! L-BFGS, which calls the loss several times a step.

mod flat;
mod iteration;
mod line_search;
mod optimizer;
mod record;
mod state;
mod vector;

pub use optimizer::{Lbfgs, LbfgsConfig, LineSearch};
pub use record::LbfgsRecord;

//! Tapes: the operations that runs of a model come down to for inputs of some shapes, kept so that later runs
//! repeat them without translating nodes, evaluating sizes or inferring shapes.

mod cache;
mod insert;
mod join_steps;
mod last_uses;
mod notes;
mod recorder;
mod replay;

pub(crate) use cache::{Pass, Tapes};
pub(crate) use recorder::read_value;

//! Translation of the nodes of a model to calls.

mod attributes;
mod check_limits;
mod graph;
mod node;
mod scope;
mod support;

pub use check_limits::check_limits;
pub use graph::translate_graph;
pub use node::Node;
pub use scope::Scope;
pub use support::check_support;

//! A model as it is in the file, checked: nodes with attributes, constants, inputs and outputs with their
//! types.

mod attribute;
mod constant;
mod definition;
mod load;
mod node_order;
mod value_type;

pub use attribute::Attribute;
pub use constant::{Constant, read_tensor};
pub use definition::{FunctionDefinition, GraphDefinition, Model, NodeDefinition, Opsets};
pub use value_type::{Dimension, ValueInfo, ValueType};

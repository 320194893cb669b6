//! A model as it is in the file, checked: nodes with attributes, constants, inputs and outputs with their
//! types.

mod constant;
mod definition;
mod input_shapes;
mod load;
mod node_order;
mod value_type;

pub use constant::{Constant, read_tensor};
pub use definition::{Attribute, FunctionDefinition, GraphDefinition, Model, NodeDefinition, Opsets};
pub use value_type::{Dimension, ValueInfo, ValueType};

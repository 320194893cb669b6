//! The functions behind neural network modules, with sizes as people write them.

mod attention;
mod conv;
mod deform;
mod grid;
mod interpolate;
mod linear;
mod norm;
mod pool;
mod recurrent;
mod unfold;

pub use attention::*;
pub use conv::*;
pub use deform::*;
pub use grid::*;
pub use interpolate::*;
pub use linear::*;
pub use norm::*;
pub use pool::*;
pub use recurrent::*;
pub use unfold::*;

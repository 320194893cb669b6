//! cuDNN, by its graphs: an operation is described, and the library's own heuristic names engines for it. A
//! plan is made once for each kind of call.

mod attention;
mod attention_grad;
mod attention_scores;
mod conv;
mod descriptor;
mod graph;
mod library;
mod operand;
mod plan;
mod session;

pub use attention::Attention;
pub use attention_grad::AttentionGrad;
pub use attention_scores::Scores;
pub use conv::Convolution;
pub use library::{Dnn, DnnCall};
pub use operand::Operand;

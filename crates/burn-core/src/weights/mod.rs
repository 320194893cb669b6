//! Weights of a model by name, from files of other frameworks or from a record.
//!
//! A [`TensorSource`] lists tensors and reads one at a time. [`Weights`] are the tensors of a source as a
//! tree, in which a [`LayerAdapter`] translates the names and layouts of another framework at each layer.
//! They are put into a module by [`Weights::load_into`], whose [`LoadReport`] lists what was loaded, or
//! become a record.

mod adapter;
mod collect;
mod load;
mod read;
mod record_source;
mod report;
mod source;
mod tensor;
mod transform;
mod transpose;
mod tree;

pub use adapter::LayerAdapter;
pub use collect::{collect, collect_record};
pub use load::Strictness;
pub use record_source::RecordSource;
pub use report::LoadReport;
pub use source::{TensorInfo, TensorSource};
pub use tensor::NamedTensor;
pub use transform::concatenate;
pub use transpose::transpose;
pub use tree::Weights;

mod arithmetic;
mod convert;
mod join;
mod layout;
mod reduce;
mod tensor;

pub use tensor::DynTensor;

use burn_backend::Backend;
use burn_ir::TensorData;
use burn_tensor::{DynTensor, Tensor, TensorKind};

/// Value that a model takes or gives when it runs.
///
/// Tensors of a backend become one with `From`, and so does host data.
#[derive(Clone, Debug)]
pub enum RunValue<B: Backend> {
    /// A tensor of any kind. A scalar of ONNX has one dimension of size 1.
    Tensor(B::Tensor),
    /// Host data; rank 0 is possible.
    Data(TensorData),
    /// A list of values.
    Sequence(Vec<RunValue<B>>),
    /// A value that may be missing.
    Optional(Option<Box<RunValue<B>>>),
}

impl<B: Backend, const D: usize, K: TensorKind> From<Tensor<B, D, K>> for RunValue<B> {
    fn from(tensor: Tensor<B, D, K>) -> Self {
        RunValue::Tensor(tensor.into_handle())
    }
}

impl<B: Backend, K: TensorKind> From<DynTensor<B, K>> for RunValue<B> {
    fn from(tensor: DynTensor<B, K>) -> Self {
        RunValue::Tensor(tensor.into_handle())
    }
}

impl<B: Backend> From<TensorData> for RunValue<B> {
    fn from(data: TensorData) -> Self {
        RunValue::Data(data)
    }
}

use burn_backend::Backend;

/// The backend's own tensor behind a [`Float`](crate::Float) tensor.
#[derive(Clone, Debug)]
pub enum TensorPrimitive<B: Backend> {
    /// Of a float dtype.
    Float(B::Tensor),
    /// Quantized.
    QFloat(B::Tensor),
}

impl<B: Backend> TensorPrimitive<B> {
    /// The tensor inside.
    pub fn tensor(self) -> B::Tensor {
        match self {
            TensorPrimitive::Float(tensor) | TensorPrimitive::QFloat(tensor) => tensor,
        }
    }
}

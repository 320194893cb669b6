use crate::check::{check, together};
use crate::{AsDim, DynTensor, TensorError, TensorKind};
use alloc::vec::Vec;
use burn_backend::{Backend, HasSpec, Layout, Operation};
use burn_derive::fallible;

#[fallible]
impl<B: Backend, K: TensorKind> DynTensor<B, K> {
    /// Concatenates tensors along `dim`. PyTorch: `torch.cat`.
    ///
    /// # Errors
    /// When there is no tensor, or ranks differ, or shapes outside of `dim`.
    pub fn try_cat(tensors: Vec<Self>, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = match tensors.first() {
            Some(first) => dim.resolve("cat", &first.handle.spec().shape)?,
            None => 0,
        };
        check(&Operation::Layout(Layout::Cat {
            xs: tensors.iter().map(|t| t.handle.spec()).collect(),
            dim,
        }))?;
        let handles: Vec<_> = tensors.iter().map(|t| &t.handle).collect();
        together::<B>("cat", handles[0], &handles)?;
        Ok(Self::from_handle(B::cat(tensors.into_iter().map(|t| t.handle).collect(), dim)))
    }

    /// Stacks tensors along a new dimension `dim`. PyTorch: `torch.stack`.
    ///
    /// # Errors
    /// When there is no tensor, or shapes differ.
    pub fn try_stack(tensors: Vec<Self>, dim: impl AsDim) -> Result<Self, TensorError> {
        let rank = tensors.first().map_or(0, DynTensor::rank);
        let dim = dim.resolve("stack", &burn_backend::Dims::repeat(1, rank + 1))?;
        let mut parts = Vec::with_capacity(tensors.len());
        for tensor in tensors {
            let shape = tensor.shape();
            let first: Option<&DynTensor<B, K>> = parts.first();
            if let Some(first) = first {
                let own = first.clone().try_squeeze_dim(dim)?.shape();
                crate::check::ensure!(own == shape, "stack", "the shapes {own:?} and {shape:?} differ");
            }
            parts.push(tensor.try_unsqueeze_dim(dim)?);
        }
        Self::try_cat(parts, dim)
    }
}

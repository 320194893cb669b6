use crate::TensorError;
use crate::check::{check, ensure, together};
use crate::promotion::all_promoted;
use crate::{AsDim, Tensor, TensorKind};
use alloc::vec::Vec;
use burn_backend::{Backend, HasSpec, Layout, Operation};
use burn_derive::fallible;

#[fallible]
/// # Joining and splitting
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Concatenates tensors along `dim`. PyTorch: `torch.cat`.
    ///
    /// # Errors
    /// When there is no tensor, or shapes differ outside of `dim`.
    pub fn try_cat(tensors: Vec<Self>, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = match tensors.first() {
            Some(first) => dim.resolve("cat", &first.spec().shape)?,
            None => 0,
        };
        let tensors = all_promoted::<B>(tensors.into_iter().map(|t| t.into_handle()).collect());
        check(&Operation::Layout(Layout::Cat { xs: tensors.iter().map(HasSpec::spec).collect(), dim }))?;
        together::<B>("cat", &tensors[0], &tensors.iter().collect::<Vec<_>>())?;
        Ok(Self::from_handle(B::cat(tensors, dim)))
    }

    /// Stacks tensors along a new dimension `dim`; `D2` is `D + 1`. PyTorch: `torch.stack`.
    ///
    /// # Errors
    /// When there is no tensor, or shapes differ.
    pub fn try_stack<const D2: usize>(
        tensors: Vec<Self>,
        dim: impl AsDim,
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        ensure!(
            D2 == D + 1,
            "stack",
            "of tensors of shape {:?} the result has rank {}, not {D2}",
            tensors.first().map(Tensor::dims).unwrap_or([0; D]),
            D + 1
        );
        let dim = dim.resolve("stack", &[1; D2])?;
        for tensor in &tensors {
            let (first, shape) = (&tensors[0].spec().shape, &tensor.spec().shape);
            if let Some(d) = (0..D).find(|&d| first[d] != shape[d]) {
                let (left, right) = (first[d], shape[d]);
                ensure!(
                    false,
                    "stack",
                    "{first:?} and {shape:?} differ at dimension {d}: {left} and {right}"
                );
            }
        }
        Tensor::try_cat(tensors.into_iter().map(|t| t.unsqueeze_dim::<D2>(dim)).collect(), dim)
    }

    /// Splits `dim` into at most `chunks` parts of the same size; the last may be smaller. PyTorch:
    /// `torch.chunk`.
    ///
    /// # Errors
    /// When `chunks` is 0.
    pub fn try_chunk(self, chunks: usize, dim: impl AsDim) -> Result<Vec<Self>, TensorError> {
        ensure!(chunks > 0, "chunk", "0 parts of {:?}; the count should be at least 1", self.shape());
        let dim = dim.resolve("chunk", &self.spec().shape)?;
        let size = self.spec().shape[dim].div_ceil(chunks);
        self.try_split(size.max(1), dim)
    }

    /// Parts of `size` along `dim`; the last may be smaller. PyTorch: `torch.split`.
    ///
    /// # Errors
    /// When `size` is 0 and `dim` is not.
    pub fn try_split(self, size: usize, dim: impl AsDim) -> Result<Vec<Self>, TensorError> {
        let dim = dim.resolve("split", &self.spec().shape)?;
        let total = self.spec().shape[dim];
        ensure!(
            size > 0 || total == 0,
            "split",
            "parts of size 0 of dimension {dim} of {:?}; the size should be at least 1",
            self.shape()
        );
        let part = |start: usize| self.clone().narrow(dim, start, size.min(total - start));
        Ok(if total == 0 { alloc::vec![self.clone()] } else { (0..total).step_by(size).map(part).collect() })
    }
}

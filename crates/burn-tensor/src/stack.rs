use crate::check::check;
use crate::{AsDim, Tensor, TensorKind};
use alloc::vec::Vec;
use burn_backend::{Backend, HasSpec, Operation};

impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Joined along `dim`. PyTorch: `torch.cat`.
    ///
    /// # Panics
    /// When there is no tensor, or shapes differ outside of `dim`.
    #[track_caller]
    #[must_use]
    pub fn cat(tensors: Vec<Self>, dim: impl AsDim) -> Self {
        let dim = match tensors.first() {
            Some(first) => dim.resolve("cat", &first.handle.spec().shape),
            None => 0,
        };
        check(&Operation::Cat { xs: tensors.iter().map(|t| t.handle.spec()).collect(), dim });
        Self::from_handle(B::cat(tensors.into_iter().map(|t| t.handle).collect(), dim))
    }

    /// Joined along a new dimension `dim`; `D2` is `D + 1`. PyTorch: `torch.stack`.
    ///
    /// # Panics
    /// When there is no tensor, or shapes differ.
    #[track_caller]
    #[must_use]
    pub fn stack<const D2: usize>(tensors: Vec<Self>, dim: impl AsDim) -> Tensor<B, D2, K> {
        assert!(D2 == D + 1, "stack: the result has rank {}, not {D2}", D + 1);
        let dim = dim.resolve("stack", &[1; D2]);
        for tensor in &tensors {
            let (first, shape) = (&tensors[0].handle.spec().shape, &tensor.handle.spec().shape);
            let differs = (0..D).find(|&d| first[d] != shape[d]);
            if let Some(d) = differs {
                let (left, right) = (first[d], shape[d]);
                panic!("stack: {first:?} and {shape:?} differ at dimension {d}: {left} and {right}");
            }
        }
        Tensor::cat(tensors.into_iter().map(|t| t.unsqueeze_dim::<D2>(dim)).collect(), dim)
    }

    /// At most `chunks` parts of the same size along `dim`; the last may be smaller. PyTorch: `torch.chunk`.
    ///
    /// # Panics
    /// When `chunks` is 0.
    #[track_caller]
    #[must_use]
    pub fn chunk(self, chunks: usize, dim: impl AsDim) -> Vec<Self> {
        assert!(chunks > 0, "chunk: needs at least one chunk");
        let dim = dim.resolve("chunk", &self.handle.spec().shape);
        let size = self.handle.spec().shape[dim].div_ceil(chunks);
        self.split(size.max(1), dim)
    }

    /// Parts of `size` along `dim`; the last may be smaller. PyTorch: `torch.split`.
    ///
    /// # Panics
    /// When `size` is 0.
    #[track_caller]
    #[must_use]
    pub fn split(self, size: usize, dim: impl AsDim) -> Vec<Self> {
        assert!(size > 0, "split: needs parts of at least one element");
        let dim = dim.resolve("split", &self.handle.spec().shape);
        let total = self.handle.spec().shape[dim];
        let part = |start: usize| self.clone().narrow(dim, start, size.min(total - start));
        if total == 0 { alloc::vec![self] } else { (0..total).step_by(size).map(part).collect() }
    }
}

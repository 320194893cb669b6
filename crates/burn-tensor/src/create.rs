use crate::{Float, Int, Numeric, Tensor, TensorKind};
use burn_backend::{Backend, Creation, Distribution, Scalar, Shape, TensorData, TensorSpec};

#[track_caller]
fn rank_of(operation: &str, shape: &Shape, rank: usize) {
    let found = shape.rank();
    assert!(found == rank, "{operation}: shape {shape:?} has rank {found}, the tensor has rank {rank}");
}

impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Host values, converted to the default element type of the kind. PyTorch: `torch.tensor`.
    ///
    /// # Panics
    /// When the data has another rank than the tensor.
    #[track_caller]
    pub fn from_data(data: impl Into<TensorData>, device: &B::Device) -> Self {
        let data = data.into();
        rank_of("from_data", &data.shape, D);
        Self::from_handle(B::from_data(data.convert_dtype(K::dtype::<B>()), device))
    }

    /// `value` everywhere. PyTorch: `torch.full`.
    #[track_caller]
    pub fn full(shape: impl Into<Shape>, value: impl Into<Scalar>, device: &B::Device) -> Self {
        full(shape.into(), value.into(), device)
    }

    /// A tensor whose elements are not promised to be anything. PyTorch: `torch.empty`.
    #[track_caller]
    pub fn empty(shape: impl Into<Shape>, device: &B::Device) -> Self {
        full(shape.into(), Scalar::Int(0), device)
    }
}

#[track_caller]
fn full<B: Backend, const D: usize, K: TensorKind>(
    shape: Shape,
    value: Scalar,
    device: &B::Device,
) -> Tensor<B, D, K> {
    rank_of("full", &shape, D);
    Tensor::from_handle(B::full(TensorSpec { shape, dtype: K::dtype::<B>() }, value, device))
}

impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Zeros. PyTorch: `torch.zeros`.
    #[track_caller]
    pub fn zeros(shape: impl Into<Shape>, device: &B::Device) -> Self {
        full(shape.into(), Scalar::Int(0), device)
    }

    /// Ones. PyTorch: `torch.ones`.
    #[track_caller]
    pub fn ones(shape: impl Into<Shape>, device: &B::Device) -> Self {
        full(shape.into(), Scalar::Int(1), device)
    }

    /// Zeros with the shape, dtype and device of `self`.
    #[must_use]
    pub fn zeros_like(&self) -> Self {
        self.full_like(0)
    }

    /// Ones with the shape, dtype and device of `self`.
    #[must_use]
    pub fn ones_like(&self) -> Self {
        self.full_like(1)
    }

    /// `value` everywhere, with the shape, dtype and device of `self`.
    #[must_use]
    pub fn full_like(&self, value: impl Into<Scalar>) -> Self {
        let spec = TensorSpec { shape: self.shape(), dtype: self.dtype() };
        Self::from_handle(B::full(spec, value.into(), &self.device()))
    }

    /// Independent draws from `distribution`. `B::seed` makes them repeatable.
    #[track_caller]
    pub fn random(shape: impl Into<Shape>, distribution: Distribution, device: &B::Device) -> Self {
        let shape = shape.into();
        rank_of("random", &shape, D);
        let spec = TensorSpec { shape, dtype: K::dtype::<B>() };
        Self::from_handle(burn_backend::create::<B>(Creation::Random { spec, distribution }, device))
    }

    /// Draws with the shape, dtype and device of `self`.
    #[must_use]
    pub fn random_like(&self, distribution: Distribution) -> Self {
        let spec = TensorSpec { shape: self.shape(), dtype: self.dtype() };
        Self::from_handle(B::random(spec, distribution, &self.device()))
    }
}

impl<B: Backend, const D: usize> Tensor<B, D, Float> {
    /// The same as [`Tensor::from_data`].
    #[track_caller]
    pub fn from_floats(floats: impl Into<TensorData>, device: &B::Device) -> Self {
        Self::from_data(floats, device)
    }
}

impl<B: Backend> Tensor<B, 2, Float> {
    /// Ones on the diagonal of a square matrix of zeros. PyTorch: `torch.eye`.
    pub fn eye(size: usize, device: &B::Device) -> Self {
        let index = Tensor::<B, 1, Int>::arange(0..size as i64, device);
        let row = index.clone().reshape([1, -1]).expand([size, size]);
        row.equal(index.reshape([-1, 1]).expand([size, size])).float()
    }
}

impl<B: Backend> Tensor<B, 1, Float> {
    /// Zeros with a one at `index`. PyTorch: `torch.nn.functional.one_hot`.
    ///
    /// # Panics
    /// When `index` is not below `num_classes`.
    #[track_caller]
    pub fn one_hot(index: usize, num_classes: usize, device: &B::Device) -> Self {
        assert!(index < num_classes, "one_hot: index {index} of {num_classes} classes");
        Tensor::<B, 1, Int>::arange(0..num_classes as i64, device).equal_elem(index).float()
    }
}

impl<B: Backend, const D: usize> Tensor<B, D, Int> {
    /// The same as [`Tensor::from_data`].
    #[track_caller]
    pub fn from_ints(ints: impl Into<TensorData>, device: &B::Device) -> Self {
        Self::from_data(ints, device)
    }

    /// The same as [`Tensor::random`].
    #[track_caller]
    pub fn int_random(shape: impl Into<Shape>, distribution: Distribution, device: &B::Device) -> Self {
        Self::random(shape, distribution, device)
    }

    /// Every index of `shape` in row-major order, the coordinates in a last dimension of their own. `D` is one
    /// more than the rank of `shape`.
    ///
    /// # Panics
    /// When `D` is another rank.
    #[track_caller]
    pub fn cartesian_grid(shape: impl Into<Shape>, device: &B::Device) -> Self {
        let shape = shape.into();
        let (rank, count) = (shape.rank(), shape.num_elements());
        assert!(rank + 1 == D, "cartesian_grid: shape {shape:?} gives rank {}, not {D}", rank + 1);
        let strides = shape.strides();
        let coordinate = |at: usize, d: usize| (at / strides[d] % shape[d]) as i64;
        let values = (0..count).flat_map(|at| (0..rank).map(move |d| (at, d)));
        let values: alloc::vec::Vec<i64> = values.map(|(at, d)| coordinate(at, d)).collect();
        let dims: Shape = shape.iter().copied().chain([rank]).collect();
        Self::from_data(TensorData::new(values, dims), device)
    }
}

impl<B: Backend> Tensor<B, 1, Int> {
    /// `start, start + 1, .., end - 1`. PyTorch: `torch.arange`.
    pub fn arange(range: core::ops::Range<i64>, device: &B::Device) -> Self {
        Self::arange_step(range, 1, device)
    }

    /// `start, start + step, ..` below `end`.
    ///
    /// # Panics
    /// When `step` is 0.
    #[track_caller]
    pub fn arange_step(range: core::ops::Range<i64>, step: usize, device: &B::Device) -> Self {
        assert!(step > 0, "arange_step: the step is 0");
        let count = range.end.saturating_sub(range.start).max(0) as usize;
        let spec = TensorSpec::new([count.div_ceil(step)], Int::dtype::<B>());
        Self::from_handle(B::range(spec, range.start.into(), step.into(), device))
    }
}

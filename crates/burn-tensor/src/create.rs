use crate::TensorError;
use crate::check::ensure;
use crate::{Float, Int, Numeric, Tensor, TensorKind};
use burn_backend::{Backend, DType, Distribution, Scalar, Shape, TensorData, TensorSpec};
use burn_derive::fallible;

#[track_caller]
pub(crate) fn fits(
    operation: &'static str,
    shape: &Shape,
    rank: usize,
    dtype: DType,
) -> Result<TensorSpec, TensorError> {
    let found = shape.rank();
    ensure!(found == rank, operation, "shape {shape:?} has rank {found}, the tensor has rank {rank}");
    // Strides of a tensor without elements have to fit too.
    let bytes = shape.iter().try_fold(dtype.size(), |bytes, &size| bytes.checked_mul(size.max(1)));
    ensure!(
        bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok()),
        operation,
        "{shape:?} has more elements than memory can hold"
    );
    Ok(TensorSpec { shape: shape.clone(), dtype })
}

#[fallible]
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Host values, converted to the default element type of the kind. PyTorch: `torch.tensor`.
    ///
    /// # Errors
    /// When the data has another rank than the tensor.
    pub fn try_from_data(data: impl Into<TensorData>, device: &B::Device) -> Result<Self, TensorError> {
        let data = data.into();
        fits("from_data", &data.shape, D, K::dtype::<B>())?;
        Ok(Self::from_handle(B::from_data(data.convert_dtype(K::dtype::<B>()), device)))
    }

    /// `value` everywhere. PyTorch: `torch.full`.
    pub fn try_full(
        shape: impl Into<Shape>,
        value: impl Into<Scalar>,
        device: &B::Device,
    ) -> Result<Self, TensorError> {
        full("full", shape.into(), value.into(), device)
    }

    /// A tensor whose elements are not promised to be anything. PyTorch: `torch.empty`.
    pub fn try_empty(shape: impl Into<Shape>, device: &B::Device) -> Result<Self, TensorError> {
        full("empty", shape.into(), Scalar::Int(0), device)
    }
}

#[track_caller]
fn full<B: Backend, const D: usize, K: TensorKind>(
    operation: &'static str,
    shape: Shape,
    value: Scalar,
    device: &B::Device,
) -> Result<Tensor<B, D, K>, TensorError> {
    let spec = fits(operation, &shape, D, K::dtype::<B>())?;
    Ok(Tensor::from_handle(B::full(spec, value, device)))
}

#[fallible]
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Zeros. PyTorch: `torch.zeros`.
    pub fn try_zeros(shape: impl Into<Shape>, device: &B::Device) -> Result<Self, TensorError> {
        full("zeros", shape.into(), Scalar::Int(0), device)
    }

    /// Ones. PyTorch: `torch.ones`.
    pub fn try_ones(shape: impl Into<Shape>, device: &B::Device) -> Result<Self, TensorError> {
        full("ones", shape.into(), Scalar::Int(1), device)
    }

    /// Zeros with the shape, dtype and device of `self`. PyTorch: `torch.zeros_like`.
    #[must_use]
    pub fn zeros_like(&self) -> Self {
        self.full_like(0)
    }

    /// Ones with the shape, dtype and device of `self`. PyTorch: `torch.ones_like`.
    #[must_use]
    pub fn ones_like(&self) -> Self {
        self.full_like(1)
    }

    /// `value` everywhere, with the shape, dtype and device of `self`. PyTorch: `torch.full_like`.
    #[must_use]
    pub fn full_like(&self, value: impl Into<Scalar>) -> Self {
        let spec = TensorSpec { shape: self.shape(), dtype: self.dtype() };
        Self::from_handle(B::full(spec, value.into(), &self.device()))
    }
}

#[fallible]
impl<B: Backend, const D: usize> Tensor<B, D, Float> {
    /// The same as [`Tensor::from_data`]. PyTorch: `torch.tensor`.
    pub fn try_from_floats(floats: impl Into<TensorData>, device: &B::Device) -> Result<Self, TensorError> {
        Self::try_from_data(floats, device)
    }
}

#[fallible]
impl<B: Backend> Tensor<B, 2, Float> {
    /// Ones on the diagonal of a square matrix of zeros. PyTorch: `torch.eye`.
    pub fn eye(size: usize, device: &B::Device) -> Self {
        let index = Tensor::<B, 1, Int>::arange(0..size as i64, device);
        let row = index.clone().reshape([1, -1]).expand([size, size]);
        row.equal(index.reshape([-1, 1]).expand([size, size])).float()
    }
}

#[fallible]
impl<B: Backend> Tensor<B, 1, Float> {
    /// Zeros with a one at `index`. PyTorch: `torch.nn.functional.one_hot`.
    ///
    /// # Errors
    /// When `index` is not below `num_classes`.
    pub fn try_one_hot(index: usize, num_classes: usize, device: &B::Device) -> Result<Self, TensorError> {
        ensure!(index < num_classes, "one_hot", "index {index} of {num_classes} classes");
        Ok(Tensor::<B, 1, Int>::arange(0..num_classes as i64, device).equal_elem(index).float())
    }
}

#[fallible]
impl<B: Backend, const D: usize> Tensor<B, D, Int> {
    /// The same as [`Tensor::from_data`]. PyTorch: `torch.tensor`.
    pub fn try_from_ints(ints: impl Into<TensorData>, device: &B::Device) -> Result<Self, TensorError> {
        Self::try_from_data(ints, device)
    }

    /// The same as [`Tensor::random`]. PyTorch: `torch.randint`.
    pub fn try_int_random(
        shape: impl Into<Shape>,
        distribution: Distribution,
        device: &B::Device,
    ) -> Result<Self, TensorError> {
        Self::try_random(shape, distribution, device)
    }

    /// Every index of `shape` in row-major order, the coordinates in a last dimension of their own. `D` is one
    /// more than the rank of `shape`. PyTorch: `torch.cartesian_prod` of ranges.
    ///
    /// # Errors
    /// When `D` is another rank.
    pub fn try_cartesian_grid(shape: impl Into<Shape>, device: &B::Device) -> Result<Self, TensorError> {
        let shape = shape.into();
        let rank = shape.rank();
        ensure!(rank + 1 == D, "cartesian_grid", "shape {shape:?} gives rank {}, not {D}", rank + 1);
        let dims: Shape = shape.iter().copied().chain([rank]).collect();
        fits("cartesian_grid", &dims, D, DType::I64)?;
        let (count, strides) = (shape.num_elements(), shape.strides());
        let coordinate = |at: usize, d: usize| (at / strides[d] % shape[d]) as i64;
        let values = (0..count).flat_map(|at| (0..rank).map(move |d| (at, d)));
        let values: alloc::vec::Vec<i64> = values.map(|(at, d)| coordinate(at, d)).collect();
        Self::try_from_data(TensorData::new(values, dims), device)
    }
}

#[fallible]
impl<B: Backend> Tensor<B, 1, Int> {
    /// `start, start + 1, .., end - 1`. PyTorch: `torch.arange`.
    pub fn arange(range: core::ops::Range<i64>, device: &B::Device) -> Self {
        Self::arange_step(range, 1, device)
    }

    /// `start, start + step, ..` below `end`. PyTorch: `torch.arange(start, end, step)`.
    ///
    /// # Errors
    /// When `step` is 0.
    pub fn try_arange_step(
        range: core::ops::Range<i64>,
        step: usize,
        device: &B::Device,
    ) -> Result<Self, TensorError> {
        ensure!(step > 0, "arange_step", "the step is 0");
        let count = range.end.saturating_sub(range.start).max(0) as usize;
        let spec = TensorSpec::new([count.div_ceil(step)], Int::dtype::<B>());
        Ok(Self::from_handle(B::range(spec, range.start.into(), step.into(), device)))
    }
}

use crate::TensorError;
use crate::check::ensure;
use crate::number::written;
use crate::{Bool, Float, Int, Numeric, Tensor, TensorKind, TensorOptions};
use alloc::vec::Vec;
use burn_backend::{Backend, DType, Distribution, Element, Scalar, Shape, TensorData, TensorSpec, memory};
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
/// # Creation
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Creates a tensor of host values, converted to the default element type of the kind, or the one of the
    /// options. PyTorch: `torch.tensor`.
    ///
    /// # Errors
    /// When the data has another rank than the tensor, the dtype is of another kind, or an integer type does
    /// not hold a value: NaN, an infinity, a number beyond its range. Fractions are cut off.
    pub fn try_from_data(
        data: impl Into<TensorData>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        let (data, options) = (data.into(), options.into());
        let dtype = options.dtype::<K>("from_data")?;
        fits("from_data", &data.shape, D, dtype)?;
        match data.try_convert_dtype(dtype) {
            Ok(data) => Ok(Self::from_handle(B::from_data(data, &options.device))),
            Err(error) => Err(TensorError::data("from_data", &error)),
        }
    }

    /// Creates a tensor filled with `value`. PyTorch: `torch.full`.
    ///
    /// # Errors
    /// When the shape has another rank, the dtype is of another kind, or an Int tensor is filled with a
    /// fraction.
    pub fn try_full(
        shape: impl Into<Shape>,
        value: impl Into<Scalar>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        full("full", shape.into(), value.into(), &options.into())
    }

    /// Creates a tensor with unspecified elements. PyTorch: `torch.empty`.
    ///
    /// # Errors
    /// When the shape has another rank, or the dtype is of another kind.
    pub fn try_empty(
        shape: impl Into<Shape>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        full("empty", shape.into(), Scalar::Int(0), &options.into())
    }
}

#[track_caller]
fn full<B: Backend, const D: usize, K: TensorKind>(
    operation: &'static str,
    shape: Shape,
    value: Scalar,
    options: &TensorOptions<B>,
) -> Result<Tensor<B, D, K>, TensorError> {
    let spec = fits(operation, &shape, D, options.dtype::<K>(operation)?)?;
    let value = written(operation, value, spec.dtype)?;
    Ok(Tensor::from_handle(B::full(spec, value, &options.device)))
}

#[fallible]
/// # Creation
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Creates a tensor of zeros; of bools, `false`. PyTorch: `torch.zeros`.
    ///
    /// # Errors
    /// When the shape has another rank, or the dtype is of another kind.
    pub fn try_zeros(
        shape: impl Into<Shape>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        full("zeros", shape.into(), Scalar::Int(0), &options.into())
    }

    /// Creates a tensor of ones; of bools, `true`. PyTorch: `torch.ones`.
    ///
    /// # Errors
    /// When the shape has another rank, or the dtype is of another kind.
    pub fn try_ones(
        shape: impl Into<Shape>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        full("ones", shape.into(), Scalar::Int(1), &options.into())
    }

    /// Zeros with the shape, dtype and device of `self`. PyTorch: `torch.zeros_like`.
    pub fn try_zeros_like(&self) -> Result<Self, TensorError> {
        Ok(self.full_like(0))
    }

    /// Ones with the shape, dtype and device of `self`. PyTorch: `torch.ones_like`.
    pub fn try_ones_like(&self) -> Result<Self, TensorError> {
        Ok(self.full_like(1))
    }

    /// Creates a tensor filled with `value`, with the shape, dtype and device of `self`. PyTorch:
    /// `torch.full_like`.
    ///
    /// # Errors
    /// When an Int tensor is filled with a fraction.
    pub fn try_full_like(&self, value: impl Into<Scalar>) -> Result<Self, TensorError> {
        let spec = TensorSpec { shape: self.shape(), dtype: self.dtype() };
        let value = written("full_like", value.into(), spec.dtype)?;
        Ok(Self::from_handle(B::full(spec, value, &self.device())))
    }
}

#[fallible]
/// # Creation, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D, Float> {
    /// Creates a tensor of host values, as [`Tensor::from_data`]. PyTorch: `torch.tensor`.
    pub fn try_from_floats(
        floats: impl Into<TensorData>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        Self::try_from_data(floats, options)
    }
}

#[fallible]
/// # Creation, of Float and Int tensors
impl<B: Backend, K: Numeric> Tensor<B, 2, K> {
    /// Returns a square matrix of zeros with ones on the diagonal. PyTorch: `torch.eye`.
    ///
    /// ```
    /// use burn::tensor::{Int, Tensor, backend::Backend};
    /// fn twos<B: Backend>(device: &B::Device) -> Tensor<B, 2, Int> {
    ///     Tensor::<B, 2, Int>::eye(3, device) * 2
    /// }
    /// ```
    ///
    /// # Errors
    /// When the dtype is of another kind.
    pub fn try_eye(size: usize, options: impl Into<TensorOptions<B>>) -> Result<Self, TensorError> {
        let options = options.into();
        let dtype = options.dtype::<K>("eye")?;
        fits("eye", &Shape::from([size, size]), 2, dtype)?;
        let index = Tensor::<B, 1, Int>::arange(0..size as i64, &options.device);
        let row = index.clone().reshape([1, -1]).expand([size, size]);
        let diagonal = row.equal(index.reshape([-1, 1]).expand([size, size]));
        Ok(Self::from_handle(B::cast(diagonal.into_handle(), dtype)))
    }
}

#[fallible]
/// # Creation, of Float tensors
impl<B: Backend> Tensor<B, 1, Float> {
    /// Zeros with a one at `index`. PyTorch: `torch.nn.functional.one_hot`.
    ///
    /// # Errors
    /// When `index` is not below `num_classes`, or the dtype is no float.
    pub fn try_one_hot(
        index: usize,
        num_classes: usize,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        let options = options.into();
        let dtype = options.dtype::<Float>("one_hot")?;
        ensure!(index < num_classes, "one_hot", "index {index} of {num_classes} classes");
        fits("one_hot", &Shape::from([num_classes]), 1, DType::I64)?;
        let hot = Tensor::<B, 1, Int>::arange(0..num_classes as i64, &options.device).equal_elem(index);
        Ok(Self::from_handle(B::cast(hot.into_handle(), dtype)))
    }

    /// Creates `steps` numbers from `start` to `end`, both included, at equal distances. PyTorch:
    /// `torch.linspace`.
    ///
    /// # Errors
    /// When the dtype is no float, or memory cannot hold as many.
    pub fn try_linspace(
        start: f64,
        end: f64,
        steps: usize,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        Self::try_from_data(TensorData::new(spaced(start, end, steps)?, [steps]), options)
    }

    /// Creates the numbers `base^x` for the `x` of [`linspace`](Tensor::linspace). PyTorch: `torch.logspace`.
    ///
    /// # Errors
    /// When the dtype is no float, or memory cannot hold as many.
    pub fn try_logspace(
        start: f64,
        end: f64,
        steps: usize,
        base: f64,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        let options = options.into();
        let dtype = options.dtype::<Float>("logspace")?;
        let mut values = spaced(start, end, steps)?;
        values.iter_mut().for_each(|x| *x = burn_backend::BinaryOp::Pow.eval_f64(base, *x));
        Self::try_from_data(TensorData::new(values, [steps]), (&options.device, dtype))
    }
}

/// Computes each number from the nearer end, so that both ends are exact.
#[track_caller]
fn spaced(start: f64, end: f64, steps: usize) -> Result<Vec<f64>, TensorError> {
    let last = steps.saturating_sub(1);
    let distance = (end - start) / last.max(1) as f64;
    let at = |i: usize| match i < steps.div_ceil(2) {
        true => start + distance * i as f64,
        false => end - distance * (last - i) as f64,
    };
    made([steps], (0..steps).map(at))
}

/// Creates numbers on the host, as many as `shape` has elements, if there is memory for them.
#[track_caller]
pub(crate) fn made<E: Element>(
    shape: impl Into<Shape>,
    numbers: impl Iterator<Item = E>,
) -> Result<Vec<E>, TensorError> {
    let mut list = match memory::reserve(shape) {
        Ok(list) => list,
        Err(error) => return Err(TensorError::from(error)),
    };
    list.extend(numbers);
    Ok(list)
}

#[fallible]
/// # Creation, of Int tensors
impl<B: Backend, const D: usize> Tensor<B, D, Int> {
    /// Creates a tensor of host values, as [`Tensor::from_data`]. PyTorch: `torch.tensor`.
    pub fn try_from_ints(
        ints: impl Into<TensorData>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        Self::try_from_data(ints, options)
    }

    /// Creates a tensor of random integers, as [`Tensor::random`]. PyTorch: `torch.randint`.
    pub fn try_int_random(
        shape: impl Into<Shape>,
        distribution: Distribution,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        Self::try_random(shape, distribution, options)
    }

    /// Creates every index of `shape` in row-major order, with the coordinates in a last dimension of their
    /// own. `D` is one more than the rank of `shape`. PyTorch: `torch.cartesian_prod` of ranges.
    ///
    /// # Errors
    /// When `D` is another rank, or the dtype is no int.
    pub fn try_cartesian_grid(
        shape: impl Into<Shape>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        let shape = shape.into();
        let rank = shape.rank();
        ensure!(rank + 1 == D, "cartesian_grid", "shape {shape:?} gives rank {}, not {D}", rank + 1);
        let dims: Shape = shape.iter().copied().chain([rank]).collect();
        fits("cartesian_grid", &dims, D, DType::I64)?;
        let (count, strides) = (shape.num_elements(), shape.strides());
        let coordinate = |at: usize, d: usize| (at / strides[d] % shape[d]) as i64;
        let values = (0..count).flat_map(|at| (0..rank).map(move |d| (at, d)));
        let values: Vec<i64> = made(dims.clone(), values.map(|(at, d)| coordinate(at, d)))?;
        Self::try_from_data(TensorData::new(values, dims), options)
    }
}

#[fallible]
/// # Creation, of Bool tensors
impl<B: Backend, const D: usize> Tensor<B, D, Bool> {
    /// Creates a tensor as [`Tensor::from_data`] does. PyTorch: `torch.tensor`.
    ///
    /// # Errors
    /// When the data has another rank than the tensor.
    pub fn try_from_bool(
        bools: impl Into<TensorData>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        Self::try_from_data(bools, options)
    }
}

/// Creates a tensor of host values on the default device, in the default element type of the kind. PyTorch:
/// `torch.tensor`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend};
/// fn basis<B: Backend>() -> Tensor<B, 2> {
///     Tensor::from([[1.0, 0.0], [0.0, 1.0]])
/// }
/// ```
///
/// # Panics
/// When the data has another rank than the tensor.
impl<B: Backend, const D: usize, K: TensorKind, T: Into<TensorData>> From<T> for Tensor<B, D, K> {
    #[track_caller]
    fn from(data: T) -> Self {
        Self::from_data(data, TensorOptions::default())
    }
}

#[fallible]
/// # Creation, of Int tensors
impl<B: Backend> Tensor<B, 1, Int> {
    /// Creates the range `start, start + 1, .., end - 1`. PyTorch: `torch.arange`.
    ///
    /// # Errors
    /// When the dtype is no int.
    pub fn try_arange(
        range: core::ops::Range<i64>,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        Self::try_arange_step(range, 1, options)
    }

    /// Creates the range `start, start + step, ..` below `end`. PyTorch: `torch.arange(start, end, step)`.
    ///
    /// # Errors
    /// When `step` is 0, or the dtype is no int.
    pub fn try_arange_step(
        range: core::ops::Range<i64>,
        step: usize,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        let options = options.into();
        ensure!(step > 0, "arange_step", "the step is 0");
        let distance = if range.is_empty() { 0 } else { range.end.abs_diff(range.start) as usize };
        let count = Shape::from([distance.div_ceil(step)]);
        let spec = fits("arange", &count, 1, options.dtype::<Int>("arange")?)?;
        let last = i128::from(range.start) + (step as i128) * (count[0] as i128 - 1).max(0);
        let holds = spec.dtype.int_range();
        ensure!(
            count[0] == 0 || (range.start as f64 >= holds.0 && last as f64 <= holds.1),
            "arange",
            "{} does not hold the numbers from {} to {last}",
            spec.dtype,
            range.start
        );
        Ok(Self::from_handle(B::range(spec, range.start.into(), step.into(), &options.device)))
    }
}

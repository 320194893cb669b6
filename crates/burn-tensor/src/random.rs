use crate::check::ensure;
use crate::create::fits;
use crate::options::index_type;
use crate::{AsDim, Float, Int, Numeric, Tensor, TensorError, TensorKind, TensorOptions};
use alloc::vec;
use burn_backend::{
    Backend, BinaryOp, CompareOp, Creation, CumulativeOp, DType, Dims, Distribution, HasSpec, IndexUpdate,
    ReduceOp, Scalar, Shape, Slice, Slices, TensorSpec, UnaryOp, block_on,
};
use burn_derive::fallible;

/// Draws of a row that are looked for one by one; more are sorted into the categories.
const FEW: usize = 16;

#[fallible]
/// # Creation: random numbers, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Creates a tensor of independent draws from `distribution`.
    ///
    /// [`Backend::seed`] makes them repeatable: the same seed and the same calls give the same numbers on
    /// every backend, for any number of threads. PyTorch: `torch.rand`, `torch.randn`, `torch.randint`.
    ///
    /// ```
    /// use burn::tensor::{Distribution, Tensor, backend::Backend};
    /// fn noise<B: Backend>(device: &B::Device) -> Tensor<B, 2> {
    ///     B::seed(42);
    ///     Tensor::random([3, 4], Distribution::Normal(0.0, 1.0), device)
    /// }
    /// ```
    ///
    /// # Errors
    /// When the shape has another rank than the tensor, or the distribution has no meaning: a negative
    /// deviation, `low` above `high`, a probability that is none, NaN, a range that the element type cannot
    /// hold.
    pub fn try_random(
        shape: impl Into<Shape>,
        distribution: Distribution,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        let options = options.into();
        let spec = fits("random", &shape.into(), D, options.dtype::<K>("random")?)?;
        distribution.check(spec.dtype)?;
        let draws = Creation::Random { spec, distribution };
        Ok(Self::from_handle(B::create(draws, &options.device)))
    }

    /// Draws with the shape, dtype and device of `self`. No gradient flows back to it. PyTorch:
    /// `torch.rand_like`.
    ///
    /// # Errors
    /// When the distribution has no meaning: see [`Tensor::random`].
    pub fn try_random_like(&self, distribution: Distribution) -> Result<Self, TensorError> {
        distribution.check(self.dtype())?;
        let spec = TensorSpec { shape: self.shape(), dtype: self.dtype() };
        Ok(Self::from_handle(B::random(spec, distribution, &self.device())))
    }
}

#[fallible]
/// # Creation: random numbers
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Shuffles the slices of `dim`, uniformly over all permutations. PyTorch: `x[torch.randperm(n)]`.
    ///
    /// # Errors
    /// When `dim` does not exist.
    pub fn try_shuffle(self, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = dim.resolve("shuffle", &self.spec().shape)?;
        let order = permutation::<B>(self.dims()[dim], index_type::<B>(&self.device()), &self.device());
        Ok(Self::from_handle(B::select(self.into_handle(), dim, order)))
    }
}

#[fallible]
/// # Creation: random numbers, of Int tensors
impl<B: Backend> Tensor<B, 1, Int> {
    /// Creates a uniformly random permutation of `0, 1, .., n - 1`. PyTorch: `torch.randperm`.
    ///
    /// # Errors
    /// When the element type or memory cannot hold `n` numbers.
    pub fn try_randperm(n: usize, options: impl Into<TensorOptions<B>>) -> Result<Self, TensorError> {
        let options = options.into();
        let dtype = options.dtype::<Int>("randperm")?;
        fits("randperm", &Shape::from([n]), 1, DType::F64)?;
        let (_, highest) = dtype.int_range();
        ensure!(n as f64 - 1.0 <= highest, "randperm", "{dtype} cannot hold the numbers below {n}");
        Ok(Self::from_handle(permutation::<B>(n, dtype, &options.device)))
    }
}

/// Computes a random permutation as the order of a list of 48-bit random numbers: sorted by the lower bits,
/// then stably by the upper ones.
fn permutation<B: Backend>(n: usize, index: DType, device: &B::Device) -> B::Tensor {
    let keys = || B::random(TensorSpec::new([n], DType::F32), Distribution::Default, device);
    let by_lower = B::sort_with_indices(keys(), 0, false, index).1;
    let upper = B::select(keys(), 0, by_lower.clone());
    B::select(by_lower, 0, B::sort_with_indices(upper, 0, false, index).1)
}

#[fallible]
/// # Creation: random numbers, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D, Float> {
    /// Draws from the exponential distribution, `rate e^(-rate x)` for `x >= 0`. PyTorch: `x.exponential_`.
    ///
    /// # Errors
    /// When the shape has another rank than the tensor, or `rate` is not positive and finite.
    pub fn try_random_exponential(
        shape: impl Into<Shape>,
        rate: f64,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        let options = options.into();
        let spec =
            fits("random_exponential", &shape.into(), D, options.dtype::<Float>("random_exponential")?)?;
        ensure!(
            rate > 0.0 && rate.is_finite(),
            "random_exponential",
            "the rate is {rate}, should be positive and finite"
        );
        let drawn = TensorSpec { dtype: precise(spec.dtype), ..spec };
        let x =
            B::binary_scalar(BinaryOp::Div, exponential::<B>(drawn, &options.device), Scalar::Float(rate));
        Ok(Self::from_handle(cast::<B>(x, spec.dtype)))
    }

    /// Draws 1 with the probability given by each element, else 0. PyTorch: `torch.bernoulli`.
    ///
    /// No gradient flows through the choice. The probabilities are read, to refuse what is none.
    ///
    /// # Errors
    /// When an element is not from 0 to 1.
    pub fn try_bernoulli(self) -> Result<Self, TensorError> {
        let (dtype, device) = (self.dtype(), self.device());
        let p = cast::<B>(B::detach(self.into_handle()), precise(dtype));
        let least = B::compare_scalar(CompareOp::GreaterEqual, p.clone(), Scalar::Int(0));
        let most = B::compare_scalar(CompareOp::LessEqual, p.clone(), Scalar::Int(1));
        let valid = every::<B>(B::binary(BinaryOp::And, least, most));
        ensure!(valid, "bernoulli", "a probability in {:?} is not from 0 to 1", p.spec().shape);
        let u = B::random(p.spec().clone(), Distribution::Default, &device);
        Ok(Self::from_handle(B::cast(B::compare(CompareOp::Less, u, p), dtype)))
    }

    /// Draws the indices of `count` categories of the last dimension, whose weights these are.
    ///
    /// Weights need not add up to 1. With `replacement` the draws are independent; without, no category is
    /// drawn twice, and each draw is from what is left. Shapes: `[.., categories]` to `[.., count]`. The
    /// weights are read, to refuse what none can be drawn from. PyTorch: `torch.multinomial`.
    ///
    /// ```
    /// use burn::tensor::{Int, Tensor, backend::Backend, activation::softmax};
    /// /// The next word of each sequence, from the scores of all words.
    /// fn next_word<B: Backend>(scores: Tensor<B, 2>, temperature: f64) -> Tensor<B, 2, Int> {
    ///     softmax(scores / temperature, -1).multinomial(1, true)
    /// }
    /// ```
    ///
    /// # Errors
    /// When a weight is negative, infinite or NaN, a row has no positive weight, or without `replacement`
    /// fewer than `count`.
    pub fn try_multinomial(self, count: usize, replacement: bool) -> Result<Tensor<B, D, Int>, TensorError> {
        let dtype = precise(self.dtype());
        let weights = cast::<B>(B::detach(self.into_handle()), dtype);
        multinomial::<B, D>("multinomial", weights, count, replacement)
    }

    /// Draws the indices of `count` independent categories of the last dimension, with probabilities
    /// `softmax(logits)`.
    ///
    /// Shapes: `[.., categories]` to `[.., count]`. The logits are read, to refuse what none can be drawn
    /// from. PyTorch: `torch.distributions.Categorical(logits=x).sample`.
    ///
    /// # Errors
    /// When a logit is NaN or positive infinity, or all of a row are negative infinity.
    pub fn try_categorical(self, count: usize) -> Result<Tensor<B, D, Int>, TensorError> {
        ensure!(D > 0, "categorical", "needs at least rank 1");
        let dtype = precise(self.dtype());
        let logits = cast::<B>(B::detach(self.into_handle()), dtype);
        let weights = B::softmax(logits, D - 1);
        multinomial::<B, D>("categorical", weights, count, true)
    }
}

/// Probabilities are compared in at least single precision.
fn precise(dtype: DType) -> DType {
    if dtype == DType::F64 { DType::F64 } else { DType::F32 }
}

fn cast<B: Backend>(x: B::Tensor, dtype: DType) -> B::Tensor {
    if x.dtype() == dtype { x } else { B::cast(x, dtype) }
}

/// Returns whether all are true; also true where a thread cannot wait for the device.
pub(crate) fn every<B: Backend>(bools: B::Tensor) -> bool {
    let dims: Dims = (0..bools.spec().shape.rank()).collect();
    match block_on(B::into_data(B::reduce(ReduceOp::All, bools, dims))) {
        Ok(Ok(data)) => data.iter::<bool>().all(|is_true| is_true),
        Ok(Err(_)) | Err(_) => true,
    }
}

/// Draws exponential numbers `-log(1 - u)`, with mean 1.
fn exponential<B: Backend>(spec: TensorSpec, device: &B::Device) -> B::Tensor {
    let u = B::random(spec, Distribution::Default, device);
    B::unary(UnaryOp::Neg, B::unary(UnaryOp::Log1p, B::unary(UnaryOp::Neg, u)))
}

#[track_caller]
fn multinomial<B: Backend, const D: usize>(
    operation: &'static str,
    weights: B::Tensor,
    count: usize,
    replacement: bool,
) -> Result<Tensor<B, D, Int>, TensorError> {
    ensure!(D > 0, operation, "needs at least rank 1");
    let (last, shape) = (D - 1, weights.spec().shape.clone());
    let index = Int::dtype::<B>();
    let categories = shape[last];
    ensure!(categories > 0, operation, "there are no categories in {shape:?}");
    fits(operation, &shape.with(last, count), D, DType::F64)?;
    let above = B::compare_scalar(CompareOp::GreaterEqual, weights.clone(), Scalar::Int(0));
    let below = B::compare_scalar(CompareOp::Less, weights.clone(), Scalar::Float(f64::INFINITY));
    let valid = every::<B>(B::binary(BinaryOp::And, above, below));
    ensure!(valid, operation, "a weight in {shape:?} is negative, infinite or NaN");
    let positive = B::compare_scalar(CompareOp::Greater, weights.clone(), Scalar::Int(0));
    let found = counted::<B>(positive, last);
    let needed = if replacement { 1 } else { count };
    let enough = every::<B>(B::compare_scalar(CompareOp::GreaterEqual, found, Scalar::from(needed)));
    ensure!(
        enough,
        operation,
        "a row of {shape:?} has fewer than {needed} positive weights to draw {count} from"
    );
    let drawn = match (replacement, count <= FEW) {
        (false, _) => race::<B>(weights, count),
        (true, is_few) => {
            let largest = B::reduce(ReduceOp::Max, weights.clone(), Dims::from([last]));
            let sums = B::cumulative(CumulativeOp::Sum, B::binary(BinaryOp::Div, weights, largest), last);
            inverse::<B>(sums, count, is_few)
        }
    };
    Ok(Tensor::from_handle(cast::<B>(drawn, index)))
}

/// Counts the true elements along `dim`.
fn counted<B: Backend>(bools: B::Tensor, dim: usize) -> B::Tensor {
    let index = index_type::<B>(&B::device(&bools));
    B::reduce(ReduceOp::Sum, B::cast(bools, index), Dims::from([dim]))
}

/// Draws without replacement: each category gets an exponential arrival time at the rate of its weight, and
/// the first `count` to arrive are drawn.
fn race<B: Backend>(weights: B::Tensor, count: usize) -> B::Tensor {
    let last = weights.spec().shape.rank() - 1;
    let device = B::device(&weights);
    let times = exponential::<B>(weights.spec().clone(), &device);
    // No time is 0, where even weights of 0 would arrive.
    let times = B::clamp(times, Some(Scalar::Float(1e-30)), None);
    B::topk(B::binary(BinaryOp::Div, weights, times), count, last, true, index_type::<B>(&device)).1
}

/// Draws with replacement by inversion: the index is the number of cumulative sums not above `u` times the
/// last.
fn inverse<B: Backend>(sums: B::Tensor, count: usize, is_few: bool) -> B::Tensor {
    let (spec, device) = (sums.spec().clone(), B::device(&sums));
    let (last, categories) = (spec.shape.rank() - 1, spec.shape[spec.shape.rank() - 1]);
    let at = |range: core::ops::Range<usize>, shape: &Shape| -> Slices {
        let mut slices: Slices = shape.iter().map(|&size| Slice::from(0..size)).collect();
        slices[last] = Slice::from(range);
        slices
    };
    let total = B::slice(sums.clone(), at(categories - 1..categories, &spec.shape));
    let draws = TensorSpec { shape: spec.shape.with(last, count), dtype: spec.dtype };
    let u = B::random(draws.clone(), Distribution::Default, &device);
    let u = B::binary(BinaryOp::Mul, u, total.clone());
    // Rounding may reach the total: that is the last category with a weight, like everything above the sum
    // before it.
    let highest = counted::<B>(B::compare(CompareOp::Less, sums.clone(), total), last);
    let places = if is_few {
        let split = |x: B::Tensor, sizes: [usize; 2]| {
            let shape = x.spec().shape[..last].iter().copied().chain(sizes).collect();
            B::reshape(x, shape)
        };
        let reached = B::compare(CompareOp::LessEqual, split(sums, [1, categories]), split(u, [count, 1]));
        B::reshape(counted::<B>(reached, last + 1), draws.shape.clone())
    } else {
        // In one order, sums before equal draws, each draw is after the sums that it has reached.
        let index = index_type::<B>(&device);
        let both = B::cat(vec![sums, u], last);
        let shape = both.spec().shape.clone();
        let (_, order) = B::sort_with_indices(both, last, false, index);
        let is_sum = B::compare_scalar(CompareOp::Less, order.clone(), Scalar::from(categories));
        let reached = B::cumulative(CumulativeOp::Sum, B::cast(is_sum, index), last);
        let zeros = B::full(TensorSpec { shape: shape.clone(), dtype: index }, Scalar::Int(0), &device);
        let reached = B::scatter(zeros, last, order, reached, IndexUpdate::Add);
        B::slice(reached, at(categories..categories + count, &shape))
    };
    B::binary(BinaryOp::Min, places, highest)
}

use crate::TensorError;
use crate::check::ensure;
use crate::create::fits;
use crate::number::written;
use crate::{Numeric, Tensor};
use alloc::vec::Vec;
use burn_backend::{Backend, Scalar, Slice, Slices, TensorSpec};
use burn_derive::fallible;

/// Values of the elements that padding adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PadMode {
    /// One value. PyTorch: `mode='constant'`.
    Constant(Scalar),
    /// Reflection of the tensor at its edge, which is not repeated: `c b | a b c | b a`. PyTorch:
    /// `mode='reflect'`.
    Reflect,
    /// The edge, repeated: `a a | a b c | c c`. PyTorch: `mode='replicate'`.
    Edge,
    /// Periodic continuation of the tensor: `b c | a b c | a b`. PyTorch: `mode='circular'`.
    Circular,
}

impl<S: crate::Number> From<S> for PadMode {
    fn from(value: S) -> Self {
        PadMode::Constant(value.into())
    }
}

/// Numbers of elements to add before and after dimensions; the last pair is that of the last dimension.
pub trait PadArgs {
    fn pairs(self) -> Vec<(usize, usize)>;
}

/// `(left, right, top, bottom)` of the last two dimensions.
impl PadArgs for (usize, usize, usize, usize) {
    fn pairs(self) -> Vec<(usize, usize)> {
        let (left, right, top, bottom) = self;
        [(top, bottom), (left, right)].into()
    }
}

/// `(before, after)` of the last `N` dimensions.
impl<const N: usize> PadArgs for [(usize, usize); N] {
    fn pairs(self) -> Vec<(usize, usize)> {
        self.into()
    }
}

/// `(before, after)` of the last dimensions, as many as there are pairs.
impl PadArgs for Vec<(usize, usize)> {
    fn pairs(self) -> Vec<(usize, usize)> {
        self
    }
}

#[fallible]
/// # Padding, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Adds `pads` elements before and after the last dimensions, with the values of `mode`; a number pads
    /// with that constant. PyTorch: `torch.nn.functional.pad`.
    ///
    /// ```
    /// use burn::tensor::{PadMode, Tensor, backend::Backend};
    /// fn framed<B: Backend>(x: Tensor<B, 4>) -> Tensor<B, 4> {
    ///     x.pad((1, 1, 2, 2), 0.0).pad([(0, 1), (1, 0)], PadMode::Edge)
    /// }
    /// ```
    ///
    /// # Errors
    /// When there are more pairs than dimensions, or a dimension has too few elements: reflection needs one
    /// more than it adds at a side, circular padding as many, edge padding one.
    pub fn try_pad(self, pads: impl PadArgs, mode: impl Into<PadMode>) -> Result<Self, TensorError> {
        let (pairs, mode, shape, dtype) = (pads.pairs(), mode.into(), self.shape(), self.dtype());
        let mut padded = shape.clone();
        let count = pairs.len();
        ensure!(count <= D, "pad", "{count} pairs for {shape:?} (rank {D})");
        for (d, &(before, after)) in pairs.iter().enumerate() {
            let (dim, reach) = (D - count + d, before.max(after));
            padded[dim] = padded[dim].saturating_add(before).saturating_add(after);
            let least = match mode {
                PadMode::Constant(_) => 0,
                PadMode::Reflect => reach.saturating_add(1),
                PadMode::Edge => 1,
                PadMode::Circular => reach,
            };
            let fits = reach == 0 || shape[dim] >= least;
            ensure!(fits, "pad", "dimension {dim} of {shape:?} is too small to add {before} and {after}");
        }
        fits("pad", &padded, D, dtype)?;
        Ok(match mode {
            PadMode::Constant(value) => self.pad_constant(&pairs, written("pad", value, dtype)?),
            PadMode::Reflect => self.pad_sides(&pairs, |x, dim, count, front| {
                let size = x.dims()[dim];
                let start = if front { 1 } else { size - 1 - count };
                x.narrow(dim, start, count).flip([dim])
            }),
            PadMode::Edge => self.pad_sides(&pairs, |x, dim, count, front| {
                let last = x.dims()[dim] - 1;
                x.narrow(dim, if front { 0 } else { last }, 1).repeat_dim(dim, count)
            }),
            PadMode::Circular => self.pad_sides(&pairs, |x, dim, count, front| {
                let start = if front { x.dims()[dim] - count } else { 0 };
                x.narrow(dim, start, count)
            }),
        })
    }

    fn pad_constant(self, pairs: &[(usize, usize)], value: Scalar) -> Self {
        let mut spec: TensorSpec = self.spec().clone();
        let first = D - pairs.len();
        let mut slices: Slices = spec.shape.iter().map(|&size| Slice::from(0..size)).collect();
        for (d, &(before, after)) in pairs.iter().enumerate() {
            let size = &mut spec.shape[first + d];
            slices[first + d] = Slice::from(before..before + *size);
            *size += before + after;
        }
        let around = B::full(spec, value, &self.device());
        Self::from_handle(B::slice_assign(around, slices, self.into_handle()))
    }

    fn pad_sides(self, pairs: &[(usize, usize)], side: impl Fn(Self, usize, usize, bool) -> Self) -> Self {
        let mut x = self;
        for (d, &(before, after)) in pairs.iter().enumerate() {
            let dim = D - pairs.len() + d;
            let part = |x: &Self, count, front| (count > 0).then(|| side(x.clone(), dim, count, front));
            let (front, back) = (part(&x, before, true), part(&x, after, false));
            x = Tensor::cat([front, Some(x), back].into_iter().flatten().collect(), dim);
        }
        x
    }
}

use crate::padding::{Padding, Sides, Windows, symmetric};
use crate::spatial::{Sizes, spatial};
use burn_core::tensor::ops::PoolOptions;
use burn_core::tensor::{Backend, PadMode, Tensor, TensorError};

/// Windows of a pooling layer over `N` spatial dimensions.
pub struct Pooling<const N: usize> {
    pub layer: &'static str,
    pub windows: Windows<N>,
    pub ceil_mode: bool,
}

/// The input of a pooling operation.
pub struct Pooled<B: Backend, const D: usize, const N: usize> {
    pub x: Tensor<B, D>,
    pub options: PoolOptions,
    /// The sizes before padding and what was added, where the operation does not pad itself.
    pub padded: Option<([usize; N], Sides<N>)>,
}

impl<const N: usize> Pooling<N> {
    /// Returns windows without dilation.
    pub fn undilated<S: Sizes>(layer: &'static str, kernel_size: S, stride: S, ceil_mode: bool) -> Self {
        let windows = Windows { kernel: kernel_size.array(), stride: stride.array(), dilation: [1; N] };
        Pooling { layer, windows, ceil_mode }
    }

    /// Returns the padding of an input of this shape.
    #[track_caller]
    pub fn sides(&self, dims: &[usize], padding: impl Padding<N>) -> Result<Sides<N>, TensorError> {
        padding.sides(self.layer, spatial(dims), &self.windows)
    }

    /// Pads with `value` where the operation can't: sides that differ, and more than half of the kernel.
    #[track_caller]
    pub fn pooled<B: Backend, const D: usize>(
        &self,
        x: Tensor<B, D>,
        sides: Sides<N>,
        value: f64,
    ) -> Result<Pooled<B, D, N>, TensorError> {
        let Windows { kernel, stride, dilation } = self.windows;
        let both = symmetric(&sides);
        let both = both.filter(|both| both.iter().zip(kernel).all(|(&padding, size)| padding <= size / 2));
        let options = PoolOptions {
            kernel: kernel.into(),
            stride: stride.into(),
            padding: both.unwrap_or([0; N]).into(),
            dilation: dilation.into(),
        };
        if both.is_some() {
            return Ok(Pooled { x, options, padded: None });
        }
        let sizes = spatial(&x.dims());
        let sides = if self.ceil_mode { self.without_empty_windows(sizes, sides) } else { sides };
        Ok(Pooled { x: x.try_pad(sides, PadMode::from(value))?, options, padded: Some((sizes, sides)) })
    }

    /// In ceil mode a window that would begin in the padding at the end is left out; the operation knows that
    /// of padding of its own only.
    fn without_empty_windows(&self, sizes: [usize; N], sides: Sides<N>) -> Sides<N> {
        core::array::from_fn(|d| {
            let ((before, after), stride, extent) =
                (sides[d], self.windows.stride[d], self.windows.extent(d));
            let last = (sizes[d] + before + after).saturating_sub(extent).div_ceil(stride);
            if last == 0 || last * stride < sizes[d] + before {
                return (before, after);
            }
            (before, after.min(((last - 1) * stride + extent).saturating_sub(sizes[d] + before)))
        })
    }
}

//! Pooling over the spatial dimensions of `[batch, channels, ..]`.

use crate::{Dims, Shape};
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Reduction of a pooling window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PoolKind {
    /// The largest element; padding never wins. NaN if any element is NaN.
    Max,
    /// The mean; padding counts as zeros, or not at all.
    Avg { count_include_pad: bool },
}

impl PoolKind {
    /// Every kind.
    pub const ALL: [PoolKind; 3] = [
        PoolKind::Max,
        PoolKind::Avg { count_include_pad: true },
        PoolKind::Avg { count_include_pad: false },
    ];
}

/// Options of pooling windows; one entry for each of up to three spatial dimensions. Padding is at most half
/// of the kernel, and no window covers padding alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PoolOptions {
    pub kernel: Dims,
    pub stride: Dims,
    pub padding: Dims,
    pub dilation: Dims,
}

impl PoolOptions {
    /// Windows that touch: stride equal to the kernel, no padding.
    pub fn new(kernel: Dims) -> Self {
        let spatial = kernel.len();
        PoolOptions {
            stride: kernel.clone(),
            kernel,
            padding: Dims::repeat(0, spatial),
            dilation: Dims::repeat(1, spatial),
        }
    }

    /// Returns the number of windows along a spatial dimension, if at least one fits.
    pub fn output_size(&self, spatial: usize, input: usize) -> Option<usize> {
        let reach =
            self.dilation[spatial].checked_mul(self.kernel[spatial].checked_sub(1)?)?.checked_add(1)?;
        let padded = self.padding[spatial].checked_mul(2)?.checked_add(input)?;
        padded.checked_sub(reach)?.checked_div(self.stride[spatial])?.checked_add(1)
    }
}

/// Arguments of a pooling, with `x: [batch, channels, ..]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct PoolArgs<T> {
    pub kind: PoolKind,
    pub x: T,
    pub options: PoolOptions,
}

/// Arguments of the gradient of a pooling by its input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct PoolGradArgs<T> {
    pub kind: PoolKind,
    /// Gradient of the output.
    pub grad: T,
    /// The input, which [`PoolKind::Max`] reads to find the winners (of equals, the first).
    pub x: Option<T>,
    /// Shape of the input.
    pub target: Shape,
    pub options: PoolOptions,
}

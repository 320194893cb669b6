//! One spatial dimension as planes of one row, so that two and three are all that there is.

use crate::memory::in_order;
use crate::sizes::{sizes, within};
use burn_backend::{PoolOptions, Shape};
use tch::{TchError, Tensor};

/// The options of a pool as LibTorch takes them.
pub struct Windows {
    pub kernel: Vec<i64>,
    pub stride: Vec<i64>,
    pub padding: Vec<i64>,
    pub dilation: Vec<i64>,
    /// Whether there is one spatial dimension, to which another of size 1 was added.
    is_line: bool,
}

impl Windows {
    /// The windows over an input of shape `[batch, channels, ..]`.
    pub fn new(options: &PoolOptions, input: &Shape) -> Self {
        let is_line = options.kernel.len() == 1;
        let list = |own: Vec<i64>, first: i64| if is_line { [vec![first], own].concat() } else { own };
        let within = |list: &[usize]| within(list, &input[2..], &options.padding);
        Windows {
            kernel: list(sizes(&options.kernel), 1),
            stride: list(within(&options.stride), 1),
            padding: list(sizes(&options.padding), 0),
            dilation: list(within(&options.dilation), 1),
            is_line,
        }
    }

    pub fn is_volume(&self) -> bool {
        self.kernel.len() == 3
    }

    /// The elements in order, planes or volumes.
    pub fn opened(&self, x: &Tensor) -> Result<Tensor, TchError> {
        opened(x, self.is_line)
    }

    /// Undoes the added dimension.
    pub fn closed(&self, x: Tensor) -> Result<Tensor, TchError> {
        closed(x, self.is_line)
    }
}

pub fn opened(x: &Tensor, is_line: bool) -> Result<Tensor, TchError> {
    let x = in_order(x)?;
    if is_line { x.f_unsqueeze(2) } else { Ok(x) }
}

pub fn closed(x: Tensor, is_line: bool) -> Result<Tensor, TchError> {
    if is_line { x.f_squeeze_dim(2) } else { Ok(x) }
}

//! One spatial dimension as planes of one row, so that two and three are all that there is.

use crate::layout::sizes;
use crate::memory::in_order;
use burn_backend::PoolOptions;
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
    pub fn new(options: &PoolOptions) -> Self {
        let is_line = options.kernel.len() == 1;
        let list = |list: &[usize], first: i64| {
            let own = sizes(list);
            if is_line { [vec![first], own].concat() } else { own }
        };
        Windows {
            kernel: list(&options.kernel, 1),
            stride: list(&options.stride, 1),
            padding: list(&options.padding, 0),
            dilation: list(&options.dilation, 1),
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

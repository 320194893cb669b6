//! Windows of convolutions and pools, from the attributes that both have.

use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::Expr;

/// Windows over spatial dimensions.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub kernel: Vec<usize>,
    pub strides: Vec<usize>,
    pub dilations: Vec<usize>,
    /// Elements added before and after each spatial dimension.
    pub pads: Vec<(Expr, Expr)>,
}

impl Window {
    /// Reads the window attributes of a node over dimensions of these sizes.
    pub fn read(node: &Node<'_>, sizes: &[Expr], kernel: &[usize]) -> Outcome<Self> {
        let spatial = sizes.len();
        let (strides, dilations) = (node.sizes("strides", spatial, 1)?, node.sizes("dilations", spatial, 1)?);
        require!(strides.iter().chain(&dilations).all(|&value| value > 0), "a stride or a dilation is 0");
        require!(kernel.iter().all(|&size| size > 0), "a size of the kernel is 0");
        let mode = node.text("auto_pad", "NOTSET")?;
        let mut pads = Vec::with_capacity(spatial);
        for d in 0..spatial {
            pads.push(match &mode[..] {
                "NOTSET" | "" => {
                    let given = node.sizes("pads", 2 * spatial, 0)?;
                    (given[d].into(), given[spatial + d].into())
                }
                "VALID" => (Expr::Int(0), Expr::Int(0)),
                "SAME_UPPER" | "SAME_LOWER" => {
                    let reach = dilations[d].saturating_mul(kernel[d] - 1).saturating_add(1);
                    let count = sizes[d].clone().div_ceil(strides[d]);
                    let total = ((count - 1) * strides[d] + reach - sizes[d].clone()).max(0);
                    let (small, large) = (total.clone() / 2, total.clone() - total / 2);
                    if mode == "SAME_UPPER" { (small, large) } else { (large, small) }
                }
                other => fail!(
                    "attribute `auto_pad` must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, found `{other}`"
                ),
            });
        }
        Ok(Window { kernel: kernel.to_vec(), strides, dilations, pads })
    }

    /// Returns the padding of a convolution, if it is known: one size for each dimension, or the sizes before
    /// all of them and then those after them.
    pub fn padding(&self) -> Option<Vec<usize>> {
        let before = self.pads.iter().map(|(before, _)| before.size());
        self.symmetric().or_else(|| before.chain(self.pads.iter().map(|(_, after)| after.size())).collect())
    }

    /// Returns the padding of each dimension, if it is known and symmetric.
    pub fn symmetric(&self) -> Option<Vec<usize>> {
        self.pads.iter().map(|(before, after)| if before == after { before.size() } else { None }).collect()
    }

    /// Returns the number of elements that the dilated kernel spans.
    pub fn reach(&self, d: usize) -> usize {
        self.dilations[d].saturating_mul(self.kernel[d] - 1).saturating_add(1)
    }
}

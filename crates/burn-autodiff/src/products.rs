//! Products that are still to be added to the gradient of a matrix that many calls used, such as the weights
//! of a recurrent network: the sum of some products `x^T g` of a few rows is one product of all their rows.

use alloc::vec::Vec;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::ops::transpose;
use burn_backend::{HasSpec, TypedCalls};

/// Rows from which on a product gains nothing by waiting for others.
const FEW: usize = 64;
/// Rows that are worth a product.
const ENOUGH: usize = 256;

/// Deferred products, as lists of their factors.
#[derive(Debug, Default)]
pub struct Products {
    lhs: Vec<DynamicTensor>,
    grads: Vec<DynamicTensor>,
    rows: usize,
}

/// Returns whether a product may be deferred: two matrices with few rows.
pub fn may_wait(lhs: &DynamicTensor, grad: &DynamicTensor) -> bool {
    let (lhs, grad) = (&lhs.spec().shape, &grad.spec().shape);
    lhs.rank() == 2 && grad.rank() == 2 && (1..FEW).contains(&lhs[0])
}

impl Products {
    /// Lets `lhs^T grad` wait: whether there is now enough to compute.
    pub fn push(&mut self, lhs: DynamicTensor, grad: DynamicTensor) -> bool {
        self.rows += lhs.spec().shape[0];
        self.lhs.push(lhs);
        self.grads.push(grad);
        self.rows >= ENOUGH
    }

    /// Computes the sum of the deferred products, at least one.
    pub fn sum(self) -> DynamicTensor {
        let joined = |mut xs: Vec<DynamicTensor>| match xs.len() {
            1 => xs.remove(0),
            _ => Dynamic::cat(xs, 0),
        };
        Dynamic::matmul(transpose::<Dynamic>(joined(self.lhs)), joined(self.grads))
    }
}

//! The operation of `xtask/new-operation-probe`: several operands, one of them optional, and a result of
//! another shape.
#![cfg(feature = "test-operation")]

use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Arguments of a bilinear map, `y[n, o] = sum over i, j of lhs[n, i] weight[o, i, j] rhs[n, j]`, plus
/// `bias[o]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct BilinearArgs<T> {
    pub lhs: T,
    pub rhs: T,
    pub weight: T,
    pub bias: Option<T>,
}

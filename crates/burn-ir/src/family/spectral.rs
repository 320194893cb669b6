//! Fourier transforms.

use crate::infer::fft;
use crate::infer::require::{Result, one};
use crate::{FftOp, HasSpec, OperationTraits, Outputs, PrecisionClass, TensorSpec};
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Fourier transform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Spectral<T> {
    /// See [`FftOp`].
    Fft { op: FftOp, x: T, dim: usize },
}

impl<T> Spectral<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Spectral::Fft { op, .. } => op.name(),
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        match self {
            Spectral::Fft { .. } => OperationTraits::new(PrecisionClass::Accumulation),
        }
    }
}

impl<T: HasSpec> Spectral<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        match self {
            Spectral::Fft { op, x, dim } => one(fft::fft(*op, x.spec(), *dim)?),
        }
    }
}

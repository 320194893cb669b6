//! Products, factorizations and solutions of matrices.

use crate::infer::require::{Result, one};
use crate::infer::{linalg, matmul};
use crate::{
    DType, Factorization, FusionClass, HasSpec, HeadKind, OperationTraits, Outputs, PrecisionClass,
    TensorSpec, Triangle,
};
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Operation on matrices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Linalg<T> {
    /// Matrix product of the two last dimensions; the others broadcast.
    Matmul { lhs: T, rhs: T },
    /// See [`Factorization`]; of the matrices in the last two dimensions.
    Factorize { op: Factorization, x: T },
    /// `x[rows] = L U` of matrices `[.., m, n]` with the largest pivot of each column: `L` without its
    /// diagonal of ones below `U` in one matrix, and the rows, `[.., m]`, of dtype `index`. NaN where an
    /// element is not finite.
    #[operands(outputs = 2)]
    Lu { x: T, index: DType },
    /// `a^-1 b` of matrices `[.., n, n]` and `[.., n, k]`; the other dimensions broadcast. NaN where `a` is
    /// singular or not finite.
    Solve { a: T, b: T },
    /// [`Linalg::Solve`] of a triangular `a`, whose other part is not read.
    SolveTriangular { a: T, b: T, triangle: Triangle },
    /// See [`BilinearArgs`](crate::BilinearArgs). No decorator names it.
    #[cfg(feature = "test-operation")]
    Bilinear(alloc::boxed::Box<crate::BilinearArgs<T>>),
}

impl<T> Linalg<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Linalg::Matmul { .. } => "matmul",
            Linalg::Factorize { op, .. } => op.name(),
            Linalg::Lu { .. } => "lu",
            Linalg::Solve { .. } => "solve",
            Linalg::SolveTriangular { .. } => "solve_triangular",
            #[cfg(feature = "test-operation")]
            Linalg::Bilinear(_) => "bilinear",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        match self {
            Linalg::Matmul { .. } => {
                OperationTraits::new(PrecisionClass::Product).fusion(FusionClass::Head(HeadKind::Product))
            }
            Linalg::Factorize { .. } | Linalg::Lu { .. } => {
                OperationTraits::new(PrecisionClass::Accumulation)
            }
            Linalg::Solve { .. } | Linalg::SolveTriangular { .. } => {
                OperationTraits::new(PrecisionClass::Accumulation)
            }
            #[cfg(feature = "test-operation")]
            Linalg::Bilinear(_) => OperationTraits::new(PrecisionClass::Product),
        }
    }
}

impl<T: HasSpec> Linalg<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        match self {
            Linalg::Matmul { lhs, rhs } => one(matmul::matmul(lhs.spec(), rhs.spec())?),
            Linalg::Factorize { op, x } => one(linalg::factorize(*op, x.spec())?),
            Linalg::Lu { x, index } => linalg::lu(x.spec(), *index),
            Linalg::Solve { a, b } | Linalg::SolveTriangular { a, b, .. } => {
                one(linalg::solve(a.spec(), b.spec())?)
            }
            #[cfg(feature = "test-operation")]
            Linalg::Bilinear(args) => one(linalg::bilinear(args)?),
        }
    }
}

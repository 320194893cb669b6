use crate::{cholesky, eigh, lu, qr, svd, system};
use burn_backend::{DType, Factorization, Triangle};
use burn_cubecl::{CubeTensor, LinearAlgebra};

/// The kernels of this crate, which the engine of a device is made with.
///
/// ```
/// use burn_cubecl::Gpu;
/// use burn_cubecl_linalg::LinearAlgebraKernels;
/// use cubecl::prelude::Runtime;
///
/// fn engine<R: Runtime>(name: &str, model: &str, device: R::Device) -> Gpu<R> {
///     Gpu::new(name.into(), model, device, &LinearAlgebraKernels)
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearAlgebraKernels;

impl LinearAlgebra for LinearAlgebraKernels {
    fn factorize(&self, op: Factorization, x: &CubeTensor) -> CubeTensor {
        match op {
            Factorization::Cholesky => cholesky::cholesky(x),
            Factorization::Qr => qr::qr(x),
            Factorization::Svd => svd::svd(x),
            Factorization::Eigh => eigh::eigh(x),
        }
    }

    fn lu(&self, x: &CubeTensor, index: DType) -> (CubeTensor, CubeTensor) {
        lu::lu(x, index)
    }

    fn solve(&self, a: CubeTensor, b: CubeTensor) -> CubeTensor {
        system::solve(a, b)
    }

    fn solve_triangular(&self, a: CubeTensor, b: CubeTensor, triangle: Triangle) -> CubeTensor {
        system::solve_triangular(a, b, triangle)
    }
}

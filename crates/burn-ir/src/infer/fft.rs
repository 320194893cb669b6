use super::require::{Result, argument, dim_of, float};
use crate::{FftOp, TensorSpec};
use alloc::format;

pub fn fft(op: FftOp, x: &TensorSpec, dim: usize) -> Result<TensorSpec> {
    let size = float(x)?.shape[dim_of(dim, x)?];
    let last = x.shape.rank() - 1;
    let some = |count: usize| {
        argument(count > 0, || {
            format!("dimension {dim} of {:?} has {count} elements, and a transform needs one", x.shape)
        })
    };
    if op == FftOp::Real {
        some(size)?;
        let shape = x.shape.with(dim, size / 2 + 1).iter().copied().chain([2]).collect();
        return Ok(TensorSpec { shape, dtype: x.dtype });
    }
    argument(dim < last && x.shape[last] == 2, || {
        format!(
            "complex numbers are pairs in a last dimension of size 2, which is not transformed; found {:?} along {dim}",
            x.shape
        )
    })?;
    match op {
        FftOp::Forward | FftOp::Backward | FftOp::Real => {
            some(size)?;
            Ok(x.clone())
        }
        FftOp::Half { n } => {
            some(n)?;
            argument(size == n / 2 + 1, || {
                format!(
                    "half of a spectrum of {n} elements has {}, dimension {dim} of {:?} has {size}",
                    n / 2 + 1,
                    x.shape
                )
            })?;
            let shape = x.shape.with(dim, n)[..last].iter().copied().collect();
            Ok(TensorSpec { shape, dtype: x.dtype })
        }
    }
}

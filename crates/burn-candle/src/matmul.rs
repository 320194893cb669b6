//! Products of matrices.

use crate::element::Number;
use crate::library::Core;
use crate::memory::in_order;
use crate::tensor::CandleTensor;
use crate::unary::is_half;
use crate::{CandleDevice, cast, host};
use burn_backend::{DType, HasSpec, Linalg, Operation, Shape};
use burn_library_backend::Int;
use burn_library_backend::{Kernels, result, with_int};
use candle_core::{Result, Tensor};
use rayon::prelude::*;

#[track_caller]
pub fn matmul(lhs: CandleTensor, rhs: CandleTensor) -> CandleTensor {
    let dtype = lhs.dtype();
    // Candle rounds partial sums of halves on the host.
    if is_half(dtype) && lhs.device() == CandleDevice::Cpu {
        return cast::cast(matmul(cast::cast(lhs, DType::F32), cast::cast(rhs, DType::F32)), dtype);
    }
    let spec = result(&Operation::Linalg(Linalg::Matmul { lhs: &lhs, rhs: &rhs }));
    let shape = spec.shape.clone();
    if dtype.is_int() {
        return Core::own("matmul", [&lhs, &rhs], spec, |[x, y]| {
            let (x, y) = (spread(&x, &shape)?, spread(&y, &shape)?);
            with_int!(dtype, E => ints::<E>(&x, &y, &shape))
        });
    }
    Core::run("matmul", lhs.device(), spec, || {
        let product = floats(lhs.candle(), rhs.candle(), &shape)?;
        product.reshape(&shape[..])
    })
}

/// A matrix for each of the batch of `shape`, as a view.
fn spread(x: &Tensor, shape: &Shape) -> Result<Tensor> {
    let rank = x.rank();
    let (batch, own) = (&shape[..shape.rank() - 2], [x.dim(rank - 2)?, x.dim(rank - 1)?]);
    let whole: Vec<usize> = batch.iter().copied().chain(own).collect();
    if x.dims() == &whole[..] { Ok(x.clone()) } else { x.broadcast_as(&whole[..]) }
}

fn floats(x: &Tensor, y: &Tensor, shape: &Shape) -> Result<Tensor> {
    let batch: usize = shape[..shape.rank() - 2].iter().product();
    let (x, y) = (stacked(x, shape, batch)?, stacked(y, shape, batch)?);
    // One matrix on the right for a whole batch: the batch is more rows. Candle's product does the same, also
    // to rows that are not in order.
    if y.rank() == 2 && x.rank() == 3 {
        let (rows, inner) = (x.dim(0)? * x.dim(1)?, x.dim(2)?);
        let x = in_order(&x)?.reshape((rows, inner))?;
        return x.matmul(&y).or_else(|_| x.matmul(&in_order(&y)?));
    }
    let x = match y.rank() {
        3 if y.stride()[0] == 0 => in_order(&x)?,
        _ => x,
    };
    let x = if x.rank() < y.rank() { x.broadcast_left(y.dim(0)?)? } else { x };
    // Some devices want factors in order, or turned over.
    x.matmul(&y).or_else(|_| in_order(&x)?.matmul(&in_order(&y)?))
}

/// The matrices of an operand in one list, `[batch, rows, cols]`, or the only one as `[rows, cols]`: a view
/// where it can be one.
fn stacked(x: &Tensor, shape: &Shape, batch: usize) -> Result<Tensor> {
    let rank = x.rank();
    let [rows, cols] = [x.dim(rank - 2)?, x.dim(rank - 1)?];
    if x.dims()[..rank - 2].iter().all(|&size| size == 1) {
        return (0..rank - 2).try_fold(x.clone(), |x, _| x.squeeze(0));
    }
    let x = spread(x, shape)?;
    if x.rank() == 3 { Ok(x) } else { in_order(&x)?.reshape((batch, rows, cols)) }
}

/// Integers wrap, so sums of 64 bits hold the low bits of all.
fn ints<E: Int + Number>(x: &Tensor, y: &Tensor, shape: &Shape) -> Result<Tensor> {
    let (rank, inner) = (shape.rank(), x.dim(x.rank() - 1)?);
    let (rows, cols) = (shape[rank - 2], shape[rank - 1]);
    let zero = E::default().store();
    let mut out = vec![zero; shape.num_elements()];
    host::read::<E, _>(x, |xs| {
        host::read::<E, _>(y, |ys| {
            out.par_chunks_mut(cols.max(1)).enumerate().for_each(|(row, out)| {
                let y_start = row / rows.max(1) * inner * cols;
                let mut sums = vec![0_i64; cols];
                for (k, &x) in xs[row * inner..][..inner].iter().enumerate() {
                    let x = E::load(x).wide() as i64;
                    let ys = &ys[y_start + k * cols..][..cols];
                    for (sum, &y) in sums.iter_mut().zip(ys) {
                        *sum = sum.wrapping_add(x.wrapping_mul(E::load(y).wide() as i64));
                    }
                }
                out.iter_mut().zip(sums).for_each(|(out, sum)| *out = E::wrapped(sum.into()).store());
            });
        })
    })??;
    host::make::<E>(out, shape)
}

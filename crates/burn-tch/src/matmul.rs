//! Products of matrices.

use crate::LibTorchDevice;
use crate::dtype::narrowed;
use crate::library::Torch;
use crate::memory::workspace;
use crate::sizes::sizes;
use crate::tensor::TchTensor;
use burn_backend::{HasSpec, Linalg, Operation, Shape, TensorSpec};
use burn_library_backend::{Kernels, Memory, result};

#[track_caller]
pub fn matmul(lhs: TchTensor, rhs: TchTensor) -> TchTensor {
    let spec = result(&Operation::Linalg(Linalg::Matmul { lhs: &lhs, rhs: &rhs }));
    let (dtype, device) = (spec.dtype, lhs.device());
    // There is no product of integers on other devices.
    if dtype.is_int() && device != LibTorchDevice::Cpu {
        return Torch::own("matmul", [&lhs, &rhs], spec, |[x, y]| narrowed(dtype, x.f_matmul(&y)?));
    }
    let shape = spec.shape.clone();
    drop([&lhs, &rhs].map(|x| (repeated(x, &shape), turned(x))));
    Torch::run("matmul", device, spec, || {
        let (x, y) = (lhs.tch(), rhs.tch());
        let rank = shape.rank();
        // One matrix on the right for a whole batch: the batch is more rows.
        let is_lone = rank > 2 && batch(&rhs.spec().shape).iter().all(|&size| size == 1);
        if is_lone && batch(&lhs.spec().shape) == batch(&shape) && x.is_contiguous() {
            let [inner, cols] = [lhs.spec().shape[rank - 1] as i64, shape[rank - 1] as i64];
            let rows: usize = shape[..rank - 1].iter().product();
            let y = batch(&rhs.spec().shape).iter().try_fold(y.shallow_clone(), |y, _| y.f_squeeze_dim(0))?;
            let product = x.f_view([rows as i64, inner])?.f_mm(&y)?;
            debug_assert_eq!(product.size(), [rows as i64, cols]);
            return narrowed(dtype, product.f_view(&sizes(&shape)[..])?);
        }
        narrowed(dtype, x.f_matmul(y)?)
    })
}

/// The dimensions in front of those of the matrices; factors may have fewer of them than their product.
fn batch(shape: &Shape) -> &[usize] {
    &shape[..shape.rank() - 2]
}

/// A matrix whose elements lie neither by rows nor by columns is copied there: asks for that memory.
#[track_caller]
fn turned(x: &TchTensor) -> Option<Memory> {
    let is_plain =
        x.tch().is_contiguous() || x.tch().stride().iter().rev().take(2).any(|&stride| stride == 1);
    (!is_plain).then(|| workspace(x.tch()))
}

/// LibTorch may copy an operand for every matrix of the batch: asks for that memory.
#[track_caller]
fn repeated(x: &TchTensor, shape: &Shape) -> Option<Memory> {
    let own = &x.spec().shape;
    if batch(own) == batch(shape) || batch(own).iter().all(|&size| size == 1) {
        return None;
    }
    let whole: Shape = batch(shape).iter().chain(&own[own.rank() - 2..]).copied().collect();
    Some(Torch::take(&TensorSpec { shape: whole, dtype: x.dtype() }, x.device()))
}

use super::forward::largest;
use super::windows::Windows;
use crate::element::Float;
use crate::library::Core;
use crate::rows::by_row;
use crate::tensor::CandleTensor;
use crate::unary::is_half;
use crate::{cast, create, host};
use burn_backend::{DType, HasSpec, PoolGradArgs, PoolKind, Scalar, Shape, TensorSpec};
use burn_library_backend::{Kernels, with_float};
use candle_core::{Result, Tensor};
use rayon::prelude::*;

pub fn pool_grad(args: PoolGradArgs<CandleTensor>) -> CandleTensor {
    let dtype = args.grad.dtype();
    if is_half(dtype) {
        return cast::cast(pool_grad(args.map(|x| cast::cast(x, DType::F32))), dtype);
    }
    let PoolGradArgs { kind, grad, x, target, options } = args;
    let spec = TensorSpec { shape: target.clone(), dtype };
    if grad.spec().shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), grad.device());
    }
    let windows = Windows::new(&target, &options);
    match (kind, x) {
        (PoolKind::Max, Some(x)) => Core::own(
            "max_pool_grad",
            [&grad, &x],
            spec,
            |[grad, x]| with_float!(dtype, E => to_largest::<E>(&grad, &x, &windows, &target)),
        ),
        (PoolKind::Max, None) => unreachable!("the gradient of a maximum needs the input"),
        (PoolKind::Avg { count_include_pad }, _) => Core::own(
            "avg_pool_grad",
            [&grad],
            spec,
            |[grad]| with_float!(dtype, E => shares::<E>(&grad, &windows, &target, count_include_pad)),
        ),
    }
}

/// Each element of the gradient added to the largest of its window.
fn to_largest<E: Float>(grad: &Tensor, x: &Tensor, windows: &Windows, target: &Shape) -> Result<Tensor> {
    let mut out = vec![E::default().store(); target.num_elements()];
    host::read::<E, _>(x, |xs| {
        host::read::<E, _>(grad, |grads| {
            let planes = xs.par_chunks(windows.inputs).zip(grads.par_chunks(windows.outputs));
            out.par_chunks_mut(windows.inputs).zip(planes).for_each(|(out, (plane, grads))| {
                for (at, &grad) in grads.iter().enumerate() {
                    let place = &mut out[largest::<E>(plane, windows, at)];
                    *place = E::from_sum(E::load(*place).to_sum() + E::load(grad).to_sum()).store();
                }
            });
        })
    })??;
    host::make::<E>(out, target)
}

/// Each element of the gradient in equal parts to its window.
fn shares<E: Float>(
    grad: &Tensor,
    windows: &Windows,
    target: &Shape,
    count_include_pad: bool,
) -> Result<Tensor> {
    let values = by_row::<E, E>(grad, windows.outputs, windows.inputs, |grads, out| {
        for (at, &grad) in grads.iter().enumerate() {
            let divisor = windows.divisor(at, count_include_pad);
            let share = E::from_f64(E::load(grad).to_f64() / divisor as f64).to_sum();
            windows.each(at, |place| {
                out[place] = E::from_sum(E::load(out[place]).to_sum() + share).store();
            });
        }
    })?;
    host::make::<E>(values, target)
}

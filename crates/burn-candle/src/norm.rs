//! Normalisation of rows. Candle's kernel subtracts the square of the mean from the mean of the squares,
//! which cancels.

use crate::element::Float;
use crate::element::Number;
use crate::library::Core;
use crate::rows::by_row;
use crate::tensor::CandleTensor;
use crate::{binary, host};
use burn_backend::{BinaryOp, Element, HasSpec, LayerNormArgs, LayerNormGradArgs};
use burn_library_backend::{Kernels, with_float};

#[track_caller]
pub fn layer_norm(args: LayerNormArgs<CandleTensor>) -> CandleTensor {
    let LayerNormArgs { x, weight, bias, epsilon } = args;
    let (dtype, spec) = (x.dtype(), x.spec().clone());
    let (size, shape) = (spec.shape[spec.shape.rank() - 1], spec.shape.clone());
    if shape.num_elements() == 0 {
        return x;
    }
    let normal = Core::own("layer_norm", [&x], spec, |[x]| {
        with_float!(dtype, E => {
            let values = by_row::<E, E>(&x, size, size, |row, out| {
                let (mean, deviation) = moments::<E>(row, epsilon);
                out.iter_mut().zip(row).for_each(|(out, &x)| {
                    *out = E::from_f64((E::load(x).to_f64() - mean) / deviation).store();
                });
            })?;
            host::make::<E>(values, &shape)
        })
    });
    let scaled = match weight {
        Some(weight) => binary::binary(BinaryOp::Mul, normal, weight),
        None => normal,
    };
    match bias {
        Some(bias) => binary::binary(BinaryOp::Add, scaled, bias),
        None => scaled,
    }
}

/// Mean, and the root of variance and `epsilon`.
fn moments<E: Float>(row: &[E::Stored], epsilon: f64) -> (f64, f64) {
    let number = |&x: &E::Stored| E::load(x).to_f64();
    let count = row.len() as f64;
    let mean = row.iter().map(number).sum::<f64>() / count;
    let variance = row.iter().map(|x| (number(x) - mean) * (number(x) - mean)).sum::<f64>() / count;
    (mean, (variance + epsilon).sqrt())
}

/// `(g - mean(g) - y mean(g y)) / deviation`, where `y` is the input normalised and `g` the gradient times
/// the weight.
#[track_caller]
pub fn layer_norm_grad(args: LayerNormGradArgs<CandleTensor>) -> CandleTensor {
    let LayerNormGradArgs { grad, x, weight, epsilon } = args;
    let (dtype, spec) = (x.dtype(), x.spec().clone());
    let (size, shape) = (spec.shape[spec.shape.rank() - 1], spec.shape.clone());
    if shape.num_elements() == 0 {
        return x;
    }
    let grad = match weight {
        Some(weight) => binary::binary(BinaryOp::Mul, grad, weight),
        None => grad,
    };
    Core::own("layer_norm_grad", [&x, &grad], spec, |[x, grad]| {
        with_float!(dtype, E => {
            // Rows of both, one after the other.
            let rows = candle_core::Tensor::stack(&[&x, &grad], x.rank() - 1)?;
            let values = by_row::<E, E>(&rows, 2 * size, size, |rows, out| {
                let (row, grads) = rows.split_at(size);
                let (mean, deviation) = moments::<E>(row, epsilon);
                let pairs = || row.iter().zip(grads).map(|(&x, &g)| {
                    ((E::load(x).to_f64() - mean) / deviation, E::load(g).to_f64())
                });
                let count = size as f64;
                let level = pairs().map(|(_, g)| g).sum::<f64>() / count;
                let along = pairs().map(|(y, g)| y * g).sum::<f64>() / count;
                out.iter_mut().zip(pairs()).for_each(|(out, (y, g))| {
                    *out = E::from_f64((g - level - y * along) / deviation).store();
                });
            })?;
            host::make::<E>(values, &shape)
        })
    })
}

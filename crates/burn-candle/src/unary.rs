//! Functions of one tensor.

use crate::element::{Float, Number};
use crate::library::Core;
use crate::tensor::CandleTensor;
use crate::{cast, host, in_place, kernel};
use burn_backend::{DType, HasSpec, UnaryOp};
use burn_library_backend::{Int, Kernels, with_float, with_int};
use candle_core::{Result, Tensor};

pub fn unary(op: UnaryOp, x: CandleTensor) -> CandleTensor {
    let (dtype, spec) = (x.dtype(), x.spec().clone());
    if dtype == DType::Bool {
        return Core::own(op.name(), [&x], spec, |[x]| host::map(&x, |x: bool| !x));
    }
    if dtype.is_int() {
        return Core::own(
            op.name(),
            [&x],
            spec,
            |[x]| with_int!(dtype, E => host::map(&x, |x: E| E::wrapped(op.eval_int(x.wide())))),
        );
    }
    if x.is_unique()
        && in_place::suits(x.candle())
        && let Some(function) = in_place::Function::new(op)
    {
        return kernel::in_place(op.name(), x, |x| x.inplace_op1(&function));
    }
    match candle_kernel(op) {
        // Operations that change bits, or round once from the type they compute in, do so for half precision
        // too.
        Some(run) if !is_half(dtype) || matches!(op, UnaryOp::Neg | UnaryOp::Abs) => {
            Core::run(op.name(), x.device(), spec, || run(x.candle()))
        }
        Some(_) => cast::cast(unary(op, cast::cast(x, DType::F32)), dtype),
        None => Core::own(op.name(), [&x], spec, |[x]| with_float!(dtype, E => on_host::<E>(op, &x))),
    }
}

/// Whether sums and functions are computed in `f32`, and rounded at the end.
pub fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// Candle's kernel of the function of floats, where it has one that agrees with the definition. Its `relu`,
/// `sign` and `round` do not: they lose NaN, and round halves away from zero.
fn candle_kernel(op: UnaryOp) -> Option<fn(&Tensor) -> Result<Tensor>> {
    match op {
        UnaryOp::Neg => Some(Tensor::neg),
        UnaryOp::Abs => Some(Tensor::abs),
        UnaryOp::Square => Some(Tensor::sqr),
        UnaryOp::Exp => Some(Tensor::exp),
        UnaryOp::Log => Some(Tensor::log),
        UnaryOp::Sqrt => Some(Tensor::sqrt),
        UnaryOp::Recip => Some(Tensor::recip),
        UnaryOp::Sin => Some(Tensor::sin),
        UnaryOp::Cos => Some(Tensor::cos),
        UnaryOp::Tanh => Some(Tensor::tanh),
        UnaryOp::Erf => Some(Tensor::erf),
        UnaryOp::Gelu => Some(Tensor::gelu_erf),
        UnaryOp::GeluTanh => Some(Tensor::gelu),
        UnaryOp::Silu => Some(Tensor::silu),
        UnaryOp::Floor => Some(Tensor::floor),
        UnaryOp::Ceil => Some(Tensor::ceil),
        UnaryOp::Sign | UnaryOp::ExpM1 | UnaryOp::Log1p | UnaryOp::Tan | UnaryOp::Asin | UnaryOp::Acos => {
            None
        }
        UnaryOp::Atan | UnaryOp::Sinh | UnaryOp::Cosh | UnaryOp::Asinh | UnaryOp::Acosh => None,
        UnaryOp::Atanh | UnaryOp::Sigmoid | UnaryOp::LogSigmoid | UnaryOp::Relu => None,
        UnaryOp::Round | UnaryOp::Trunc | UnaryOp::Not => None,
    }
}

/// The kernel of this crate. What networks use most is not computed by way of `f64`.
fn on_host<E: Float + Number>(op: UnaryOp, x: &Tensor) -> Result<Tensor> {
    if op == UnaryOp::Relu {
        // Zero of both zeros; NaN stays NaN.
        let zero = E::default();
        return host::map(x, |x: E| if x < zero { zero } else { x });
    }
    host::map(x, |x: E| E::from_f64(op.eval_f64(x.to_f64())))
}

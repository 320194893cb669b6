//! Functions of one tensor.

use crate::dtype::{narrow, narrowed};
use crate::library::Torch;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, cast, host, kernel};
use burn_backend::{DType, HasSpec, UnaryOp};
use burn_library_backend::Kernels;
use tch::{TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

pub fn unary(op: UnaryOp, x: TchTensor) -> TchTensor {
    let (dtype, spec, device) = (x.dtype(), x.spec().clone(), x.device());
    if dtype == DType::U64 && matches!(op, UnaryOp::Abs | UnaryOp::Relu) {
        return x;
    }
    if device == LibTorchDevice::Cpu
        && let Some(function) = corrected(op, dtype)
    {
        return function(x);
    }
    let x = match kernel::in_place(op.name(), x, |x| written(op, dtype, x)) {
        Ok(result) => return result,
        Err(x) => x,
    };
    Torch::run(op.name(), device, spec, || narrowed(dtype, function(op, dtype, x.tch())?))
}

fn function(op: UnaryOp, dtype: DType, x: &Tensor) -> Result<Tensor> {
    match op {
        UnaryOp::Neg => x.f_neg(),
        UnaryOp::Abs => x.f_abs(),
        // NaN has the sign 0 in LibTorch, and a `u64` is stored as the `i64` of its bits.
        UnaryOp::Sign if dtype.is_float() => x.f_sign()?.f_where_self(&x.f_eq_tensor(x)?, x),
        UnaryOp::Sign if dtype == DType::U64 => x.f_ne(0)?.f_to_kind(x.f_kind()?),
        UnaryOp::Sign => x.f_sign(),
        UnaryOp::Square => x.f_mul(x),
        UnaryOp::Exp => x.f_exp(),
        UnaryOp::ExpM1 => x.f_expm1(),
        UnaryOp::Log => x.f_log(),
        UnaryOp::Log1p => x.f_log1p(),
        UnaryOp::Sqrt => x.f_sqrt(),
        UnaryOp::Recip => x.f_reciprocal(),
        UnaryOp::Sin => x.f_sin(),
        UnaryOp::Cos => x.f_cos(),
        UnaryOp::Tan => x.f_tan(),
        UnaryOp::Asin => x.f_asin(),
        UnaryOp::Acos => x.f_acos(),
        UnaryOp::Atan => x.f_atan(),
        UnaryOp::Sinh => x.f_sinh(),
        UnaryOp::Cosh => x.f_cosh(),
        UnaryOp::Tanh => x.f_tanh(),
        UnaryOp::Asinh => x.f_asinh(),
        UnaryOp::Acosh => x.f_acosh(),
        UnaryOp::Atanh => x.f_atanh(),
        UnaryOp::Erf => x.f_erf(),
        UnaryOp::Sigmoid => x.f_sigmoid(),
        UnaryOp::LogSigmoid => x.f_log_sigmoid(),
        UnaryOp::Relu => x.f_relu(),
        UnaryOp::Gelu => x.f_gelu("none"),
        UnaryOp::GeluTanh => x.f_gelu("tanh"),
        UnaryOp::Silu => x.f_silu(),
        UnaryOp::Floor => x.f_floor(),
        UnaryOp::Ceil => x.f_ceil(),
        UnaryOp::Round => x.f_round(),
        UnaryOp::Trunc => x.f_trunc(),
        UnaryOp::Not if dtype == DType::Bool => x.f_logical_not(),
        UnaryOp::Not => x.f_bitwise_not(),
    }
}

/// The same, written over `x`.
fn written(op: UnaryOp, dtype: DType, x: &mut Tensor) -> Result<()> {
    let result = match op {
        UnaryOp::Neg => x.f_neg_(),
        UnaryOp::Abs => x.f_abs_(),
        UnaryOp::Square => x.f_mul_(&x.shallow_clone()),
        UnaryOp::Exp => x.f_exp_(),
        UnaryOp::ExpM1 => x.f_expm1_(),
        UnaryOp::Log => x.f_log_(),
        UnaryOp::Log1p => x.f_log1p_(),
        UnaryOp::Sqrt => x.f_sqrt_(),
        UnaryOp::Recip => x.f_reciprocal_(),
        UnaryOp::Sin => x.f_sin_(),
        UnaryOp::Cos => x.f_cos_(),
        UnaryOp::Tan => x.f_tan_(),
        UnaryOp::Asin => x.f_asin_(),
        UnaryOp::Acos => x.f_acos_(),
        UnaryOp::Atan => x.f_atan_(),
        UnaryOp::Sinh => x.f_sinh_(),
        UnaryOp::Cosh => x.f_cosh_(),
        UnaryOp::Tanh => x.f_tanh_(),
        UnaryOp::Asinh => x.f_asinh_(),
        UnaryOp::Acosh => x.f_acosh_(),
        UnaryOp::Atanh => x.f_atanh_(),
        UnaryOp::Erf => x.f_erf_(),
        UnaryOp::Sigmoid => x.f_sigmoid_(),
        UnaryOp::Relu => x.f_relu_(),
        UnaryOp::Gelu => x.f_gelu_("none"),
        UnaryOp::GeluTanh => x.f_gelu_("tanh"),
        UnaryOp::Silu => x.f_silu_(),
        UnaryOp::Floor => x.f_floor_(),
        UnaryOp::Ceil => x.f_ceil_(),
        UnaryOp::Round => x.f_round_(),
        UnaryOp::Trunc => x.f_trunc_(),
        UnaryOp::Not if dtype == DType::Bool => x.f_logical_not_(),
        UnaryOp::Not => x.f_bitwise_not_(),
        UnaryOp::Sign | UnaryOp::LogSigmoid => {
            let result = function(op, dtype, x)?;
            return x.f_copy_(&result);
        }
    };
    drop(result?);
    narrow(dtype, x)
}

/// The replacement of a function whose kernel on the processor is not within the tolerance.
fn corrected(op: UnaryOp, dtype: DType) -> Option<fn(TchTensor) -> TchTensor> {
    match (op, dtype) {
        // MKL's may be wrong in the last bit, where IEEE 754 rounds.
        (UnaryOp::Sqrt, DType::F32) => Some(sqrt),
        // Denormal results are 0.
        (UnaryOp::Erf, DType::BF16) => {
            Some(|x| cast::cast(unary(UnaryOp::Erf, cast::cast(x, DType::F32)), DType::BF16))
        }
        _ => None,
    }
}

fn sqrt(x: TchTensor) -> TchTensor {
    let spec = x.spec().clone();
    match kernel::own_in_place("sqrt", x, |x| host::map_in_place::<f32>(x, f32::sqrt)) {
        Ok(result) => result,
        Err(x) => Torch::own("sqrt", [&x], spec, |[x]| host::map::<f32, f32>(&x, f32::sqrt)),
    }
}

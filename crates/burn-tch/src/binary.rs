//! Functions of two tensors, which broadcast, and of a tensor and a number.

use crate::dtype::{narrow, narrowed};
use crate::element::scalar;
use crate::library::Torch;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, create, dispatcher, host, kernel};
use burn_backend::{BinaryOp, DType, Element, Elementwise, HasSpec, Operation, Scalar, Shape, TensorSpec};
use burn_library_backend::{Int, Kernels, result, with_float, with_int};
use tch::{TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

#[track_caller]
pub fn binary(op: BinaryOp, lhs: TchTensor, rhs: TchTensor) -> TchTensor {
    let is_same = lhs.spec() == rhs.spec();
    let spec = if is_same {
        lhs.spec().clone()
    } else {
        result(&Operation::Elementwise(Elementwise::Binary { op, lhs: &lhs, rhs: &rhs }))
    };
    let (dtype, device) = (spec.dtype, lhs.device());
    if is_on_host(op, dtype, device) {
        let shape = spec.shape.clone();
        return Torch::own(op.name(), [&lhs, &rhs], spec, |[x, y]| on_host(op, dtype, &x, &y, &shape));
    }
    let (lhs, rhs) = match written_over(op, lhs, rhs, (!is_same).then_some(&spec.shape)) {
        Ok(result) => return result,
        Err(operands) => operands,
    };
    let is_plain = dtype.is_float() && device == LibTorchDevice::Cpu;
    Torch::run(op.name(), device, spec, || narrowed(dtype, function(op, is_plain, lhs.tch(), rhs.tch())?))
}

/// Runs the kernel; `is_plain` where the operands are floats on the processor.
fn function(op: BinaryOp, is_plain: bool, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    match op {
        BinaryOp::Add if is_plain => dispatcher::add(x, y),
        BinaryOp::Mul if is_plain => dispatcher::mul(x, y),
        BinaryOp::Add => x.f_add(y),
        BinaryOp::Sub => x.f_sub(y),
        BinaryOp::Mul => x.f_mul(y),
        BinaryOp::Div => x.f_div(y),
        BinaryOp::Remainder => x.f_remainder_tensor(y),
        BinaryOp::Fmod => x.f_fmod_tensor(y),
        BinaryOp::Pow => x.f_pow(y),
        BinaryOp::Atan2 => x.f_atan2(y),
        BinaryOp::Hypot => x.f_hypot(y),
        BinaryOp::Max => x.f_maximum(y),
        BinaryOp::Min => x.f_minimum(y),
        BinaryOp::And => x.f_bitwise_and_tensor(y),
        BinaryOp::Or => x.f_bitwise_or_tensor(y),
        BinaryOp::Xor => x.f_bitwise_xor_tensor(y),
        BinaryOp::ShiftLeft => x.f_bitwise_left_shift(y),
        BinaryOp::ShiftRight => x.f_bitwise_right_shift(y),
        BinaryOp::ReluGrad => x.f_threshold_backward(y, 0),
    }
}

/// The same, written to `out`, which may be an operand.
fn written(op: BinaryOp, out: &Tensor, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    match op {
        BinaryOp::Add => x.f_add_out(out, y),
        BinaryOp::Sub => x.f_sub_out(out, y),
        BinaryOp::Mul => x.f_mul_out(out, y),
        BinaryOp::Div => x.f_div_out(out, y),
        BinaryOp::Remainder => x.f_remainder_tensor_out(out, y),
        BinaryOp::Fmod => x.f_fmod_tensor_out(out, y),
        BinaryOp::Pow => x.f_pow_tensor_tensor_out(out, y),
        BinaryOp::Atan2 => x.f_atan2_out(out, y),
        BinaryOp::Hypot => x.f_hypot_out(out, y),
        BinaryOp::Max => x.f_maximum_out(out, y),
        BinaryOp::Min => x.f_minimum_out(out, y),
        BinaryOp::And => x.f_bitwise_and_tensor_out(out, y),
        BinaryOp::Or => x.f_bitwise_or_tensor_out(out, y),
        BinaryOp::Xor => x.f_bitwise_xor_tensor_out(out, y),
        BinaryOp::ShiftLeft => x.f_bitwise_left_shift_tensor_out(out, y),
        BinaryOp::ShiftRight => x.f_bitwise_right_shift_tensor_out(out, y),
        BinaryOp::ReluGrad => x.f_threshold_backward_grad_input(out, y, 0),
    }
}

/// The result in the buffer of an operand that nothing else holds, if there is one with its shape: `shape`,
/// or that of both.
///
/// # Errors
/// Gives the operands back.
fn written_over(
    op: BinaryOp,
    lhs: TchTensor,
    rhs: TchTensor,
    shape: Option<&Shape>,
) -> std::result::Result<TchTensor, (TchTensor, TchTensor)> {
    let dtype = lhs.dtype();
    let fits = |x: &TchTensor| shape.is_none_or(|shape| x.spec().shape == *shape);
    let (mut lhs, mut rhs) = (lhs, rhs);
    if fits(&lhs) {
        lhs = match kernel::in_place(op.name(), lhs, |x| {
            drop(written(op, x, x, rhs.tch())?);
            narrow(dtype, x)
        }) {
            Ok(result) => return Ok(result),
            Err(lhs) => lhs,
        };
    }
    if fits(&rhs) {
        rhs = match kernel::in_place(op.name(), rhs, |y| {
            drop(written(op, y, lhs.tch(), y)?);
            narrow(dtype, y)
        }) {
            Ok(result) => return Ok(result),
            Err(rhs) => rhs,
        };
    }
    Err((lhs, rhs))
}

/// Whether LibTorch's kernel differs from the definition: integers by zero are an exception there, the
/// smallest integer by -1 ends the process, and the bits of a `u64` are stored as those of an `i64`.
fn is_on_host(op: BinaryOp, dtype: DType, device: LibTorchDevice) -> bool {
    match op {
        BinaryOp::Div => dtype.is_int(),
        // Large quotients give NaN on the processor.
        BinaryOp::Remainder | BinaryOp::Fmod => dtype.is_int() || device == LibTorchDevice::Cpu,
        BinaryOp::Pow | BinaryOp::Max | BinaryOp::Min | BinaryOp::ShiftRight => dtype == DType::U64,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Atan2 | BinaryOp::Hypot => false,
        BinaryOp::ReluGrad => false,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::ShiftLeft => false,
    }
}

fn on_host(op: BinaryOp, dtype: DType, x: &Tensor, y: &Tensor, shape: &Shape) -> Result<Tensor> {
    if dtype.is_float() {
        return with_float!(dtype, E => host::zip(x, y, shape, |x: E, y: E| {
            E::from_f64(op.eval_f64(x.to_f64(), y.to_f64()))
        }));
    }
    with_int!(dtype, E => host::zip(x, y, shape, |x: E, y: E| E::wrapped(op.eval_int(x.wide(), y.wide()))))
}

/// The number is one of the element type of the tensor.
#[track_caller]
pub fn binary_scalar(op: BinaryOp, lhs: TchTensor, rhs: Scalar) -> TchTensor {
    let (dtype, device, spec) = (lhs.dtype(), lhs.device(), lhs.spec().clone());
    if !has_scalar_kernel(op, dtype, device, rhs) {
        let rhs = create::full(TensorSpec::new(Shape::new([]), dtype), rhs, device);
        return binary(op, lhs, rhs);
    }
    let number = || scalar(rhs, dtype);
    let lhs = match kernel::in_place(op.name(), lhs, |x| {
        drop(number_written(op, dtype, x, number())?);
        narrow(dtype, x)
    }) {
        Ok(result) => return result,
        Err(lhs) => lhs,
    };
    Torch::run(op.name(), device, spec, || narrowed(dtype, with_number(op, dtype, lhs.tch(), number())?))
}

/// Runs the kernel with a number.
fn with_number(op: BinaryOp, dtype: DType, x: &Tensor, number: tch::Scalar) -> Result<Tensor> {
    match op {
        BinaryOp::Add => x.f_add_scalar(number),
        BinaryOp::Sub => x.f_sub_scalar(number),
        BinaryOp::Mul => x.f_mul_scalar(number),
        BinaryOp::Div if dtype.is_int() => x.f_div_scalar_mode(number, "trunc"),
        BinaryOp::Div => x.f_div_scalar(number),
        BinaryOp::Remainder => x.f_remainder(number),
        BinaryOp::Fmod => x.f_fmod(number),
        BinaryOp::Pow => x.f_pow_tensor_scalar(number),
        BinaryOp::Max => x.f_clamp_min(number),
        BinaryOp::Min => x.f_clamp_max(number),
        BinaryOp::And => x.f_bitwise_and(number),
        BinaryOp::Or => x.f_bitwise_or(number),
        BinaryOp::Xor => x.f_bitwise_xor(number),
        BinaryOp::Atan2
        | BinaryOp::Hypot
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::ReluGrad => {
            unreachable!("they have no kernel with a number")
        }
    }
}

/// Runs the kernel with a number on the buffer of `x`.
fn number_written(op: BinaryOp, dtype: DType, x: &mut Tensor, number: tch::Scalar) -> Result<Tensor> {
    match op {
        BinaryOp::Add => x.f_add_scalar_(number),
        BinaryOp::Sub => x.f_sub_scalar_(number),
        BinaryOp::Mul => x.f_mul_scalar_(number),
        BinaryOp::Div if dtype.is_int() => x.f_div_scalar_mode_(number, "trunc"),
        BinaryOp::Div => x.f_div_scalar_(number),
        BinaryOp::Remainder => x.f_remainder_(number),
        BinaryOp::Fmod => x.f_fmod_(number),
        BinaryOp::Pow => x.f_pow_(number),
        BinaryOp::Max => x.f_clamp_min_(number),
        BinaryOp::Min => x.f_clamp_max_(number),
        BinaryOp::And => x.f_bitwise_and_(number),
        BinaryOp::Or => x.f_bitwise_or_(number),
        BinaryOp::Xor => x.f_bitwise_xor_(number),
        BinaryOp::Atan2
        | BinaryOp::Hypot
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::ReluGrad => {
            unreachable!("they have no kernel with a number")
        }
    }
}

/// Whether LibTorch's kernel with a number agrees with that of two tensors.
fn has_scalar_kernel(op: BinaryOp, dtype: DType, device: LibTorchDevice, rhs: Scalar) -> bool {
    let number: f64 = if dtype.is_float() { rhs.to_f64() } else { rhs.elem::<i64>() as f64 };
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => true,
        // GPUs multiply by the reciprocal of a number, which is rounded.
        BinaryOp::Div if dtype.is_float() => device == LibTorchDevice::Cpu,
        BinaryOp::Div | BinaryOp::Remainder | BinaryOp::Fmod if dtype.is_int() => {
            dtype != DType::U64 && !(-1.0..=0.0).contains(&number)
        }
        BinaryOp::Pow => dtype.is_float() && number != 0.5 && number != -0.5,
        // A bound that is NaN is no bound there.
        BinaryOp::Max | BinaryOp::Min => dtype != DType::U64 && !number.is_nan(),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => dtype.is_int(),
        BinaryOp::Div | BinaryOp::Remainder | BinaryOp::Fmod => false,
        BinaryOp::Atan2
        | BinaryOp::Hypot
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::ReluGrad => false,
    }
}

/// Bounds by LibTorch's kernel; NaN stays, and where they cross the upper one counts.
#[track_caller]
pub fn clamp(x: TchTensor, min: Option<Scalar>, max: Option<Scalar>) -> TchTensor {
    let x = match min {
        Some(min) => binary_scalar(BinaryOp::Max, x, min),
        None => x,
    };
    match max {
        Some(max) => binary_scalar(BinaryOp::Min, x, max),
        None => x,
    }
}

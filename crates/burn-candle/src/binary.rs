//! Functions of two tensors, which broadcast.

use crate::element::Number;
use crate::library::Core;
use crate::tensor::CandleTensor;
use crate::{host, in_place, kernel};
use burn_backend::{BinaryOp, DType, Elementwise, HasSpec, Operation, Shape};
use burn_library_backend::{Int, Kernels, result, with_float, with_int};
use candle_core::{Result, Tensor};

/// Dimensions that candle walks several tensors along.
const MOST_DIMS: usize = 8;

/// A view of the shape that operands broadcast to.
pub fn broadcast(x: &Tensor, shape: &Shape) -> Result<Tensor> {
    if x.dims() == &shape[..] { Ok(x.clone()) } else { x.broadcast_as(&shape[..]) }
}

/// Applies `f` element by element to operands that broadcast to `shape`. Operands of more dimensions than
/// candle walks along are flattened first.
pub fn together<const N: usize>(
    xs: [&Tensor; N],
    shape: &Shape,
    f: impl FnOnce([Tensor; N]) -> Result<Tensor>,
) -> Result<Tensor> {
    let mut views = Vec::with_capacity(N);
    for x in xs {
        let view = broadcast(x, shape)?;
        views.push(if shape.rank() > MOST_DIMS { view.contiguous()?.flatten_all()? } else { view });
    }
    let Ok(views) = <[Tensor; N]>::try_from(views) else { unreachable!("as many views as operands") };
    let result = f(views)?;
    if shape.rank() > MOST_DIMS { result.reshape(&shape[..]) } else { Ok(result) }
}

#[track_caller]
pub fn binary(op: BinaryOp, lhs: CandleTensor, rhs: CandleTensor) -> CandleTensor {
    let is_same = lhs.spec() == rhs.spec();
    let spec = if is_same {
        lhs.spec().clone()
    } else {
        result(&Operation::Elementwise(Elementwise::Binary { op, lhs: &lhs, rhs: &rhs }))
    };
    let dtype = spec.dtype;
    // Candle's sum of `bf16` loses denormal numbers.
    let is_exact = dtype.is_float() && (op, dtype) != (BinaryOp::Add, DType::BF16);
    if let Some(run) = candle_kernel(op).filter(|_| is_exact) {
        let (lhs, rhs) = match written_over(op, lhs, rhs, &spec.shape) {
            Ok(result) => return result,
            Err(operands) => operands,
        };
        if is_same && spec.shape.rank() <= MOST_DIMS {
            return Core::run(op.name(), lhs.device(), spec, || run(lhs.candle(), rhs.candle()));
        }
        let shape = spec.shape.clone();
        return Core::run(op.name(), lhs.device(), spec, || {
            together([lhs.candle(), rhs.candle()], &shape, |[x, y]| run(&x, &y))
        });
    }
    let shape = spec.shape.clone();
    Core::own(op.name(), [&lhs, &rhs], spec, |[x, y]| {
        together([&x, &y], &shape, |[x, y]| match dtype {
            DType::Bool => bools(op, &x, &y),
            DType::F64 | DType::F32 | DType::F16 | DType::BF16 => {
                with_float!(dtype, E => floats::<E>(op, &x, &y))
            }
            DType::I64 | DType::I32 | DType::I16 | DType::I8 => with_int!(dtype, E => ints::<E>(op, &x, &y)),
            DType::U64 | DType::U32 | DType::U16 | DType::U8 => with_int!(dtype, E => ints::<E>(op, &x, &y)),
        })
    })
}

/// The result in the buffer of an operand that nothing else holds, if there is one with its shape.
///
/// # Errors
/// Gives the operands back.
fn written_over(
    op: BinaryOp,
    lhs: CandleTensor,
    rhs: CandleTensor,
    shape: &Shape,
) -> std::result::Result<CandleTensor, (CandleTensor, CandleTensor)> {
    let fits = |x: &CandleTensor, other: &CandleTensor| {
        let other = (x.spec().shape == *shape && x.is_unique() && in_place::suits(x.candle()))
            .then(|| broadcast(other.candle(), shape).ok())
            .flatten();
        other.filter(in_place::Pair::suits)
    };
    if let Some(other) = fits(&lhs, &rhs) {
        let pair = in_place::Pair { op, is_right: false };
        return Ok(kernel::in_place(op.name(), lhs, |x| x.inplace_op2(&other, &pair)));
    }
    if let Some(other) = fits(&rhs, &lhs) {
        let pair = in_place::Pair { op, is_right: true };
        return Ok(kernel::in_place(op.name(), rhs, |x| x.inplace_op2(&other, &pair)));
    }
    Err((lhs, rhs))
}

/// Candle's kernel of the function of floats, where it has one that agrees with the definition. Its `maximum`
/// and `minimum` lose NaN, and its integers do not wrap around in every build.
fn candle_kernel(op: BinaryOp) -> Option<fn(&Tensor, &Tensor) -> Result<Tensor>> {
    match op {
        BinaryOp::Add => Some(Tensor::add),
        BinaryOp::Sub => Some(Tensor::sub),
        BinaryOp::Mul => Some(Tensor::mul),
        BinaryOp::Div => Some(Tensor::div),
        BinaryOp::Remainder | BinaryOp::Fmod | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Hypot => None,
        BinaryOp::Max | BinaryOp::Min | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => None,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ReluGrad => None,
    }
}

fn floats<E: Number>(op: BinaryOp, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    // A number that is not equal to itself is NaN.
    #[allow(clippy::eq_op, reason = "NaN")]
    #[allow(clippy::wildcard_enum_match_arm, reason = "the definition has all operations")]
    match op {
        BinaryOp::Max => host::zip(x, y, |x: E, y: E| if x > y || x != x { x } else { y }),
        BinaryOp::Min => host::zip(x, y, |x: E, y: E| if x < y || x != x { x } else { y }),
        BinaryOp::ReluGrad => {
            let zero = E::from_f64(0.0);
            host::zip(x, y, |x: E, y: E| if x <= zero { zero } else { y })
        }
        op => host::zip(x, y, |x: E, y: E| E::from_f64(op.eval_f64(x.to_f64(), y.to_f64()))),
    }
}

fn ints<E: Int + Number>(op: BinaryOp, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    // Arithmetic that wraps around needs no wider integers; indices are computed often.
    let low = |x: E| x.wide() as i64;
    let wrapped = |x: i64| E::wrapped(x.into());
    #[allow(clippy::wildcard_enum_match_arm, reason = "the definition has all operations")]
    match op {
        BinaryOp::Add => host::zip(x, y, |x: E, y: E| wrapped(low(x).wrapping_add(low(y)))),
        BinaryOp::Sub => host::zip(x, y, |x: E, y: E| wrapped(low(x).wrapping_sub(low(y)))),
        BinaryOp::Mul => host::zip(x, y, |x: E, y: E| wrapped(low(x).wrapping_mul(low(y)))),
        // Beyond the width of a narrow type the definition is that of 64 bits, of which the low ones stay.
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => host::zip(x, y, |x: E, y: E| {
            let (y, width) = (y.wide(), 8 * E::DTYPE.size() as i128);
            let beyond = !(0..width).contains(&y);
            E::wrapped(op.eval_int(x.wide(), if beyond { -1 } else { y }))
        }),
        op => host::zip(x, y, |x: E, y: E| E::wrapped(op.eval_int(x.wide(), y.wide()))),
    }
}

fn bools(op: BinaryOp, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let number = |x: bool| f64::from(u8::from(x));
    host::zip(x, y, |x: bool, y: bool| op.eval_f64(number(x), number(y)) != 0.0)
}

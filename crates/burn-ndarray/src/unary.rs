use crate::dtype::{self, Kernel};
use crate::math::{Float, double};
use crate::simd::{Run, dispatch, map};
use crate::strided::{self, Source};
use crate::tensor::NdTensor;
use burn_backend::{DType, HasSpec, UnaryOp};

/// Elements that are tested together for functions that know only some arguments.
const PART: usize = 4096;

pub fn unary(op: UnaryOp, x: NdTensor) -> NdTensor {
    let dtype = x.spec().dtype;
    elementwise(x, cost(op), &|run| kernel(op, dtype, run))
}

pub fn kernel(op: UnaryOp, dtype: DType, run: &Run<1>) {
    if dtype == DType::Bool {
        return map(run, |x: u8| x ^ 1);
    }
    dtype::run(dtype, op, run);
}

/// Runs a kernel that keeps the type, in place if nobody else sees `x`.
pub fn elementwise(mut x: NdTensor, cost: usize, kernel: &(dyn Fn(&Run<1>) + Sync)) -> NdTensor {
    if x.is_writable() {
        strided::run(&mut x, [Source::Out], cost, kernel);
        return x;
    }
    let mut out = NdTensor::new(x.spec().clone());
    strided::run(&mut out, [Source::Tensor(&x)], cost, kernel);
    out
}

/// Time of one element, in additions.
pub fn cost(op: UnaryOp) -> usize {
    use UnaryOp::*;
    match op {
        Neg | Abs | Sign | Square | Relu | Floor | Ceil | Round | Trunc | Not => 1,
        Sqrt | Recip => 2,
        Exp | ExpM1 | Log | Log1p | Sin | Cos | Tanh | Erf | Sigmoid | LogSigmoid | Gelu | Silu => 8,
        Tan | Asin | Acos | Atan | Sinh | Cosh | Asinh | Acosh | Atanh => 50,
    }
}

/// Functions are named, not wrapped in closures: only what is marked to be inlined is sure to be.
#[inline(always)]
fn float<E: Float, const FMA: bool>(op: UnaryOp, run: &Run<1>) {
    match op {
        UnaryOp::Neg => map(run, |x: E| -x),
        UnaryOp::Abs => map(run, E::abs),
        UnaryOp::Sign => map(run, |x: E| {
            let sign = if x > E::ZERO { E::ONE } else { x };
            if x < E::ZERO { -E::ONE } else { sign }
        }),
        UnaryOp::Square => map(run, |x: E| x * x),
        UnaryOp::Exp => map(run, E::exp::<FMA>),
        UnaryOp::ExpM1 => map(run, E::exp_m1::<FMA>),
        UnaryOp::Log => map(run, E::log::<FMA>),
        UnaryOp::Log1p => map(run, E::log1p::<FMA>),
        UnaryOp::Sqrt => map(run, E::sqrt),
        UnaryOp::Recip => map(run, |x: E| E::ONE / x),
        UnaryOp::Sin => sin_cos::<E, FMA>(run, 0),
        UnaryOp::Cos => sin_cos::<E, FMA>(run, 1),
        UnaryOp::Tanh => map(run, E::tanh::<FMA>),
        UnaryOp::Erf => map(run, E::erf::<FMA>),
        UnaryOp::Sigmoid => map(run, E::sigmoid::<FMA>),
        UnaryOp::LogSigmoid => map(run, E::log_sigmoid::<FMA>),
        UnaryOp::Relu => map(run, |x: E| if x < E::ZERO { E::ZERO } else { x }),
        UnaryOp::Gelu => map(run, E::gelu::<FMA>),
        UnaryOp::Silu => map(run, E::silu::<FMA>),
        UnaryOp::Floor => map(run, E::floor),
        UnaryOp::Ceil => map(run, E::ceil),
        UnaryOp::Round => map(run, E::round),
        UnaryOp::Trunc => map(run, E::trunc),
        UnaryOp::Tan => via_f64::<E>(run, double::tan),
        UnaryOp::Asin => via_f64::<E>(run, double::asin),
        UnaryOp::Acos => via_f64::<E>(run, double::acos),
        UnaryOp::Atan => via_f64::<E>(run, double::atan),
        UnaryOp::Sinh => via_f64::<E>(run, double::sinh),
        UnaryOp::Cosh => via_f64::<E>(run, double::cosh),
        // Those of the standard library overflow far out.
        UnaryOp::Asinh => via_f64::<E>(run, libm::asinh),
        UnaryOp::Acosh => via_f64::<E>(run, libm::acosh),
        UnaryOp::Atanh => via_f64::<E>(run, libm::atanh),
        UnaryOp::Not => unreachable!("{} of floats", op.name()),
    }
}

#[inline(always)]
fn sin_cos<E: Float, const FMA: bool>(run: &Run<1>, quadrant: i32) {
    for start in (0..run.len()).step_by(PART) {
        let part = run.part(start, PART.min(run.len() - start));
        if part.all(0, |x: E| x.is_reducible()) {
            map(&part, |x: E| x.sin_cos::<FMA>(quadrant));
        } else {
            via_f64::<E>(&part, if quadrant == 0 { double::sin } else { double::cos });
        }
    }
}

#[inline(never)]
fn via_f64<E: Float>(run: &Run<1>, f: fn(f64) -> f64) {
    map(run, |x: E| E::of(f(x.wide())));
}

macro_rules! int {
    ($body:ident, $ty:ident, $neg:ident, $abs:expr, $sign:expr, $relu:expr) => {
        #[inline(always)]
        fn $body<const FMA: bool>(op: UnaryOp, run: &Run<1>) {
            use UnaryOp::*;
            match op {
                Neg => map(run, |x: $ty| x.$neg()),
                Abs => map(run, $abs),
                Sign => map(run, $sign),
                Square => map(run, |x: $ty| x.wrapping_mul(x)),
                Relu => map(run, $relu),
                Not => map(run, |x: $ty| !x),
                Exp | ExpM1 | Log | Log1p | Sqrt | Recip | Sin | Cos | Tan | Asin | Acos | Atan | Sinh
                | Cosh | Tanh | Asinh | Acosh | Atanh | Erf | Sigmoid | LogSigmoid | Gelu | Silu | Floor
                | Ceil | Round | Trunc => {
                    unreachable!("{} of integers", op.name())
                }
            }
        }
    };
}

int!(signed, i64, wrapping_neg, |x: i64| x.wrapping_abs(), |x: i64| x.signum(), |x: i64| x.max(0));
int!(unsigned, u64, wrapping_neg, |x: u64| x, |x: u64| x.min(1), |x: u64| x);

#[inline(always)]
fn single<const FMA: bool>(op: UnaryOp, run: &Run<1>) {
    float::<f32, FMA>(op, run);
}

#[inline(always)]
fn wide<const FMA: bool>(op: UnaryOp, run: &Run<1>) {
    float::<f64, FMA>(op, run);
}

dispatch! { fn unary_f32(op: UnaryOp, run: &Run<1>) = single }
dispatch! { fn unary_f64(op: UnaryOp, run: &Run<1>) = wide }
dispatch! { fn unary_i64(op: UnaryOp, run: &Run<1>) = signed }
dispatch! { fn unary_u64(op: UnaryOp, run: &Run<1>) = unsigned }

impl Kernel<1> for UnaryOp {
    fn f64(self, run: &Run<1>) {
        unary_f64(self, run);
    }
    fn f32(self, run: &Run<1>) {
        unary_f32(self, run);
    }
    fn i64(self, run: &Run<1>) {
        unary_i64(self, run);
    }
    fn u64(self, run: &Run<1>) {
        unary_u64(self, run);
    }
}

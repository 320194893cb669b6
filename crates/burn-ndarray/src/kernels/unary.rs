use crate::elements::dtype::{self, Kernel};
use crate::elements::strided::{self, StridedOperand};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use crate::kernels::math::erf_table;
use crate::kernels::math::{Float, double};
use crate::left_out::with_feature;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use crate::simd::{Level, level};
use crate::simd::{Run, dispatch, map, walk};
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
    dtype::run(op.name(), dtype, op, run);
}

/// Runs a kernel that keeps the type, in place if nothing else holds `x`.
pub fn elementwise(mut x: NdTensor, cost: usize, kernel: &(dyn Fn(&Run<1>) + Sync)) -> NdTensor {
    if x.is_writable() {
        strided::run(&mut x, [StridedOperand::Out], cost, kernel);
        return x;
    }
    let mut out = NdTensor::new(x.spec().clone());
    strided::run(&mut out, [StridedOperand::Tensor(&x)], cost, kernel);
    out
}

/// Time of one element, in additions.
pub fn cost(op: UnaryOp) -> usize {
    use UnaryOp::*;
    match op {
        Neg | Abs | Sign | Square | Relu | Floor | Ceil | Round | Trunc | Not => 1,
        Sqrt | Recip => 2,
        Exp | ExpM1 | Log | Log1p | Sin | Cos | Tanh | Erf | Sigmoid | LogSigmoid | Gelu | GeluTanh
        | Silu | Tan | Asin | Acos | Atan | Sinh | Cosh => 8,
        Asinh | Acosh | Atanh => 50,
        #[cfg(feature = "test-operation")]
        Cube => 1,
    }
}

#[inline(always)]
fn float<E: Float, const FMA: bool>(op: UnaryOp, run: &Run<1>) {
    macro_rules! each {
        ($x:ident => $result:expr) => {
            walk!(run, E, [0 $x: E], $result)
        };
    }
    match op {
        UnaryOp::Neg => each!(x => -x),
        UnaryOp::Abs => each!(x => x.abs()),
        UnaryOp::Sign => each!(x => {
            // Zero of both zeros, NaN of NaN.
            let sign = if x > E::ZERO { E::ONE } else { x + E::ZERO };
            if x < E::ZERO { -E::ONE } else { sign }
        }),
        UnaryOp::Square => each!(x => x * x),
        #[cfg(feature = "test-operation")]
        UnaryOp::Cube => each!(x => x * x * x),
        UnaryOp::Exp => each!(x => x.exp::<FMA>()),
        UnaryOp::ExpM1 => each!(x => x.exp_m1::<FMA>()),
        UnaryOp::Log => each!(x => x.log::<FMA>()),
        UnaryOp::Log1p => each!(x => x.log1p::<FMA>()),
        UnaryOp::Sqrt => each!(x => x.sqrt()),
        UnaryOp::Recip => each!(x => E::ONE / x),
        UnaryOp::Sin => sin_cos::<E, FMA>(run, 0),
        UnaryOp::Cos => sin_cos::<E, FMA>(run, 1),
        UnaryOp::Tanh => each!(x => x.tanh::<FMA>()),
        UnaryOp::Erf => each!(x => x.erf::<FMA>()),
        UnaryOp::Sigmoid => each!(x => x.sigmoid::<FMA>()),
        UnaryOp::LogSigmoid => each!(x => x.log_sigmoid::<FMA>()),
        UnaryOp::Relu => each!(x => if x < E::ZERO { E::ZERO } else { x }),
        UnaryOp::Gelu => each!(x => x.gelu::<FMA>()),
        UnaryOp::GeluTanh => each!(x => x.gelu_tanh::<FMA>()),
        UnaryOp::Silu => each!(x => x.silu::<FMA>()),
        UnaryOp::Floor => each!(x => x.floor()),
        UnaryOp::Ceil => each!(x => x.ceil()),
        UnaryOp::Round => each!(x => x.round()),
        UnaryOp::Trunc => each!(x => x.trunc()),
        UnaryOp::Tan => {
            for part in run.parts(PART) {
                if part.all(0, |x: E| x.is_reducible()) {
                    walk!(&part, E, [0 x: E], x.tan::<FMA>());
                } else {
                    let large = |x: E| E::of(double::tan(x.wide()));
                    walk!(&part, E, [0 x: E], if x.is_reducible() { x.tan::<FMA>() } else { large(x) });
                }
            }
        }
        UnaryOp::Asin => each!(x => x.asin::<FMA>()),
        UnaryOp::Acos => each!(x => x.acos::<FMA>()),
        UnaryOp::Atan => each!(x => x.atan::<FMA>()),
        UnaryOp::Sinh => each!(x => x.sinh::<FMA>()),
        UnaryOp::Cosh => each!(x => x.cosh::<FMA>()),
        // Those of the standard library overflow far out.
        UnaryOp::Asinh => via_f64::<E>(run, libm::asinh),
        UnaryOp::Acosh => via_f64::<E>(run, |x| UnaryOp::Acosh.eval_f64(x)),
        UnaryOp::Atanh => via_f64::<E>(run, libm::atanh),
        UnaryOp::Not => unreachable!("{} of floats", op.name()),
    }
}

#[inline(always)]
fn sin_cos<E: Float, const FMA: bool>(run: &Run<1>, quadrant: i32) {
    for part in run.parts(PART) {
        if part.all(0, |x: E| x.is_reducible()) {
            walk!(&part, E, [0 x: E], x.sin_cos::<FMA>(quadrant));
        } else {
            // Only the large ones differ: a result does not depend on its neighbours.
            let large =
                |x: E| E::of(if quadrant == 0 { double::sin(x.wide()) } else { double::cos(x.wide()) });
            walk!(&part, E, [0 x: E], if x.is_reducible() { x.sin_cos::<FMA>(quadrant) } else { large(x) });
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
                | Cosh | Tanh | Asinh | Acosh | Atanh | Erf | Sigmoid | LogSigmoid | Gelu | GeluTanh
                | Silu | Floor | Ceil | Round | Trunc => {
                    unreachable!("{} of integers", op.name())
                }
                #[cfg(feature = "test-operation")]
                Cube => unreachable!("{} of integers", op.name()),
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
dispatch! { narrow fn unary_i64(op: UnaryOp, run: &Run<1>) = signed }
dispatch! { narrow fn unary_u64(op: UnaryOp, run: &Run<1>) = unsigned }

/// The kernel of a function that is looked up in registers of this machine, whose instructions it needs.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[inline]
fn by_table(op: UnaryOp) -> Option<unsafe fn(&Run<1>)> {
    use erf_table::{eight, sixteen};
    if !matches!(op, UnaryOp::Erf | UnaryOp::Gelu) {
        return None;
    }
    match (level(), op == UnaryOp::Gelu) {
        (Level::V4, false) => Some(sixteen::run::<false>),
        (Level::V4, true) => Some(sixteen::run::<true>),
        (Level::V3, false) => Some(eight::run::<false>),
        (Level::V3, true) => Some(eight::run::<true>),
        (Level::Baseline, _) => None,
    }
}

impl Kernel<1> for UnaryOp {
    fn f64(self, run: &Run<1>) {
        with_feature!("dtypes", self.name(), unary_f64(self, run));
    }
    fn f32(self, run: &Run<1>) {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if let Some(kernel) = by_table(self) {
            // SAFETY: the machine has these instructions.
            return unsafe { kernel(run) };
        }
        unary_f32(self, run);
    }
    fn i64(self, run: &Run<1>) {
        unary_i64(self, run);
    }
    fn u64(self, run: &Run<1>) {
        with_feature!("dtypes", self.name(), unary_u64(self, run));
    }
}

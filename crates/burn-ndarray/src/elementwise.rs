use crate::array::{for_each_row, last};
use crate::float::{Float, Number};
use crate::{Array, NdTensor, layout};
use burn_backend::{BinaryOp, CompareOp, Dims, Element, HasSpec, Operation, Scalar, Shape, UnaryOp};

/// Where a unary loop reads and writes; `call` receives the function to apply.
pub trait Loop1<E> {
    fn call(self, f: impl Fn(E) -> E);
}

/// Where a binary loop reads and writes.
pub trait Loop2<E> {
    fn call(self, f: impl Fn(E, E) -> E);
}

/// `out[i] = f(x[i])`; without `x`, in place.
pub struct Chunk<'a, E> {
    pub out: &'a mut [E],
    pub x: Option<&'a [E]>,
}

/// `out[i] = f(x[i], y[i])`; an operand that is absent is `out` itself.
pub struct Chunk2<'a, E> {
    pub out: &'a mut [E],
    pub x: Option<&'a [E]>,
    pub y: Option<&'a [E]>,
}

/// `out[i] = f(x[i], y)`.
pub struct ChunkScalar<'a, E> {
    pub chunk: Chunk<'a, E>,
    pub y: E,
}

impl<E: Copy> Loop1<E> for Chunk<'_, E> {
    #[inline(always)]
    fn call(self, f: impl Fn(E) -> E) {
        match self.x {
            Some(x) => self.out.iter_mut().zip(x).for_each(|(o, &x)| *o = f(x)),
            None => self.out.iter_mut().for_each(|o| *o = f(*o)),
        }
    }
}

impl<E: Copy> Loop2<E> for Chunk2<'_, E> {
    #[inline(always)]
    fn call(self, f: impl Fn(E, E) -> E) {
        let out = self.out.iter_mut();
        match (self.x, self.y) {
            (Some(x), Some(y)) => out.zip(x).zip(y).for_each(|((o, &x), &y)| *o = f(x, y)),
            (None, Some(y)) => out.zip(y).for_each(|(o, &y)| *o = f(*o, y)),
            (Some(x), None) => out.zip(x).for_each(|(o, &x)| *o = f(x, *o)),
            (None, None) => out.for_each(|o| *o = f(*o, *o)),
        }
    }
}

impl<E: Copy> Loop2<E> for ChunkScalar<'_, E> {
    #[inline(always)]
    fn call(self, f: impl Fn(E, E) -> E) {
        let y = self.y;
        self.chunk.call(|x| f(x, y));
    }
}

/// Operands of different shapes, already expanded to the shape of the result.
struct Strided<'a, E> {
    out: &'a mut Vec<E>,
    x: &'a Array<E>,
    y: &'a Array<E>,
}

impl<E: Element> Loop2<E> for Strided<'_, E> {
    fn call(self, f: impl Fn(E, E) -> E) {
        let (shape, xs, ys) = (self.x.shape(), self.x.strides(), self.y.strides());
        let ((row, x_step), (_, y_step)) = (last(shape, &xs), last(shape, &ys));
        let (x, y) = (self.x.buffer(), self.y.buffer());
        for_each_row(shape, [&xs, &ys], [self.x.offset(), self.y.offset()], |[a, b]| {
            self.out.extend((0..row).map(|i| f(x[a + i * x_step], y[b + i * y_step])));
        });
    }
}

pub fn unary_float<E: Float>(op: UnaryOp, run: impl Loop1<E>) {
    let (zero, one) = (E::from_f64(0.0), E::from_f64(1.0));
    match op {
        UnaryOp::Neg => run.call(|x| -x),
        UnaryOp::Abs => run.call(E::abs),
        UnaryOp::Sign => run.call(|x| {
            if x > zero {
                one
            } else if x < zero {
                -one
            } else {
                x
            }
        }),
        UnaryOp::Exp => run.call(E::exp),
        UnaryOp::Log => run.call(E::ln),
        UnaryOp::Sqrt => run.call(E::sqrt),
        UnaryOp::Recip => run.call(|x| one / x),
        UnaryOp::Sin => run.call(E::sin),
        UnaryOp::Cos => run.call(E::cos),
        UnaryOp::Tanh => run.call(E::tanh),
        UnaryOp::Erf => run.call(E::erf),
        UnaryOp::Relu => run.call(|x| x.bigger(zero)),
        UnaryOp::Sigmoid => run.call(|x| one / (one + (-x).exp())),
        UnaryOp::Floor => run.call(E::floor),
        other => run.call(|x| E::from_f64(other.eval_f64(x.to_f64()))),
    }
}

fn unary_int(op: UnaryOp, run: impl Loop1<i64>) {
    match op {
        UnaryOp::Neg => run.call(|x| -x),
        UnaryOp::Abs => run.call(i64::abs),
        UnaryOp::Sign => run.call(i64::signum),
        UnaryOp::Relu => run.call(|x| x.max(0)),
        other => unreachable!("{} of an int tensor", other.name()),
    }
}

pub fn binary_number<E: Number>(op: BinaryOp, run: impl Loop2<E>) {
    match op {
        BinaryOp::Add => run.call(|x, y| x + y),
        BinaryOp::Sub => run.call(|x, y| x - y),
        BinaryOp::Mul => run.call(|x, y| x * y),
        BinaryOp::Div => run.call(|x, y| x / y),
        BinaryOp::Pow => run.call(E::powf),
        BinaryOp::Max => run.call(E::bigger),
        BinaryOp::Min => run.call(E::smaller),
        other => run.call(|x, y| E::from_f64(other.eval_f64(x.to_f64(), y.to_f64()))),
    }
}

/// Gives `body` a loop over `x`: in place if it is unique, into a new buffer otherwise.
fn map<E: Element>(x: Array<E>, body: impl FnOnce(Chunk<'_, E>)) -> Array<E> {
    let mut x = x.into_contiguous();
    if let Some(out) = x.unique() {
        body(Chunk { out, x: None });
        return x;
    }
    let mut out = vec![E::default(); x.shape().num_elements()];
    body(Chunk { out: &mut out, x: x.as_slice() });
    Array::new(x.shape().clone(), out)
}

pub fn unary(op: UnaryOp, x: NdTensor) -> NdTensor {
    use UnaryOp::*;
    if !matches!(op, Neg | Abs | Exp | Log | Sqrt | Recip | Sin | Cos | Tanh | Erf | Relu | Sigmoid | Floor) {
        return crate::plain::run(Operation::Unary { op, x }).one();
    }
    match x {
        NdTensor::F64(x) => map(x, |chunk| unary_float(op, chunk)).into(),
        NdTensor::F32(x) => map(x, |chunk| unary_float(op, chunk)).into(),
        NdTensor::I64(x) => map(x, |chunk| unary_int(op, chunk)).into(),
        NdTensor::Bool(x) => map(x, |chunk| chunk.call(|x| !x)).into(),
    }
}

fn zip<E: Number>(op: BinaryOp, mut x: Array<E>, mut y: Array<E>) -> Array<E> {
    if x.shape() == y.shape() {
        if let (Some(out), Some(y)) = (x.unique(), y.as_slice()) {
            binary_number(op, Chunk2 { out, x: None, y: Some(y) });
            return x;
        }
        if let (Some(x), Some(out)) = (x.as_slice(), y.unique()) {
            binary_number(op, Chunk2 { out, x: Some(x), y: None });
            return y;
        }
        if let (Some(xs), Some(ys)) = (x.as_slice(), y.as_slice()) {
            let mut out = vec![E::default(); xs.len()];
            binary_number(op, Chunk2 { out: &mut out, x: Some(xs), y: Some(ys) });
            return Array::new(x.shape().clone(), out);
        }
    }
    let (x, y) = layout::broadcast(x, y);
    let mut out = Vec::with_capacity(x.shape().num_elements());
    binary_number(op, Strided { out: &mut out, x: &x, y: &y });
    Array::new(x.shape().clone(), out)
}

pub fn binary(op: BinaryOp, lhs: NdTensor, rhs: NdTensor) -> NdTensor {
    use BinaryOp::*;
    if matches!(op, Remainder | Atan2 | And | Or | Xor) {
        return crate::plain::run(Operation::Binary { op, lhs, rhs }).one();
    }
    match lhs {
        NdTensor::F64(x) => zip(op, x, rhs.into_f64()).into(),
        NdTensor::F32(x) => zip(op, x, rhs.into_f32()).into(),
        NdTensor::I64(x) => zip(op, x, rhs.into_i64()).into(),
        NdTensor::Bool(_) => unreachable!("{} of bool tensors", op.name()),
    }
}

pub fn binary_scalar(op: BinaryOp, x: NdTensor, y: Scalar) -> NdTensor {
    use BinaryOp::*;
    if matches!(op, Remainder | Atan2 | And | Or | Xor) {
        return crate::plain::run(Operation::BinaryScalar { op, lhs: x, rhs: y }).one();
    }
    match x {
        NdTensor::F64(x) => map(x, |chunk| binary_number(op, ChunkScalar { chunk, y: y.to_f64() })).into(),
        NdTensor::F32(x) => {
            map(x, |chunk| binary_number(op, ChunkScalar { chunk, y: y.to_f64() as f32 })).into()
        }
        NdTensor::I64(x) => map(x, |chunk| binary_number(op, ChunkScalar { chunk, y: y.elem() })).into(),
        NdTensor::Bool(_) => unreachable!("{} of a bool tensor", op.name()),
    }
}

fn compare_arrays<E: Element + PartialOrd>(op: CompareOp, x: Array<E>, y: Array<E>) -> NdTensor {
    let (x, y) = layout::broadcast(x, y);
    let (x, y) = (x.into_contiguous(), y.into_contiguous());
    let pairs = x.buffer().iter().zip(y.buffer());
    Array::new(x.shape().clone(), pairs.map(|(&x, &y)| op.eval(x, y)).collect()).into()
}

pub fn compare(op: CompareOp, lhs: NdTensor, rhs: NdTensor) -> NdTensor {
    match lhs {
        NdTensor::F64(x) => compare_arrays(op, x, rhs.into_f64()),
        NdTensor::F32(x) => compare_arrays(op, x, rhs.into_f32()),
        NdTensor::I64(x) => compare_arrays(op, x, rhs.into_i64()),
        NdTensor::Bool(x) => compare_arrays(op, x, rhs.into_bool()),
    }
}

pub fn scalar_like(x: &NdTensor, value: Scalar) -> NdTensor {
    let shape = Shape::from(Dims::repeat(1, x.spec().shape.rank()));
    match x {
        NdTensor::F64(_) => Array::full(shape, value.to_f64()).into(),
        NdTensor::F32(_) => Array::full(shape, value.to_f64() as f32).into(),
        NdTensor::I64(_) => Array::full(shape, value.elem::<i64>()).into(),
        NdTensor::Bool(_) => Array::full(shape, value.elem::<bool>()).into(),
    }
}

fn select<E: Element>(mask: Array<bool>, on: Array<E>, off: Array<E>) -> Array<E> {
    let (on, off) = layout::broadcast(on, off);
    let (mask, on) = layout::broadcast(mask, on);
    let (_, off) = layout::broadcast(mask.clone(), off);
    let (mask, on, mut off) = (mask.into_contiguous(), on.into_contiguous(), off.into_contiguous());
    let values = off.make_mut().iter_mut().zip(mask.buffer()).zip(on.buffer());
    values.for_each(|((off, &mask), &on)| *off = if mask { on } else { *off });
    off
}

pub fn mask_where(mask: NdTensor, on: NdTensor, off: NdTensor) -> NdTensor {
    let mask = mask.into_bool();
    match on {
        NdTensor::F64(on) => select(mask, on, off.into_f64()).into(),
        NdTensor::F32(on) => select(mask, on, off.into_f32()).into(),
        NdTensor::I64(on) => select(mask, on, off.into_i64()).into(),
        NdTensor::Bool(on) => select(mask, on, off.into_bool()).into(),
    }
}

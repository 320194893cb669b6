//! Elementwise kernels as candle's custom operations that write over an operand: candle's own make a new
//! buffer for every result. Results have the same bits.

use burn_backend::{BinaryOp, UnaryOp};
use candle_core::{CpuStorage, DType, Error, InplaceOp1, InplaceOp2, Layout, Result, Tensor};
use rayon::prelude::*;

/// Elements that a thread takes.
const SHARE: usize = 1 << 14;

/// Whether the elements of `x` may be written over one after the other, on the host.
pub fn suits(x: &Tensor) -> bool {
    x.elem_count() > 0
        && x.device().is_cpu()
        && x.is_contiguous()
        && matches!(x.dtype(), DType::F32 | DType::F64)
}

/// Writes `f` of every element, shared between threads where there are many.
fn each<T: Send>(all: &mut [T], f: impl Fn(&mut T) + Sync) {
    if all.len() <= SHARE {
        return all.iter_mut().for_each(f);
    }
    all.par_chunks_mut(SHARE).for_each(|part| part.iter_mut().for_each(&f));
}

/// Writes `f` of every pair of elements over the first of it.
fn pairs<T: Copy + Send + Sync>(all: &mut [T], others: &[T], f: impl Fn(T, T) -> T + Sync) {
    let run = |all: &mut [T], others: &[T]| all.iter_mut().zip(others).for_each(|(x, &y)| *x = f(*x, y));
    if all.len() <= SHARE {
        return run(all, others);
    }
    all.par_chunks_mut(SHARE).zip(others.par_chunks(SHARE)).for_each(|(all, others)| run(all, others));
}

fn part<'a, T>(all: &'a mut [T], layout: &Layout) -> Result<&'a mut [T]> {
    let (start, end) = layout.contiguous_offsets().ok_or(Error::RequiresContiguous { op: "in place" })?;
    Ok(&mut all[start..end])
}

/// A function that has a kernel in place.
pub struct Function(UnaryOp);

impl Function {
    pub fn new(op: UnaryOp) -> Option<Self> {
        use UnaryOp::{Abs, Ceil, Cos, Exp, Floor, Log, Neg, Recip, Relu, Silu, Sin, Sqrt, Square, Tanh};
        let is_here =
            [Neg, Abs, Square, Exp, Log, Sqrt, Recip, Sin, Cos, Tanh, Relu, Silu, Floor, Ceil].contains(&op);
        is_here.then_some(Function(op))
    }
}

macro_rules! functions {
    ($op:expr, $all:expr) => {{
        let all = $all;
        match $op {
            UnaryOp::Neg => each(all, |x| *x = -*x),
            UnaryOp::Abs => each(all, |x| *x = x.abs()),
            UnaryOp::Square => each(all, |x| *x = *x * *x),
            UnaryOp::Exp => each(all, |x| *x = x.exp()),
            UnaryOp::Log => each(all, |x| *x = x.ln()),
            UnaryOp::Sqrt => each(all, |x| *x = x.sqrt()),
            UnaryOp::Recip => each(all, |x| *x = x.recip()),
            UnaryOp::Sin => each(all, |x| *x = x.sin()),
            UnaryOp::Cos => each(all, |x| *x = x.cos()),
            UnaryOp::Tanh => each(all, |x| *x = x.tanh()),
            UnaryOp::Silu => each(all, |x| *x = *x / (1.0 + (-*x).exp())),
            UnaryOp::Floor => each(all, |x| *x = x.floor()),
            UnaryOp::Ceil => each(all, |x| *x = x.ceil()),
            // NaN stays NaN.
            _ => each(all, |x| *x = if *x < 0.0 { 0.0 } else { *x }),
        }
    }};
}

impl InplaceOp1 for Function {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "what is left is `Relu`, and the element types of candle"
    )]
    fn cpu_fwd(&self, storage: &mut CpuStorage, layout: &Layout) -> Result<()> {
        match storage {
            CpuStorage::F32(all) => functions!(self.0, part(all, layout)?),
            CpuStorage::F64(all) => functions!(self.0, part(all, layout)?),
            other => return Err(Error::UnsupportedDTypeForOp(dtype(other), self.0.name())),
        }
        Ok(())
    }
}

/// An operation of two tensors that is written over one of them.
pub struct Pair {
    pub op: BinaryOp,
    /// Whether it is written over the right operand.
    pub is_right: bool,
}

macro_rules! pairs_of {
    ($self:expr, $all:expr, $others:expr, $other_layout:expr) => {{
        let (all, others) = ($all, $others);
        let start = $other_layout.start_offset();
        // One number, which is repeated, or as many as there are here.
        if $other_layout
            .stride()
            .iter()
            .zip($other_layout.dims())
            .all(|(&stride, &size)| stride == 0 || size == 1)
        {
            let y = others[start];
            match ($self.op, $self.is_right) {
                (BinaryOp::Add, _) => each(all, |x| *x += y),
                (BinaryOp::Mul, _) => each(all, |x| *x *= y),
                (BinaryOp::Sub, false) => each(all, |x| *x -= y),
                (BinaryOp::Sub, true) => each(all, |x| *x = y - *x),
                (_, false) => each(all, |x| *x /= y),
                (_, true) => each(all, |x| *x = y / *x),
            }
        } else {
            let others = &others[start..start + all.len()];
            match ($self.op, $self.is_right) {
                (BinaryOp::Add, _) => pairs(all, others, |x, y| x + y),
                (BinaryOp::Mul, _) => pairs(all, others, |x, y| x * y),
                (BinaryOp::Sub, false) => pairs(all, others, |x, y| x - y),
                (BinaryOp::Sub, true) => pairs(all, others, |x, y| y - x),
                (_, false) => pairs(all, others, |x, y| x / y),
                (_, true) => pairs(all, others, |x, y| y / x),
            }
        }
    }};
}

impl Pair {
    /// Whether the other operand, broadcast to the shape of the one that is written, is walked with it.
    pub fn suits(other: &Tensor) -> bool {
        let lone = other.stride().iter().zip(other.dims()).all(|(&stride, &size)| stride == 0 || size == 1);
        other.is_contiguous() || lone
    }
}

impl InplaceOp2 for Pair {
    fn name(&self) -> &'static str {
        self.op.name()
    }

    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "what is left is `Div`, and the element types of candle"
    )]
    fn cpu_fwd(
        &self,
        x: &mut CpuStorage,
        layout: &Layout,
        other: &CpuStorage,
        other_layout: &Layout,
    ) -> Result<()> {
        match (x, other) {
            (CpuStorage::F32(all), CpuStorage::F32(others)) => {
                pairs_of!(self, part(all, layout)?, others, other_layout);
            }
            (CpuStorage::F64(all), CpuStorage::F64(others)) => {
                pairs_of!(self, part(all, layout)?, others, other_layout);
            }
            (x, _) => return Err(Error::UnsupportedDTypeForOp(dtype(x), self.op.name())),
        }
        Ok(())
    }
}

fn dtype(storage: &CpuStorage) -> DType {
    use candle_core::backend::BackendStorage;
    storage.dtype()
}

//! Elementwise `f32` steps each of which reads the result of the one before, as one pass through registers.

use super::chain_kernel::{self, Call, Function, MOST};
use super::cursor::{Area, Cursor};
use super::kernel::Kernel;
use super::step::Step;
use crate::elements::strided::One;
use crate::simd::Operand;
use alloc::vec::Vec;
use burn_backend::{BinaryOp, DType, UnaryOp};

/// Steps of which only the result of the last one is written.
#[derive(Debug)]
pub struct Chain<'a> {
    first: Cursor<'a>,
    links: Vec<Link<'a>>,
    to: Cursor<'a>,
    is_run: bool,
    cost: usize,
}

/// One step of a chain: its function and its other operand.
#[derive(Debug)]
struct Link<'a> {
    function: Function,
    other: Other<'a>,
}

/// The other operand of a step.
#[derive(Debug)]
enum Other<'a> {
    None,
    Number(One),
    Value(Cursor<'a>),
}

impl<'a> Chain<'a> {
    /// The chain of several steps, each with the operand that is the result of the one before. `None` if they
    /// are none.
    pub fn new(steps: &[(Step<'a>, usize)]) -> Option<Self> {
        let [(first, _), .., (last, _)] = steps else { return None };
        let links = steps.iter().map(|(step, flow)| link(step, *flow)).collect::<Option<Vec<_>>>()?;
        let cost = steps.iter().map(|(step, _)| step.kernel.cost()).sum();
        let is_run = steps.iter().all(|(step, _)| step.is_run);
        Some(Chain { first: first.operands[0]?, links, to: last.to, is_run, cost })
    }

    /// Whether a step may be part of a chain in which this operand is the result of the step before.
    pub fn takes(step: &Step<'a>, flow: usize) -> bool {
        chain_kernel::is_available() && link(step, flow).is_some()
    }

    pub fn run(&self, area: Area, scratch: *mut u8) {
        if area.rows == 1 || self.is_run {
            return self.part(area, area, scratch);
        }
        for row in area.row..area.row + area.rows {
            self.part(area, Area { row, rows: 1, ..area }, scratch);
        }
    }

    fn part(&self, area: Area, part: Area, scratch: *mut u8) {
        let operand = |cursor: &Cursor<'_>| {
            let start = cursor.at(area, part, scratch).cast_const();
            Operand { start, repeated: cursor.is_repeated(), width: cursor.width }
        };
        let first = operand(&self.first);
        let mut calls = [Call { function: Function::Neg, other: first }; MOST];
        for (call, link) in calls.iter_mut().zip(&self.links) {
            call.function = link.function;
            match &link.other {
                Other::None => {}
                Other::Number(one) => call.other = one.operand(),
                Other::Value(cursor) => call.other = operand(cursor),
            }
        }
        let out = self.to.at(area, part, scratch);
        // SAFETY: all are elements of the part, as in `Step`; the first step is there.
        unsafe { chain_kernel::run(first, &calls[..self.links.len()], out.cast(), part.len()) };
    }

    /// Time of one element, in additions.
    pub fn cost(&self) -> usize {
        self.cost
    }

    /// Everything that is read or written.
    pub fn cursors(&self) -> impl Iterator<Item = &Cursor<'a>> {
        let others = self.links.iter().filter_map(|link| match &link.other {
            Other::Value(cursor) => Some(cursor),
            Other::None | Other::Number(_) => None,
        });
        [&self.first, &self.to].into_iter().chain(others)
    }
}

/// The function of a step whose operand `flow` is the value.
fn link<'a>(step: &Step<'a>, flow: usize) -> Option<Link<'a>> {
    if step.dtypes != (DType::F32, DType::F32) || step.per_row {
        return None;
    }
    let alone = |function| Some(Link { function, other: Other::None });
    match step.kernel {
        Kernel::Unary(op) => alone(unary(op)?),
        Kernel::Number(op, one) => Some(Link { function: binary(op, 0)?, other: Other::Number(one) }),
        Kernel::Binary(op) => {
            let other = Other::Value(step.operands[1 - flow]?);
            Some(Link { function: binary(op, flow)?, other })
        }
        Kernel::Compare(_)
        | Kernel::CompareNumber(..)
        | Kernel::Clamp(..)
        | Kernel::Where
        | Kernel::Fill(_)
        | Kernel::Cast
        | Kernel::Copy
        | Kernel::Fold(..) => None,
    }
}

fn unary(op: UnaryOp) -> Option<Function> {
    match op {
        UnaryOp::Neg => Some(Function::Neg),
        UnaryOp::Abs => Some(Function::Abs),
        UnaryOp::Square => Some(Function::Square),
        UnaryOp::Sqrt => Some(Function::Sqrt),
        UnaryOp::Recip => Some(Function::Recip),
        UnaryOp::Relu => Some(Function::Relu),
        UnaryOp::Exp => Some(Function::Exp),
        UnaryOp::Erf => Some(Function::Erf),
        UnaryOp::Gelu => Some(Function::Gelu),
        UnaryOp::Sign
        | UnaryOp::ExpM1
        | UnaryOp::Log
        | UnaryOp::Log1p
        | UnaryOp::Sin
        | UnaryOp::Cos
        | UnaryOp::Tan
        | UnaryOp::Asin
        | UnaryOp::Acos
        | UnaryOp::Atan
        | UnaryOp::Sinh
        | UnaryOp::Cosh
        | UnaryOp::Tanh
        | UnaryOp::Asinh
        | UnaryOp::Acosh
        | UnaryOp::Atanh
        | UnaryOp::Sigmoid
        | UnaryOp::LogSigmoid
        | UnaryOp::GeluTanh
        | UnaryOp::Silu
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::Trunc
        | UnaryOp::Not => None,
        #[cfg(feature = "test-operation")]
        UnaryOp::Cube => None,
    }
}

fn binary(op: BinaryOp, flow: usize) -> Option<Function> {
    match (op, flow) {
        (BinaryOp::Add, _) => Some(Function::Add),
        (BinaryOp::Mul, _) => Some(Function::Mul),
        (BinaryOp::Sub, 0) => Some(Function::Sub),
        (BinaryOp::Sub, _) => Some(Function::SubFrom),
        (BinaryOp::Div, 0) => Some(Function::Div),
        (BinaryOp::Div, _) => Some(Function::DivInto),
        (
            BinaryOp::Remainder
            | BinaryOp::Fmod
            | BinaryOp::Pow
            | BinaryOp::Atan2
            | BinaryOp::Hypot
            | BinaryOp::Max
            | BinaryOp::Min
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::ReluGrad,
            _,
        ) => None,
    }
}

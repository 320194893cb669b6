//! Elementwise `f32` steps each of which reads the result of the one before, and perhaps a reduction of rows
//! after them, as one pass through registers.

use super::chain_call::{ChainCall, ChainRows, Function, MOST, RowFold, RowOperand, RowTarget};
use super::chain_kernel;
use super::cursor::{Area, Cursor};
use super::kernel::{Fold, Kernel};
use super::step::{Flow, FusedStep};
use crate::elements::strided::One;
use crate::kernels::reduce;
use crate::simd::{FEW, Operand};
use alloc::vec::Vec;
use burn_backend::{BinaryOp, DType, ReduceOp, UnaryOp};

/// Steps of a short chain.
const SHORT: usize = 4;

/// Steps whose results stay in registers, but for those that are kept, and a fold of the last one.
#[derive(Debug)]
pub struct Chain<'a> {
    first: Cursor<'a>,
    links: Vec<Link<'a>>,
    fold: Option<FoldLink<'a>>,
    /// Whether the steps are made of one element of each row.
    per_row: bool,
    /// Whether several rows are one run.
    is_run: bool,
    /// Whether the rows of each operand are equally far apart.
    is_regular: bool,
    cost: usize,
}

/// A part of an area.
#[derive(Clone, Copy, Debug)]
struct At {
    area: Area,
    part: Area,
    scratch: *mut u8,
}

/// A chain with the addresses of the next tile of a thread.
#[derive(Debug)]
pub struct BoundChain {
    first: RowOperand,
    calls: Vec<ChainCall>,
    fold: Option<RowFold>,
    runs: Runs,
}

/// The runs of a tile that the kernel goes through.
#[derive(Clone, Copy, Debug)]
enum Runs {
    /// Each row, of so many elements.
    Rows(usize),
    /// All rows as one.
    Whole(usize),
    /// The values of all rows.
    RowValues,
}

impl BoundChain {
    /// Computes the next tile, of so many rows.
    pub fn run(&mut self, tile_rows: usize) {
        let (rows, columns) = match self.runs {
            Runs::Rows(columns) => (tile_rows, columns),
            Runs::Whole(columns) => (1, tile_rows * columns),
            Runs::RowValues => (1, tile_rows),
        };
        let BoundChain { first, calls, fold, .. } = self;
        let mut call = ChainRows { first: *first, calls, fold: *fold, rows, columns };
        // SAFETY: all are elements of the tile, as in `FusedStep`.
        unsafe { chain_kernel::run(&mut call) };
        call.end_tile(tile_rows);
        (*first, *fold) = (call.first, call.fold);
    }
}

/// One step of a chain: its function and its other operand.
#[derive(Debug)]
struct Link<'a> {
    function: Function,
    other: Other<'a>,
    /// Memory for the result, where it is read outside of the chain.
    kept: Option<Cursor<'a>>,
}

/// The last step of a chain that reduces rows.
#[derive(Debug)]
struct FoldLink<'a> {
    op: ReduceOp,
    to: Cursor<'a>,
}

/// The other operand of a step.
#[derive(Debug)]
enum Other<'a> {
    None,
    Number(One),
    Value(Cursor<'a>),
}

impl<'a> Chain<'a> {
    /// The chain of these steps, each with the way in which the one before goes on into it. `None` if a stage
    /// for each is as good.
    pub fn new(steps: &[(FusedStep<'a>, Flow)]) -> Option<Self> {
        let (links, fold) = match steps.split_last()? {
            ((FusedStep { kernel: Kernel::Fold(fold), to, .. }, _), links) => {
                (links, Some(FoldLink { op: fold.op, to: *to }))
            }
            _ => (steps, None),
        };
        let (first, _) = steps.first()?;
        let is_run = links.iter().all(|(step, _)| step.is_run);
        let is_single = links.len() == 1 && fold.is_none();
        if !chain_kernel::is_available() || is_single && (is_run || first.per_row) {
            return None;
        }
        let link = |(k, (step, flow)): (usize, &(FusedStep<'a>, Flow))| {
            let link = link(step, flow.operand)?;
            let is_kept = steps.get(k + 1).is_none_or(|(_, flow)| !flow.is_only);
            Some(Link { kept: is_kept.then_some(step.to), ..link })
        };
        let links = links.iter().enumerate().map(link).collect::<Option<Vec<_>>>()?;
        let cost = steps.iter().map(|(step, _)| step.kernel.cost()).sum();
        let per_row = first.per_row;
        let chain =
            Chain { first: first.operands[0]?, links, fold, per_row, is_run, is_regular: false, cost };
        let is_regular = chain.cursors().all(|cursor| cursor.row_step().is_some());
        Some(Chain { is_regular, ..chain })
    }

    /// Whether a step may be part of a chain in which this operand is the result of the step before.
    pub fn takes(step: &FusedStep<'a>, flow: usize) -> bool {
        chain_kernel::is_available() && link(step, flow).is_some()
    }

    /// Whether a fold of rows of `columns` elements may end a chain of these steps, or be one where there are
    /// none.
    pub fn folds(steps: &[(FusedStep<'a>, Flow)], step: &FusedStep<'a>, columns: usize) -> bool {
        let Kernel::Fold(Fold { order, squares, .. }) = step.kernel else { return false };
        let is_piece = (FEW..=order.sequence.min(order.piece)).contains(&columns);
        let of_rows = |(step, flow): &(FusedStep<'a>, Flow)| {
            !step.per_row && link(step, flow.operand).is_some_and(|link| !link.function.is_by_table())
        };
        chain_kernel::is_available()
            && step.dtypes == (DType::F32, DType::F32)
            && is_piece
            && !squares
            && steps.iter().all(of_rows)
    }

    pub fn run(&self, area: Area, scratch: *mut u8) {
        if self.per_row && self.is_run {
            return self.part(area, area, scratch, (1, area.rows));
        }
        if self.per_row || !self.is_regular {
            for row in area.row..area.row + area.rows {
                let columns = if self.per_row { 1 } else { area.columns };
                self.part(area, Area { row, rows: 1, ..area }, scratch, (1, columns));
            }
        } else if self.is_run && self.fold.is_none() {
            self.part(area, area, scratch, (1, area.len()));
        } else {
            self.part(area, area, scratch, (area.rows, area.columns));
        }
    }

    /// Runs a part of an area, as so many rows and columns.
    fn part(&self, area: Area, part: Area, scratch: *mut u8, size: (usize, usize)) {
        // A list of all calls that there may be takes longer to write than a short row.
        match self.links.len() {
            0..=SHORT => self.call::<SHORT>(area, part, scratch, size),
            _ => self.call::<MOST>(area, part, scratch, size),
        }
    }

    /// As [`Chain::part`], of up to `N` steps.
    fn call<const N: usize>(
        &self,
        area: Area,
        part: Area,
        scratch: *mut u8,
        (rows, columns): (usize, usize),
    ) {
        let at = At { area, part, scratch };
        let first = self.operand(&self.first, at);
        let mut calls = [ChainCall { function: Function::Neg, other: first, kept: None }; N];
        for (call, link) in calls.iter_mut().zip(&self.links) {
            *call = self.step(link, first, at);
        }
        let (calls, fold) = (&mut calls[..self.links.len()], self.row_fold(at));
        // SAFETY: all are elements of the part, as in `FusedStep`.
        unsafe { chain_kernel::run(&mut ChainRows { first, calls, fold, rows, columns }) };
    }

    /// The chain at the first tile of those that a thread computes one after the other; `None` if the
    /// addresses of the next tile do not follow from those of one.
    pub fn bind(&self, area: Area, scratch: *mut u8) -> Option<BoundChain> {
        if !self.is_regular || self.per_row && !self.is_run {
            return None;
        }
        let at = At { area, part: area, scratch };
        let by_row = self.is_by_row();
        let first = self.operand(&self.first, at);
        let calls = self.links.iter().map(|link| self.step(link, first, at)).collect();
        let runs = match (self.per_row, by_row) {
            (true, _) => Runs::RowValues,
            (false, true) => Runs::Rows(area.columns),
            (false, false) => Runs::Whole(area.columns),
        };
        Some(BoundChain { first, calls, fold: self.row_fold(at), runs })
    }

    /// Whether the kernel goes from row to row, and does not take a tile as one run.
    fn is_by_row(&self) -> bool {
        !self.per_row && (!self.is_run || self.fold.is_some())
    }

    /// Bytes from row to row within a call, and for each row after a tile.
    fn row_steps(&self, cursor: &Cursor<'_>) -> (usize, usize) {
        let step = cursor.row_step().unwrap_or(0);
        match (self.is_by_row(), cursor.is_scratch()) {
            (true, true) => (step, step.wrapping_neg()),
            (true, false) => (step, 0),
            (false, true) => (0, 0),
            (false, false) => (0, step),
        }
    }

    fn operand(&self, cursor: &Cursor<'_>, At { area, part, scratch }: At) -> RowOperand {
        let start = cursor.at(area, part, scratch).cast_const();
        let repeated = if self.per_row { cursor.is_same_in_rows() } else { cursor.is_repeated() };
        let (row, after) = self.row_steps(cursor);
        RowOperand { operand: Operand { start, repeated, width: cursor.width }, row, after }
    }

    /// A step at some elements; the operand of a function of one is not read.
    fn step(&self, link: &Link<'_>, unread: RowOperand, at: At) -> ChainCall {
        let other = match &link.other {
            Other::None => unread,
            Other::Number(one) => RowOperand { operand: one.operand(), row: 0, after: 0 },
            Other::Value(cursor) => self.operand(cursor, at),
        };
        let kept = link.kept.as_ref().map(|cursor| {
            let (row, after) = self.row_steps(cursor);
            RowTarget { start: cursor.at(at.area, at.part, at.scratch).cast(), row, after }
        });
        ChainCall { function: link.function, other, kept }
    }

    fn row_fold(&self, at: At) -> Option<RowFold> {
        self.fold.as_ref().map(|FoldLink { op, to }| RowFold {
            fold: reduce::Fold::of(*op),
            is_mean: *op == ReduceOp::Mean,
            to: to.at(at.area, at.part, at.scratch).cast(),
            after: if to.is_scratch() { 0 } else { to.width },
        })
    }

    /// Time of one element, in additions.
    pub fn cost(&self) -> usize {
        self.cost
    }

    /// Everything that is read or written.
    pub fn cursors(&self) -> impl Iterator<Item = &Cursor<'a>> {
        let others = self.links.iter().flat_map(|link| {
            let other = match &link.other {
                Other::Value(cursor) => Some(cursor),
                Other::None | Other::Number(_) => None,
            };
            other.into_iter().chain(&link.kept)
        });
        let fold = self.fold.as_ref().map(|fold| &fold.to);
        [&self.first].into_iter().chain(others).chain(fold)
    }
}

/// The function of a step whose operand `flow` is the value.
fn link<'a>(step: &FusedStep<'a>, flow: usize) -> Option<Link<'a>> {
    if step.dtypes != (DType::F32, DType::F32) {
        return None;
    }
    let alone = |function| Some(Link { function, other: Other::None, kept: None });
    match step.kernel {
        Kernel::Unary(op) => alone(unary(op)?),
        Kernel::Number(op, one) => {
            Some(Link { function: binary(op, 0)?, other: Other::Number(one), kept: None })
        }
        Kernel::Binary(op) => {
            let other = Other::Value(step.operands[1 - flow]?);
            Some(Link { function: binary(op, flow)?, other, kept: None })
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

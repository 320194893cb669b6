//! A chain of elementwise steps as its kernel runs it on some rows.
#![cfg_attr(
    not(all(feature = "std", target_arch = "x86_64")),
    expect(dead_code, reason = "the kernel of chains is AVX-512's, which only `std` detects")
)]

use crate::kernels::reduce::Fold;
use crate::simd::Operand;

/// Most steps of a chain.
pub const MOST: usize = 16;

/// Function of the value `x`; `y` is the other operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Add,
    /// `x - y`
    Sub,
    /// `y - x`
    SubFrom,
    Mul,
    /// `x / y`
    Div,
    /// `y / x`
    DivInto,
    Neg,
    Abs,
    Square,
    Sqrt,
    Recip,
    Relu,
    Exp,
    Erf,
    Gelu,
}

impl Function {
    /// Whether it reads a table that takes six registers: no chain with a fold has it.
    pub fn is_by_table(self) -> bool {
        matches!(self, Function::Erf | Function::Gelu)
    }
}

/// One step: functions of one operand do not read the other one.
#[derive(Clone, Copy, Debug)]
pub struct ChainCall {
    pub function: Function,
    pub other: RowOperand,
    /// Memory for the result of the step, where the next step is not all that reads it.
    pub kept: Option<RowTarget>,
}

/// Operand of a step on the first row, and the bytes from row to row.
#[derive(Clone, Copy, Debug)]
pub struct RowOperand {
    pub operand: Operand,
    pub row: usize,
    /// Bytes for each row by which it moves after a tile, beside those from row to row.
    pub after: usize,
}

/// Memory for the first row of a result, and the bytes from row to row.
#[derive(Clone, Copy, Debug)]
pub struct RowTarget {
    pub start: *mut f32,
    pub row: usize,
    /// As of [`RowOperand`].
    pub after: usize,
}

/// Reduction of the last value along each row.
#[derive(Clone, Copy, Debug)]
pub struct RowFold {
    pub fold: Fold,
    pub is_mean: bool,
    /// The result of the first row; those of the others follow.
    pub to: *mut f32,
    /// As of [`RowOperand`].
    pub after: usize,
}

/// Steps on `rows` rows of `columns` elements. With a fold, a row has at least [`crate::simd::FEW`] elements,
/// and no function [is by table](Function::is_by_table).
#[derive(Debug)]
pub struct ChainRows<'a> {
    pub first: RowOperand,
    pub calls: &'a mut [ChainCall],
    pub fold: Option<RowFold>,
    pub rows: usize,
    pub columns: usize,
}

impl ChainRows<'_> {
    /// Goes on to the next tile, after one of so many rows.
    pub fn end_tile(&mut self, rows: usize) {
        let moved = |operand: &mut RowOperand| {
            operand.operand.start = operand.operand.start.wrapping_add(rows.wrapping_mul(operand.after));
        };
        moved(&mut self.first);
        for call in self.calls.iter_mut() {
            moved(&mut call.other);
            if let Some(kept) = &mut call.kept {
                kept.start = kept.start.wrapping_byte_add(rows.wrapping_mul(kept.after));
            }
        }
        if let Some(fold) = &mut self.fold {
            fold.to = fold.to.wrapping_byte_add(rows.wrapping_mul(fold.after));
        }
    }
}

use super::cursor::{Area, Cursor};
use super::input::Grid;
use super::kernel::{self, Fold, Kernel};
use super::tile_allocation::TileValue;
use crate::kernels::reduce::FlatOrder;
use crate::simd::Operand;
use burn_backend::{BlockStep, DType, ReduceOp, Register, UnaryOp};
use core::ptr;

/// How the result of a step goes on into the next one.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// The operand of the next step.
    pub operand: usize,
    /// Whether nothing else reads it.
    pub is_only: bool,
}

/// A step, planned: where its operands are, and what it does.
#[derive(Clone, Debug)]
pub struct FusedStep<'a> {
    pub kernel: Kernel,
    /// Dtypes of the operands that are no masks, and of the result.
    pub dtypes: (DType, DType),
    pub to: Cursor<'a>,
    pub operands: [Option<Cursor<'a>>; 3],
    /// Whether it is made of one element of each row.
    pub per_row: bool,
    /// Whether several rows are one run.
    pub is_run: bool,
}

impl<'a> FusedStep<'a> {
    pub fn new(
        operation: &BlockStep<Register>,
        (value, to): (TileValue, Cursor<'a>),
        find: impl Fn(Register) -> (TileValue, Cursor<'a>),
        (grid, order): (Grid, FlatOrder),
    ) -> Self {
        let (mut operands, mut count) = ([None; 3], 0);
        operation.visit(|&r| {
            operands[count] = Some(find(r).1);
            count += 1;
        });
        let dtypes = (find(*operation.first_value()).0.dtype, value.dtype);
        let is_fold = operation.as_reduce().is_some();
        let per_row = value.per_row && !is_fold;
        let is_whole = |cursor: &Cursor<'_>| {
            if per_row { cursor.is_run_of_rows() } else { cursor.is_run(grid.columns) }
        };
        // The operand of a reduction has another shape than its result.
        let is_run = operands.iter().flatten().all(is_whole) && (is_fold || is_whole(&to));
        FusedStep {
            kernel: Kernel::new(operation, dtypes.0, dtypes.1, order),
            dtypes,
            to,
            operands,
            per_row,
            is_run,
        }
    }

    pub fn run(&self, area: Area, scratch: *mut u8) {
        if area.rows == 1 || self.is_run {
            return self.part(area, area, scratch);
        }
        for row in area.row..area.row + area.rows {
            self.part(area, Area { row, rows: 1, ..area }, scratch);
        }
    }

    #[inline]
    fn part(&self, area: Area, part: Area, scratch: *mut u8) {
        let mut operands = [Operand { start: ptr::null(), repeated: true, width: 0 }; 3];
        for (operand, cursor) in operands.iter_mut().zip(&self.operands) {
            if let Some(cursor) = cursor {
                let start = cursor.at(area, part, scratch).cast_const();
                let repeated = if self.per_row { cursor.is_same_in_rows() } else { cursor.is_repeated() };
                *operand = Operand { start, repeated, width: cursor.width };
            }
        }
        let out = self.to.at(area, part, scratch);
        if let Kernel::Fold(of) = self.kernel {
            let size = (part.rows, part.columns);
            // SAFETY: what is folded is not repeated along rows, and has all elements of the part.
            return unsafe { kernel::fold(of, self.dtypes.0, operands[0].start, out, size) };
        }
        let len = if self.per_row { part.rows } else { part.len() };
        // SAFETY: values have a buffer for the whole area; a step reads what steps before it have written,
        // and areas of different tiles do not overlap.
        unsafe { self.kernel.run(self.dtypes, out, operands, (len, self.to.width)) };
    }

    pub fn is_fold(&self) -> bool {
        matches!(self.kernel, Kernel::Fold(_))
    }

    pub fn is_square(&self) -> bool {
        matches!(self.kernel, Kernel::Unary(UnaryOp::Square))
    }

    /// This fold of the squares that `squares` computes, without memory for them; `None` if it is no such
    /// sum, or if these are not in rows.
    pub fn of_squares(&self, squares: &Self) -> Option<Self> {
        let (Kernel::Fold(of), Kernel::Unary(UnaryOp::Square)) = (self.kernel, squares.kernel) else {
            return None;
        };
        let is_sum = of.op == ReduceOp::Sum || of.op == ReduceOp::Mean;
        let x = squares.operands[0]?;
        let fits = is_sum && !squares.per_row && !x.is_repeated();
        let kernel = Kernel::Fold(Fold { squares: true, ..of });
        let is_run = self.is_run && squares.is_run;
        fits.then(|| FusedStep { kernel, operands: squares.operands, is_run, ..self.clone() })
    }
}

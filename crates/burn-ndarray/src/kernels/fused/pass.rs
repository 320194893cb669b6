//! All steps of a block, tile after tile.

use super::cursor::{Area, Cursor, Scratch};
use super::input::Grid;
use super::kernel::{self, Kernel};
use super::tile_allocation::{Places, Value};
use crate::kernels::reduce::FlatOrder;
use crate::memory::Buffer;
use crate::simd::{Operand, prefetch};
use crate::threads::parallel::{self, Shared};
use alloc::vec::Vec;
use burn_backend::{BlockStep, DType, Register};
use core::ptr;

/// Bytes of the values of a tile, with what is fetched for the next one: they stay in the first cache.
const CACHED: usize = 24 << 10;
/// Most elements of a tile: with more, memory would rest while steps compute, and the reverse.
const LARGEST: usize = 1024;
/// Bytes of the widest element.
const WIDEST: usize = 8;
/// Bytes that memory hands over at once.
const LINE: usize = 64;
/// How many tiles ahead memory is asked.
const AHEAD: usize = 2;
/// Steps that keep memory busy without being asked to.
const BUSY: usize = 2;

/// A step, planned: where its operands are, and what it does.
#[derive(Debug)]
pub struct Step<'a> {
    kernel: Kernel,
    /// Dtypes of the operands that are no masks, and of the result.
    dtypes: (DType, DType),
    to: Cursor<'a>,
    operands: [Option<Cursor<'a>>; 3],
    /// Whether it is made of one element of each row.
    per_row: bool,
    /// Whether several rows are one run.
    is_run: bool,
}

impl<'a> Step<'a> {
    pub fn new(
        operation: &BlockStep<Register>,
        (value, to): (Value, Cursor<'a>),
        find: impl Fn(Register) -> (Value, Cursor<'a>),
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
        Step {
            kernel: Kernel::new(operation, dtypes.0, dtypes.1, order),
            dtypes,
            to,
            operands,
            per_row,
            is_run,
        }
    }

    fn run(&self, area: Area, scratch: *mut u8) {
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
        if let Kernel::Fold(op, order) = self.kernel {
            // SAFETY: what is folded is not repeated along rows, and has all elements of the part.
            return unsafe {
                let size = (part.rows, part.columns);
                kernel::fold((op, order), self.dtypes.0, operands[0].start, out, size)
            };
        }
        let len = if self.per_row { part.rows } else { part.len() };
        // SAFETY: values have a buffer for the whole area; a step reads what steps before it have written,
        // and areas of different tiles do not overlap.
        unsafe { self.kernel.run(self.dtypes, out, operands, (len, self.to.width)) };
    }
}

/// Order of a pass over the grid.
#[derive(Debug)]
pub struct Pass {
    grid: Grid,
    tile_rows: usize,
    tile_columns: usize,
    /// Bytes of scratch memory.
    bytes: usize,
    pub scratch: Scratch,
}

impl Pass {
    pub fn new(grid: Grid, folded: bool, places: &Places) -> Self {
        let Grid { rows, columns } = grid;
        let width = places.values.iter().map(|value| value.width).max().unwrap_or(WIDEST);
        let elements = (CACHED / (width * (places.tiles + 1))).clamp(256, LARGEST) / 64 * 64;
        let (tile_rows, tile_columns) = if folded {
            ((elements / columns.max(1)).max(1), columns)
        } else if columns >= elements {
            (1, elements)
        } else {
            (elements / columns.max(1), columns)
        };
        let tile_rows = tile_rows.min(rows);
        let scratch = Scratch {
            tiles: places.tiles,
            tile: (tile_rows * tile_columns * width).next_multiple_of(64),
            column: tile_rows * WIDEST,
        };
        let bytes = scratch.tiles * scratch.tile + places.columns * scratch.column;
        Pass { grid, tile_rows, tile_columns, bytes, scratch }
    }

    /// The areas of tiles, from one of them on.
    fn areas(&self, first: usize) -> Areas {
        let across = self.grid.columns.div_ceil(self.tile_columns);
        let (row, column) = (first / across * self.tile_rows, first % across * self.tile_columns);
        Areas { grid: self.grid, rows: self.tile_rows, columns: self.tile_columns, row, column }
    }

    pub fn run(&self, steps: &[Step<'_>]) {
        let Grid { rows, columns } = self.grid;
        if rows * columns == 0 {
            return;
        }
        let tiles = rows.div_ceil(self.tile_rows) * columns.div_ceil(self.tile_columns);
        let cost = steps.iter().map(|step| step.kernel.cost()).sum::<usize>();
        let streams = streams(steps, columns, self.tile_rows * self.tile_columns);
        parallel::for_ranges(tiles, cost * self.tile_rows * self.tile_columns, &|range| {
            let mut scratch = Buffer::new(self.bytes);
            let scratch: &mut [u8] = scratch.as_mut_slice().expect("a new buffer is unique");
            let scratch = scratch.as_mut_ptr();
            let mut later = self.areas(range.start + AHEAD);
            for area in self.areas(range.start).take(range.len()) {
                let ahead = later.next();
                for (k, step) in steps.iter().enumerate() {
                    if let Some(ahead) = ahead {
                        streams.iter().for_each(|stream| stream.fetch(ahead, columns, k));
                    }
                    step.run(area, scratch);
                }
            }
        });
    }
}

/// Tiles, row after row.
#[derive(Clone, Copy, Debug)]
struct Areas {
    grid: Grid,
    /// Rows of a tile.
    rows: usize,
    columns: usize,
    row: usize,
    column: usize,
}

impl Iterator for Areas {
    type Item = Area;

    /// The area of the next tile, which ends where the grid does.
    #[inline]
    fn next(&mut self) -> Option<Area> {
        let Areas { grid, row, column, .. } = *self;
        if row >= grid.rows {
            return None;
        }
        self.column += self.columns;
        if self.column >= grid.columns {
            (self.row, self.column) = (row + self.rows, 0);
        }
        let (rows, columns) = (self.rows.min(grid.rows - row), self.columns.min(grid.columns - column));
        Some(Area { row, rows, column, columns })
    }
}

/// The memory that a pass goes through once, if there are enough steps: one or two keep memory busy
/// themselves.
fn streams(steps: &[Step<'_>], columns: usize, tile: usize) -> Vec<Stream> {
    let mut streams: Vec<Stream> = Vec::new();
    if steps.len() <= BUSY {
        return streams;
    }
    for step in steps {
        for cursor in step.operands.iter().flatten().chain([&step.to]) {
            if let Some(start) = cursor.stream(columns)
                && !streams.iter().any(|known| known.start.get() == start)
            {
                let share = (tile * cursor.width).div_ceil(steps.len()).next_multiple_of(LINE);
                streams.push(Stream { start: Shared(start), width: cursor.width, share });
            }
        }
    }
    streams
}

/// Memory with an element for every position of the grid.
#[derive(Clone, Copy, Debug)]
struct Stream {
    start: Shared<u8>,
    /// Bytes of an element.
    width: usize,
    /// Bytes of a tile, shared among the steps.
    share: usize,
}

impl Stream {
    /// Asks for one share of the memory of an area, so that it comes while a step computes.
    #[inline]
    fn fetch(self, area: Area, columns: usize, share: usize) {
        let end = area.len() * self.width;
        let start = self.start.get().wrapping_add((area.row * columns + area.column) * self.width);
        for at in (share * self.share..end.min((share + 1) * self.share)).step_by(LINE) {
            prefetch(start.wrapping_add(at));
        }
    }
}

//! Where the elements of a value are that belong to a part of the grid.

use super::input::{Grid, Input};
use super::tile_allocation::{TileValue, ValueLocation};
use crate::threads::parallel::Shared;

/// A part of the grid.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    pub row: usize,
    pub rows: usize,
    pub column: usize,
    pub columns: usize,
}

impl Area {
    pub fn len(self) -> usize {
        self.rows * self.columns
    }
}

/// Layout of the memory for the values of one tile: tiles first, then columns of one element per row.
#[derive(Clone, Copy, Debug)]
pub struct Scratch {
    pub tiles: usize,
    /// Bytes of a tile.
    pub tile: usize,
    /// Bytes of a column.
    pub column: usize,
}

/// Cursor of a value: its start and strides. Areas of several rows are as wide as the grid.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    /// Memory of the grid; `None` for what is kept for one tile, at `offset` of its scratch memory.
    memory: Option<Shared<u8>>,
    offset: usize,
    /// Bytes of an element.
    pub width: usize,
    /// Bytes from row to row, and from column to column.
    row: usize,
    column: usize,
    /// The input whose rows are not equally far apart.
    irregular: Option<&'a Input>,
}

impl<'a> Cursor<'a> {
    /// `starts` are those of the inputs.
    pub fn new(
        value: TileValue,
        grid: Grid,
        scratch: Scratch,
        (inputs, starts): (&'a [Input], &[Shared<u8>]),
        results: &[Shared<u8>],
    ) -> Self {
        let width = value.width;
        let (row, column) = if value.per_row { (width, 0) } else { (grid.columns * width, width) };
        let cursor = Cursor { memory: None, offset: 0, width, row, column, irregular: None };
        match value.place {
            ValueLocation::Tile(tile) => Cursor { offset: tile * scratch.tile, ..cursor },
            ValueLocation::Column(column) => {
                Cursor { offset: scratch.tiles * scratch.tile + column * scratch.column, ..cursor }
            }
            ValueLocation::Result(result) => Cursor { memory: Some(results[result]), ..cursor },
            ValueLocation::Input(input) => {
                let memory = Some(starts[input]);
                let input = &inputs[input];
                let (row, irregular) = match input.row_step() {
                    Some(step) => (step.wrapping_mul(width), None),
                    None => (0, Some(input)),
                };
                let column = if input.repeated { 0 } else { width };
                Cursor { memory, row, column, irregular, ..cursor }
            }
        }
    }

    /// Where a part of an area starts.
    #[inline(always)]
    pub fn at(&self, area: Area, part: Area, scratch: *mut u8) -> *mut u8 {
        let (start, row, column) = match self.memory {
            Some(memory) => (memory.get(), part.row, part.column),
            None => (scratch.wrapping_add(self.offset), part.row - area.row, part.column - area.column),
        };
        let row = match self.irregular {
            Some(input) => input.row(row).wrapping_mul(self.width),
            None => row.wrapping_mul(self.row),
        };
        start.wrapping_add(row).wrapping_add(column * self.column)
    }

    /// Whether all elements of several whole rows are one after the other, or the same one.
    pub fn is_run(&self, columns: usize) -> bool {
        self.irregular.is_none() && self.row == columns * self.column
    }

    /// Whether the first elements of rows are one after the other, or the same one.
    pub fn is_run_of_rows(&self) -> bool {
        self.irregular.is_none() && (self.row == 0 || self.row == self.width)
    }

    /// Bytes from row to row, if all rows are equally far apart.
    pub fn row_step(&self) -> Option<usize> {
        self.irregular.is_none().then_some(self.row)
    }

    pub fn is_repeated(&self) -> bool {
        self.column == 0
    }

    /// Whether it is kept for one tile.
    pub fn is_scratch(&self) -> bool {
        self.memory.is_none()
    }

    /// Whether all rows have the same first element.
    pub fn is_same_in_rows(&self) -> bool {
        self.row == 0
    }

    /// Where memory starts that a pass goes through once, from one end to the other.
    pub fn stream(&self, columns: usize) -> Option<*mut u8> {
        let memory = self.memory.filter(|_| self.column > 0 && self.is_run(columns))?;
        Some(memory.get())
    }
}

//! How the units of a cube share a panel: some neighbouring columns of a matrix.

use cubecl::prelude::*;

/// Columns of a panel: its rows of a pivot are in shared memory, and a product of that depth is worth a
/// launch.
pub const WIDTH: usize = 32;

/// The units of a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Crew {
    pub units: u32,
    /// Units beside each other along a row.
    pub across: u32,
}

impl Crew {
    /// For panels of so many rows.
    pub fn of(rows: usize) -> Self {
        if rows <= 32 { Crew { units: 32, across: 8 } } else { Crew { units: 256, across: 32 } }
    }

    /// Rows at a time.
    pub fn down(self) -> u32 {
        self.units / self.across
    }

    pub fn halvings(self) -> u32 {
        self.units.trailing_zeros()
    }
}

/// Location of a panel: a matrix of rows of so many columns from `base` on, and of its columns those from
/// `start` to `end`.
#[derive(CubeType, Clone)]
pub struct Panel {
    pub base: u32,
    pub rows: u32,
    pub cols: u32,
    pub start: u32,
    pub end: u32,
}

/// The place of an element.
#[cube]
pub fn place(panel: &Panel, row: u32, col: u32) -> usize {
    (panel.base + row * panel.cols + col) as usize
}

/// The place of an element of a panel whose matrix is stored by columns.
#[cube]
pub fn place_by_columns(panel: &Panel, row: u32, col: u32) -> usize {
    (panel.base + col * panel.rows + row) as usize
}

/// Makes writes to global memory visible to all units of the cube.
#[cube]
pub fn settle() {
    sync_storage();
    sync_cube();
}

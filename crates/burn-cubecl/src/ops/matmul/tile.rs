use super::matrices::{Matrices, Operand, first_of};
use crate::launch::kernel::UNITS;
use cubecl::prelude::*;

/// Tile sizes of a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Rows and columns of the result.
    pub rows: u32,
    pub cols: u32,
    /// Elements of the inner dimension that are loaded at a time.
    pub depth: u32,
    /// Rows and columns of a unit.
    pub own_rows: u32,
    pub own_cols: u32,
}

impl Tile {
    /// Units along each side of the result: not more than a cube has, together.
    pub const fn units_down(self) -> u32 {
        self.rows / self.own_rows
    }

    pub const fn units_across(self) -> u32 {
        self.cols / self.own_cols
    }

    /// Elements of shared memory.
    pub const fn shared(self) -> u32 {
        self.depth * (self.rows + 1) + self.depth * (self.cols + 1)
    }
}

/// Dimension of each operand along which neighbouring units load: the inner one, or that of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Along {
    pub left_inner: bool,
    pub right_inner: bool,
}

/// The tile of a cube, and what of it is the unit's: every `units_down`th row from `row` on, every
/// `units_across`th column from `col` on.
#[derive(CubeType, Clone)]
pub struct UnitTile {
    pub which: u32,
    /// The first row and column of the tile.
    top: u32,
    side: u32,
    row: u32,
    col: u32,
}

#[cube]
pub fn unit_tile(matrices: &Matrices, #[comptime] tile: Tile) -> UnitTile {
    let tiles_down = (matrices.rows + comptime!(tile.rows - 1)) / comptime!(tile.rows);
    let tiles_across = (matrices.cols + comptime!(tile.cols - 1)) / comptime!(tile.cols);
    let cube = CUBE_POS as u32;
    UnitTile {
        which: cube / (tiles_down * tiles_across),
        top: (cube / tiles_across) % tiles_down * comptime!(tile.rows),
        side: cube % tiles_across * comptime!(tile.cols),
        row: UNIT_POS / comptime!(tile.units_across()),
        col: UNIT_POS % comptime!(tile.units_across()),
    }
}

/// Whether the unit computes something: of a narrow tile there are units only to load it.
#[cube]
pub fn computes(part: &UnitTile, #[comptime] tile: Tile) -> bool {
    comptime!(tile.units_across() * tile.units_down() == UNITS) || part.row < comptime!(tile.units_down())
}

/// The number of the unit's row `at`.
#[cube]
pub fn row_of(part: &UnitTile, #[comptime] at: u32, #[comptime] tile: Tile) -> u32 {
    part.top + part.row + comptime!(at * tile.units_down())
}

/// The number of the unit's column `at`.
#[cube]
pub fn col_of(part: &UnitTile, #[comptime] at: u32, #[comptime] tile: Tile) -> u32 {
    part.side + part.col + comptime!(at * tile.units_across())
}

/// Strip of an operand that a cube reads: from `start` to `end` along the result, and the whole inner
/// dimension.
#[derive(CubeType, Clone)]
struct Strip {
    place: u32,
    start: u32,
    end: u32,
    stride: u32,
    inner_end: u32,
    inner_stride: u32,
}

/// How much of a strip is loaded at a time, and whether neighbours load along the inner dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Load {
    width: u32,
    depth: u32,
    along_inner: bool,
}

impl Load {
    /// Elements that a unit loads.
    fn of_unit(self) -> u32 {
        (self.width * self.depth).div_ceil(UNITS)
    }

    /// Whether all units load as many.
    fn is_even(self) -> bool {
        (self.width * self.depth).is_multiple_of(UNITS)
    }
}

/// The place along the result and along the inner dimension of an element that a unit loads, and whether
/// there is one.
#[cube]
fn loaded(#[comptime] part: u32, #[comptime] how: Load) -> (u32, u32, bool) {
    let k = UNIT_POS + comptime!(part * UNITS);
    let is_there = comptime!(how.is_even()) || k < comptime!(how.width * how.depth);
    if comptime!(how.along_inner) {
        (k / comptime!(how.depth), k % comptime!(how.depth), is_there)
    } else {
        (k % comptime!(how.width), k / comptime!(how.width), is_there)
    }
}

/// Loads a unit's elements of a part of a strip: so many elements of the inner dimension from `inner` on,
/// with zeros where there are no more. All loads are under way before the first value is used.
#[cube]
fn bring<E: Numeric, S: Numeric>(
    from: &Array<E>,
    brought: &mut Array<S>,
    strip: &Strip,
    inner: u32,
    #[comptime] how: Load,
) {
    #[unroll]
    for part in 0..comptime!(how.of_unit()) {
        let (r, d, is_there) = loaded(part, how);
        let mut value = S::from_int(0);
        if is_there && strip.start + r < strip.end && inner + d < strip.inner_end {
            let place = strip.place + (strip.start + r) * strip.stride + (inner + d) * strip.inner_stride;
            value = S::cast_from(from[place as usize]);
        }
        brought[comptime!(part as usize)] = value;
    }
}

/// Stores the elements that were brought. Neighbours in shared memory are neighbours along the result.
#[cube]
fn leave<S: Numeric>(brought: &Array<S>, shared: &mut SharedMemory<S>, #[comptime] how: Load) {
    #[unroll]
    for part in 0..comptime!(how.of_unit()) {
        let (r, d, is_there) = loaded(part, how);
        if is_there {
            // One more than the width, so that neighbours along the inner dimension are in different banks.
            shared[(d * comptime!(how.width + 1) + r) as usize] = brought[comptime!(part as usize)];
        }
    }
}

/// The sums of a unit, row by row: the units of a cube bring a tile of both operands to shared memory, and
/// each computes its part. The order in which an element is added up is that of the inner dimension whatever
/// the tile.
#[cube]
pub fn tiled_sums<E: Numeric, S: Numeric>(
    lhs: &Operand<E>,
    rhs: &Operand<E>,
    matrices: &Matrices,
    part: &UnitTile,
    #[comptime] tile: Tile,
    #[comptime] along: Along,
) -> Array<S> {
    let down = Strip {
        place: first_of(&lhs.view, part.which, matrices),
        start: part.top,
        end: matrices.rows,
        stride: lhs.view.by_row,
        inner_end: matrices.depth,
        inner_stride: lhs.view.by_col,
    };
    let across = Strip {
        place: first_of(&rhs.view, part.which, matrices),
        start: part.side,
        end: matrices.cols,
        stride: rhs.view.by_col,
        inner_end: matrices.depth,
        inner_stride: rhs.view.by_row,
    };
    let mut a = SharedMemory::<S>::new(comptime!((tile.depth * (tile.rows + 1)) as usize));
    let mut b = SharedMemory::<S>::new(comptime!((tile.depth * (tile.cols + 1)) as usize));
    let computes = computes(part, tile);
    let mut sums = Array::<S>::new(comptime!((tile.own_rows * tile.own_cols) as usize));
    let mut factors = Array::<S>::new(comptime!(tile.own_cols as usize));
    #[unroll]
    for k in 0..comptime!((tile.own_rows * tile.own_cols) as usize) {
        sums[k] = S::from_int(0);
    }
    let how = comptime!(Load { width: tile.rows, depth: tile.depth, along_inner: along.left_inner });
    let how_right = comptime!(Load { width: tile.cols, depth: tile.depth, along_inner: along.right_inner });
    let mut left = Array::<S>::new(comptime!(how.of_unit() as usize));
    let mut right = Array::<S>::new(comptime!(how_right.of_unit() as usize));
    bring::<E, S>(&lhs.elements, &mut left, &down, 0u32, how);
    bring::<E, S>(&rhs.elements, &mut right, &across, 0u32, how_right);
    let steps = (matrices.depth + comptime!(tile.depth - 1)) / comptime!(tile.depth);
    for step in 0..steps {
        leave::<S>(&left, &mut a, how);
        leave::<S>(&right, &mut b, how_right);
        sync_cube();
        // The next part is on its way meanwhile.
        let next = (step + 1) * comptime!(tile.depth);
        bring::<E, S>(&lhs.elements, &mut left, &down, next, how);
        bring::<E, S>(&rhs.elements, &mut right, &across, next, how_right);
        if computes {
            for d in 0..comptime!(tile.depth) {
                #[unroll]
                for j in 0..comptime!(tile.own_cols) {
                    let at = d * comptime!(tile.cols + 1) + part.col + comptime!(j * tile.units_across());
                    factors[comptime!(j as usize)] = b[at as usize];
                }
                #[unroll]
                for i in 0..comptime!(tile.own_rows) {
                    let at = d * comptime!(tile.rows + 1) + part.row + comptime!(i * tile.units_down());
                    let factor = a[at as usize];
                    #[unroll]
                    for j in 0..comptime!(tile.own_cols) {
                        let at = comptime!((i * tile.own_cols + j) as usize);
                        sums[at] += factor * factors[comptime!(j as usize)];
                    }
                }
            }
        }
        sync_cube();
    }
    sums
}

/// Sum `at` of a unit.
#[cube]
pub fn sum_of<S: Numeric>(sums: &Array<S>, #[comptime] at: usize) -> S {
    sums[at]
}

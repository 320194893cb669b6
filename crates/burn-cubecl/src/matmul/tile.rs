use crate::kernel::UNITS;
use crate::strides;
use cubecl::prelude::*;

/// What a cube computes, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Of the result.
    pub rows: u32,
    pub cols: u32,
    /// Of the inner dimension, at a time.
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

/// Which dimension of each operand neighbouring units load along: the inner one, or that of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Along {
    pub left_inner: bool,
    pub right_inner: bool,
}

/// Brings a part of an operand to shared memory: so many elements along the result from `start` on, and so many of the inner dimension from
/// `inner` on, with zeros where there are no more. Neighbouring places in shared memory are along the result.
#[cube]
#[allow(clippy::too_many_arguments)]
fn load<E: Numeric, S: Numeric>(
    from: &Array<E>,
    shared: &mut SharedMemory<S>,
    place: u32,
    start: u32,
    end: u32,
    stride: u32,
    inner: u32,
    inner_end: u32,
    inner_stride: u32,
    #[comptime] width: u32,
    #[comptime] depth: u32,
    #[comptime] along_inner: bool,
) {
    #[unroll]
    for part in 0..comptime!((width * depth).div_ceil(UNITS)) {
        let k = UNIT_POS + comptime!(part * UNITS);
        if comptime!(width * depth % UNITS == 0) || k < comptime!(width * depth) {
            let (r, d) = if comptime!(along_inner) {
                (k / comptime!(depth), k % comptime!(depth))
            } else {
                (k % comptime!(width), k / comptime!(width))
            };
            let mut value = S::from_int(0);
            if start + r < end && inner + d < inner_end {
                value =
                    S::cast_from(from[(place + (start + r) * stride + (inner + d) * inner_stride) as usize]);
            }
            // One more than the width, so that neighbours along the inner dimension are in different banks.
            shared[(d * comptime!(width + 1) + r) as usize] = value;
        }
    }
}

/// As [`plain_product`](super::plain::plain_product): the units of a cube bring a tile of both operands to shared memory and each
/// compute a part of the result. The order in which an element is added up is that of the inner dimension whatever the tile.
#[cube]
#[allow(clippy::too_many_arguments)]
pub fn tiled_product<E: Numeric, S: Numeric>(
    lhs: &Array<E>,
    rhs: &Array<E>,
    out: &mut Array<E>,
    batch: u32,
    rows: u32,
    cols: u32,
    depth: u32,
    sides: &Sequence<u32>,
    sizes: &Sequence<u32>,
    left: &Sequence<u32>,
    right: &Sequence<u32>,
    #[comptime] tile: Tile,
    #[comptime] along: Along,
) {
    let tiles_down = (rows + comptime!(tile.rows - 1)) / comptime!(tile.rows);
    let tiles_across = (cols + comptime!(tile.cols - 1)) / comptime!(tile.cols);
    let cube = CUBE_POS as u32;
    let which = cube / (tiles_down * tiles_across);
    if which < batch {
        let top = (cube / tiles_across) % tiles_down * comptime!(tile.rows);
        let side = cube % tiles_across * comptime!(tile.cols);
        let from = strides::place(which, sizes, left, *sides.index(0usize));
        let to = strides::place(which, sizes, right, *sides.index(1usize));
        let mut a = SharedMemory::<S>::new(comptime!((tile.depth * (tile.rows + 1)) as usize));
        let mut b = SharedMemory::<S>::new(comptime!((tile.depth * (tile.cols + 1)) as usize));
        let x = UNIT_POS % comptime!(tile.units_across());
        let y = UNIT_POS / comptime!(tile.units_across());
        // Of a narrow tile units compute nothing that are there to load it.
        let computes =
            comptime!(tile.units_across() * tile.units_down() == UNITS) || y < comptime!(tile.units_down());
        let mut sums = Array::<S>::new(comptime!((tile.own_rows * tile.own_cols) as usize));
        let mut factors = Array::<S>::new(comptime!(tile.own_cols as usize));
        #[unroll]
        for k in 0..comptime!((tile.own_rows * tile.own_cols) as usize) {
            sums[k] = S::from_int(0);
        }
        let steps = (depth + comptime!(tile.depth - 1)) / comptime!(tile.depth);
        for step in 0..steps {
            let start = step * comptime!(tile.depth);
            load::<E, S>(
                lhs,
                &mut a,
                from,
                top,
                rows,
                *sides.index(2usize),
                start,
                depth,
                *sides.index(3usize),
                comptime!(tile.rows),
                comptime!(tile.depth),
                comptime!(along.left_inner),
            );
            load::<E, S>(
                rhs,
                &mut b,
                to,
                side,
                cols,
                *sides.index(5usize),
                start,
                depth,
                *sides.index(4usize),
                comptime!(tile.cols),
                comptime!(tile.depth),
                comptime!(along.right_inner),
            );
            sync_cube();
            if computes {
                for d in 0..comptime!(tile.depth) {
                    #[unroll]
                    for j in 0..comptime!(tile.own_cols) {
                        let at = d * comptime!(tile.cols + 1) + x + comptime!(j * tile.units_across());
                        factors[comptime!(j as usize)] = b[at as usize];
                    }
                    #[unroll]
                    for i in 0..comptime!(tile.own_rows) {
                        let at = d * comptime!(tile.rows + 1) + y + comptime!(i * tile.units_down());
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
        if computes {
            #[unroll]
            for i in 0..comptime!(tile.own_rows) {
                #[unroll]
                for j in 0..comptime!(tile.own_cols) {
                    let row = top + y + comptime!(i * tile.units_down());
                    let col = side + x + comptime!(j * tile.units_across());
                    if row < rows && col < cols {
                        let at = comptime!((i * tile.own_cols + j) as usize);
                        out[((which * rows + row) * cols + col) as usize] = E::cast_from(sums[at]);
                    }
                }
            }
        }
    }
}

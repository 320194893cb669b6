use super::plain::Block;
use super::tile::Tile;
use crate::launch::kernel::UNITS;
use std::fmt;

/// A kernel for products. All of them give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form(pub(super) Units);

/// How the elements are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Units {
    /// Each unit loads what it needs.
    Alone(Block),
    /// The units of a cube load a tile.
    Together(Tile),
}

const fn tile(rows: u32, cols: u32, depth: u32, own_rows: u32, own_cols: u32) -> Form {
    let tile = Tile { rows, cols, depth, own_rows, own_cols };
    assert!(tile.units_down() * tile.units_across() <= UNITS);
    assert!(tile.units_down() * own_rows == rows && tile.units_across() * own_cols == cols);
    Form(Units::Together(tile))
}

const fn alone(rows: u32, cols: u32) -> Form {
    Form(Units::Alone(Block { rows, cols }))
}

const ALL: [Form; 12] = [
    alone(1, 1),
    alone(4, 4),
    alone(8, 4),
    alone(8, 8),
    tile(64, 1, 32, 1, 1),
    tile(1, 64, 32, 1, 1),
    tile(64, 16, 32, 4, 1),
    tile(16, 64, 32, 1, 4),
    tile(32, 32, 16, 2, 2),
    tile(64, 64, 16, 4, 4),
    tile(128, 64, 16, 8, 4),
    tile(128, 128, 8, 8, 8),
];

impl Form {
    /// Returns all kernels.
    pub fn all() -> &'static [Form] {
        &ALL
    }

    /// Rows and columns of the result that a unit computes.
    pub fn own(self) -> [usize; 2] {
        match self.0 {
            Units::Alone(block) => [block.rows, block.cols],
            Units::Together(tile) => [tile.own_rows, tile.own_cols],
        }
        .map(|size| size as usize)
    }

    /// Returns whether the kernel suits products of this size, of numbers of `bytes` bytes, on a device with
    /// `shared` bytes of shared memory. Tiles of which three quarters would be outside of the result do not;
    /// sizes between the same powers of two are equal here.
    pub fn fits(self, rows: usize, cols: usize, bytes: usize, shared: usize) -> bool {
        let tile = match self.0 {
            // Large blocks of small products leave most units idle.
            Units::Alone(block) => {
                let has = |size: usize, own: u32| 2 * size.next_power_of_two() >= (own * own) as usize;
                return has(rows, block.rows) && has(cols, block.cols);
            }
            Units::Together(tile) => tile,
        };
        let side = |own: u32, other: u32, size: usize| match size {
            // A single row or column is for tiles that are one.
            1 => own == 1 || other == 1,
            _ => own > 1 && 4 * size.next_power_of_two() >= own as usize,
        };
        let is_there = tile.shared() as usize * bytes <= shared;
        is_there && side(tile.rows, tile.cols, rows) && side(tile.cols, tile.rows, cols)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Units::Alone(Block { rows: 1, cols: 1 }) => f.write_str("plain"),
            Units::Alone(Block { rows, cols }) => write!(f, "plain {rows}x{cols}"),
            Units::Together(Tile { rows, cols, depth, .. }) => write!(f, "{rows}x{cols}x{depth}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitting(rows: usize, cols: usize, bytes: usize, shared: usize) -> Vec<String> {
        ALL.iter().filter(|form| form.fits(rows, cols, bytes, shared)).map(Form::to_string).collect()
    }

    #[test]
    fn names_are_different() {
        let mut names: Vec<_> = ALL.iter().map(Form::to_string).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }

    #[test]
    fn tiles_are_for_products_of_their_size() {
        let most = 1 << 15;
        assert_eq!(fitting(1000, 1, 4, most), ["plain", "64x1x32"]);
        assert_eq!(fitting(1, 1000, 4, most), ["plain", "1x64x32"]);
        assert_eq!(fitting(3, 3, 4, most), ["plain"]);
        let thin = ["plain", "plain 4x4", "64x16x32", "16x64x32", "32x32x16", "64x64x16"];
        assert_eq!(fitting(9, 1000, 4, most), thin);
        assert_eq!(fitting(1000, 1000, 4, most).len(), 10);
        // Without shared memory.
        assert_eq!(fitting(1000, 1000, 4, 0), ["plain", "plain 4x4", "plain 8x4", "plain 8x8"]);
        // The largest tile does not fit into the shared memory.
        assert!(fitting(1000, 1000, 8, 1 << 14).iter().all(|name| name != "128x64x16"));
    }
}

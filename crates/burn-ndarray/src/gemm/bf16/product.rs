//! The product of matrices of `bf16`: factors are packed, unless rows of the left one are read as they lie,
//! then multiplied tile by tile.

use super::amx::Amx;
use super::dots::Dots;
use super::engine::{Begun, Engine, LeftRows, Panels, SIDE, TILE};
use super::instructions::Instructions;
use super::pack::{BLOCK, DEPTH, Lines, Side};
use super::result_tile::ResultTile;
use crate::gemm::matrix::{Matrix, Sizes};
use crate::memory::Buffer;
use crate::threads::parallel::{self, Shared};
use core::ops::Range;

/// Products of a matrix for which packing pays, and rows and columns that fill half of a tile.
const LEAST: usize = 1 << 18;
const FEWEST: usize = 9;
/// Tiles along the side of a square that one thread computes at a time, at most, and bytes of their panels,
/// which the second cache holds.
const SQUARE: usize = 4;
const CACHED: usize = 1 << 20;
/// Elements of a matrix whose panels are kept: a second copy of more costs its user too much memory.
const MOST_KEPT: usize = 1 << 24;
/// Instead of a step from row to row, less that from column to column: a step that no matrix has marks panels
/// of columns that lie together.
const BY_COLUMNS: usize = usize::MAX;
/// Pairs that are multiplied in the time of one addition of cached numbers.
const SPEED: usize = 32;

/// A product, for several threads.
struct Product<E> {
    engine: E,
    sizes: Sizes,
    blocks: usize,
    /// Tiles along the rows and the columns.
    tiles: [usize; 2],
    /// Tiles along the side of a square.
    square: usize,
    lines: [Lines; 2],
    /// Tiles along the rows that are read as they lie.
    in_place: usize,
    /// Panels of the other rows, and of the columns.
    panels: [Shared<u32>; 2],
    out: Matrix<Shared<u16>>,
}

/// Whether this processor has instructions that are faster for a product of these sizes than to widen it.
pub fn suits((rows, cols, depth): Sizes) -> bool {
    rows.saturating_mul(cols).saturating_mul(depth) >= LEAST
        && rows >= FEWEST
        && cols >= FEWEST
        && depth >= DEPTH / 2
        && Instructions::of_this_processor() != Instructions::None
}

/// Writes the product, which [`suits`]. The rows of `out` are contiguous. `matrix`, if it is given, holds the
/// elements of `rhs`, and keeps its panels where it comes again.
///
/// # Safety
/// The elements of the three matrices may be read, those of `out` written; nothing else touches `out`.
pub unsafe fn product(
    sizes: Sizes,
    out: Matrix<*mut u16>,
    lhs: Matrix<*const u16>,
    (rhs, matrix): (Matrix<*const u16>, Option<&Buffer>),
    parallel: bool,
) {
    let factors = (lhs, rhs, matrix);
    // SAFETY: by the contract, and the processor has the instructions.
    unsafe {
        match Instructions::of_this_processor() {
            Instructions::Amx => multiply(Amx, sizes, out, factors, parallel),
            Instructions::Dots => multiply(Dots, sizes, out, factors, parallel),
            Instructions::None => unreachable!("no product of pairs"),
        }
    }
}

/// Both factors, and the buffer of the right one.
type Factors<'a> = (Matrix<*const u16>, Matrix<*const u16>, Option<&'a Buffer>);

/// # Safety
/// As for [`product`], and the processor has the instructions.
unsafe fn multiply<E: Engine>(
    engine: E,
    sizes: Sizes,
    out: Matrix<*mut u16>,
    (lhs, rhs, matrix): Factors<'_>,
    parallel: bool,
) {
    let (rows, cols, depth) = sizes;
    let lines = |side: Side, matrix: Matrix<*const u16>, count: usize| Lines {
        side,
        start: Shared(matrix.start.cast_mut()),
        count,
        depth,
        step: matrix.row_step,
        along: matrix.col_step,
    };
    let (blocks, tiles) = (depth.div_ceil(DEPTH), [rows.div_ceil(SIDE), cols.div_ceil(SIDE)]);
    let size = 2 * blocks * BLOCK;
    let right = lines(Side::Right, rhs.turned(), cols);
    let kept = kept(matrix, rhs, &right, parallel);
    let is_in_place = E::READS_ROWS && lhs.col_step == 1 && lhs.row_step > 0 && depth.is_multiple_of(DEPTH);
    let in_place = if is_in_place { rows / SIDE } else { 0 };
    let packed_rows = tiles[0] - in_place;
    let own = if kept.is_some() { packed_rows } else { packed_rows + tiles[1] };
    let mut panels = Buffer::new(own * size * size_of::<u32>());
    let start = panels.as_mut_slice::<u32>().expect("a new buffer is unique").as_mut_ptr();
    let columns = match kept {
        Some(kept) => kept.as_ptr().cast::<u32>().cast_mut(),
        None => start.wrapping_add(packed_rows * size),
    };
    let product = Product {
        engine,
        sizes,
        blocks,
        tiles,
        square: square(tiles, size, if parallel { parallel::threads() } else { 1 }),
        lines: [lines(Side::Left, lhs, rows), right],
        in_place,
        panels: [Shared(start), Shared(columns)],
        out: Matrix { start: Shared(out.start), row_step: out.row_step, col_step: out.col_step },
    };
    // SAFETY: by the contract.
    run(parallel, own, size, &|range| unsafe { product.pack(range) });
    let cost = (product.square * product.square * TILE * depth / 2 / SPEED).max(1);
    // SAFETY: as above, and all panels have been packed.
    run(parallel, product.squares().iter().product(), cost, &|range| unsafe { product.squares_of(range) });
}

/// Calls `part` with ranges that cover `0..len`, on one thread or on several.
fn run(parallel: bool, len: usize, cost: usize, part: &(dyn Fn(Range<usize>) + Sync)) {
    if parallel { parallel::for_ranges(len, cost, part) } else { part(0..len) }
}

/// The panels of the right factor that its buffer keeps, if it does.
fn kept<'a>(
    matrix: Option<&'a Buffer>,
    rhs: Matrix<*const u16>,
    lines: &Lines,
    parallel: bool,
) -> Option<&'a Buffer> {
    let (blocks, tiles) = (lines.depth.div_ceil(DEPTH), lines.count.div_ceil(SIDE));
    let size = 2 * blocks * BLOCK;
    matrix?.kept().get(key(rhs, lines.count, lines.depth)?, || {
        let mut panels = Buffer::new(tiles * size * size_of::<u32>());
        let start = Shared(panels.as_mut_slice::<u32>().expect("a new buffer is unique").as_mut_ptr());
        run(parallel, tiles, size, &|range| {
            for tile in range {
                // SAFETY: the lines are those of the factor, and all panels have room.
                unsafe { lines.pack(tile * SIDE, blocks, start.get().add(tile * size)) };
            }
        });
        panels
    })
}

/// The key of panels that are kept; `None` for matrices whose panels are not.
fn key(rhs: Matrix<*const u16>, cols: usize, depth: usize) -> Option<[usize; 4]> {
    let step = match (rhs.row_step, rhs.col_step) {
        (row_step, 1) => row_step as usize,
        (1, col_step) => BY_COLUMNS.wrapping_sub(col_step as usize),
        _ => return None,
    };
    (cols * depth <= MOST_KEPT).then_some([rhs.start as usize, step, cols, depth])
}

/// Tiles along the side of a square: fewer where there would be few squares for each thread, or where the
/// second cache does not hold their panels.
fn square(tiles: [usize; 2], size: usize, threads: usize) -> usize {
    let mut square = SQUARE;
    let is_few = |square: usize| tiles.iter().map(|n| n.div_ceil(square)).product::<usize>() < 4 * threads;
    let is_large = |square: usize| 2 * square * size * size_of::<u32>() > CACHED;
    while square > 1 && (threads > 1 && is_few(square) || is_large(square)) {
        square /= 2;
    }
    square
}

impl<E: Engine> Product<E> {
    /// Elements of the panels of a tile's rows, or of its columns.
    fn size(&self) -> usize {
        2 * self.blocks * BLOCK
    }

    /// Squares along the rows and the columns.
    fn squares(&self) -> [usize; 2] {
        self.tiles.map(|tiles| tiles.div_ceil(self.square))
    }

    /// Packs panels, counted from the first rows that are packed to the last columns.
    ///
    /// # Safety
    /// The factors may be read and the panels written.
    unsafe fn pack(&self, range: Range<usize>) {
        for unit in range {
            let (side, at, tile) = match unit.checked_sub(self.tiles[0] - self.in_place) {
                None => (0, unit, self.in_place + unit),
                Some(tile) => (1, tile, tile),
            };
            let panels = self.panels[side].get().wrapping_add(at * self.size());
            // SAFETY: by the contract.
            unsafe { self.lines[side].pack(tile * SIDE, self.blocks, panels) };
        }
    }

    /// The tiles of some squares. Squares that follow each other are neighbours in two rows of squares, so
    /// that those of a thread share their panels.
    ///
    /// # Safety
    /// The panels may be read and the results written; the processor has the instructions.
    unsafe fn squares_of(&self, range: Range<usize>) {
        let [down, across] = self.squares();
        // SAFETY: by the contract.
        let _begun = unsafe { Begun::new(self.engine) };
        let mut sums = [0.0; TILE];
        for unit in range {
            let (pair, rest) = (unit / (2 * across) * 2, unit % (2 * across));
            let height = 2.min(down - pair);
            let (row, col) = (pair + rest % height, rest / height);
            let tiles = |at: usize, all: usize| at * self.square..all.min((at + 1) * self.square);
            for col in tiles(col, self.tiles[1]) {
                for row in tiles(row, self.tiles[0]) {
                    // SAFETY: by the contract.
                    unsafe { self.tile(row, col, &mut sums) };
                }
            }
        }
    }

    /// The rows of a tile of the left factor.
    fn left(&self, tile: usize) -> LeftRows {
        match tile.checked_sub(self.in_place) {
            Some(packed) => {
                let panels = self.panels[0].get().wrapping_add(packed * self.size());
                LeftRows::packed(panels.cast_const(), self.blocks)
            }
            None => {
                let (start, step) = (self.lines[0].start.get(), self.lines[0].step.unsigned_abs());
                LeftRows::in_place(start.wrapping_add(tile * SIDE * step).cast_const(), step)
            }
        }
    }

    /// # Safety
    /// As for [`Product::squares_of`].
    unsafe fn tile(&self, row: usize, col: usize, sums: &mut [f32; TILE]) {
        let (rows, cols, _) = self.sizes;
        let right = self.panels[1].get().wrapping_add(col * self.size()).cast_const();
        let (row_at, col_at) = (row * SIDE, col * SIDE);
        let (rows, cols) = (SIDE.min(rows - row_at), SIDE.min(cols - col_at));
        let panels = Panels { blocks: self.blocks, left: self.left(row), right, rows };
        let at = row_at as isize * self.out.row_step + col_at as isize;
        let out = Matrix {
            start: self.out.start.get().wrapping_offset(at),
            row_step: self.out.row_step,
            col_step: 1,
        };
        // SAFETY: by the contract.
        unsafe {
            self.engine.multiply(&panels, sums.as_mut_ptr());
            ResultTile { sums, rows, cols, out }.store();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::loops::Loops;
    use super::*;
    use crate::miri::shrink;
    use burn_backend::bf16;
    use std::vec::Vec;

    /// Eighths of whole numbers below 20, whose products and sums are exact.
    fn numbers(len: usize, seed: usize) -> Vec<bf16> {
        (0..len).map(|i| bf16::from_f32(((i * 37 + i / 11 + seed) % 19) as f32 / 8.0 - 1.0)).collect()
    }

    /// A matrix of so many rows and columns in some layout: its elements, and its steps.
    fn matrix(rows: usize, cols: usize, layout: usize) -> (Vec<bf16>, [isize; 2]) {
        let steps = match layout {
            0 => [cols + 3, 1],
            1 => [1, rows + 5],
            _ => [2 * cols, 2],
        };
        (numbers(2 * (rows + 5) * (cols + 5), rows + layout), steps.map(|step| step as isize))
    }

    /// Compares the product with its definition, and what surrounds the result with what was there.
    fn check<E: Engine>(engine: E, (rows, cols, depth): Sizes, layouts: [usize; 2], parallel: bool) {
        let (x, x_steps) = matrix(rows, depth, layouts[0]);
        let (y, y_steps) = matrix(depth, cols, layouts[1]);
        let mut out = numbers(rows * (cols + 7), 1);
        let before = out.clone();
        let at = |list: &Vec<bf16>, [row_step, col_step]: [isize; 2]| Matrix {
            start: list.as_ptr().cast::<u16>(),
            row_step,
            col_step,
        };
        let target = Matrix::new(out.as_mut_ptr().cast::<u16>(), cols + 7, 1);
        let factors = (at(&x, x_steps), at(&y, y_steps), None);
        // SAFETY: the matrices lie within the lists, and the processor has the instructions.
        unsafe { multiply(engine, (rows, cols, depth), target, factors, parallel) };
        let get = |list: &[bf16], [row_step, col_step]: [isize; 2], row: usize, col: usize| {
            list[row * row_step as usize + col * col_step as usize].to_f32()
        };
        for row in (0..rows).step_by(shrink(1, 8)) {
            for col in 0..cols + 7 {
                let found = out[row * (cols + 7) + col];
                let wanted = match col < cols {
                    true => {
                        let terms = (0..depth).map(|k| get(&x, x_steps, row, k) * get(&y, y_steps, k, col));
                        bf16::from_f32(terms.sum())
                    }
                    false => before[row * (cols + 7) + col],
                };
                assert_eq!(found, wanted, "{rows} x {depth} x {cols}, {layouts:?}: {row}, {col}");
            }
        }
    }

    fn check_all<E: Engine>(engine: E) {
        for &sizes in
            shrink(&[(9, 17, 33), (32, 64, 64), (40, 31, 70), (70, 131, 16), (1, 1, 1)][..], &[(17, 17, 33)])
        {
            for layouts in [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [0, 2], [2, 2]] {
                check(engine, sizes, layouts, false);
            }
        }
        check(engine, shrink((200, 300, 250), (33, 65, 1)), [0, 0], true);
        check(engine, shrink((300, 200, 96), (65, 33, 1)), [1, 1], true);
        // Rows that are read as they lie, and a last tile of them that is packed.
        for layouts in [[0, 0], [0, 1], [0, 2]] {
            check(engine, shrink((200, 70, 96), (33, 17, 32)), layouts, true);
        }
    }

    #[test]
    fn tiles_make_up_the_product_whatever_the_layout() {
        check_all(Loops);
    }

    #[test]
    fn instructions_of_this_processor_give_the_product() {
        match Instructions::of_this_processor() {
            Instructions::Amx => check_all(Amx),
            Instructions::Dots => check_all(Dots),
            Instructions::None => assert!(!Amx::is_available() && !Dots::is_available()),
        }
        // A processor with tiles has the other instructions as well.
        if Dots::is_available() {
            check_all(Dots);
        }
    }

    #[test]
    fn squares_are_small_for_many_threads_and_deep_products() {
        let size = |depth: usize| 2 * depth.div_ceil(DEPTH) * BLOCK;
        assert_eq!(square([32, 32], size(1024), 16), 4);
        assert_eq!(square([8, 8], size(1024), 16), 1);
        assert_eq!(square([8, 8], size(1024), 1), 4);
        assert_eq!(square([64, 64], size(8192), 2), 1);
    }

    #[test]
    fn kept_panels_change_no_bit() {
        let (rows, cols, depth) = shrink((40, 70, 100), (2, 33, 3));
        let x = numbers(rows * depth, 1);
        let mut y = Buffer::new(depth * cols * 2);
        for step in 0..5 {
            // The fourth product has kept panels, and the fifth another matrix.
            if step % 4 == 0 {
                let bits = numbers(depth * cols, step).into_iter().map(bf16::to_bits);
                y.as_mut_slice::<u16>().expect("unique").iter_mut().zip(bits).for_each(|(y, bits)| *y = bits);
            }
            let mut found = [std::vec![0_u16; rows * cols], std::vec![0_u16; rows * cols]];
            for (matrix, out) in [None, Some(&y)].into_iter().zip(&mut found) {
                let lhs = Matrix::new(x.as_ptr().cast::<u16>(), depth, 1);
                let rhs = Matrix::new(y.as_slice::<u16>().as_ptr(), cols, 1);
                let out = Matrix::new(out.as_mut_ptr(), cols, 1);
                // SAFETY: the matrices lie within the lists.
                unsafe { multiply(Loops, (rows, cols, depth), out, (lhs, rhs, matrix), false) };
            }
            assert_eq!(found[0], found[1], "product {step}");
        }
    }
}

//! Rows at right angles of matrices that fit into the shared memory of a cube, in one launch.

use crate::block_jacobi::{Block, MOST, Order, Shared, most_seen, shared, turn_all};
use crate::epsilon::epsilon;
use crate::jacobi::deferral_after;
use crate::rows::{change_nothing, rule};
use crate::tile::{changed, element, loaded_at};
use crate::working::{behind_batch, sizes};
use burn_backend::{DType, HasSpec, TensorSpec};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{A, Body, Kernel, LaunchWords, launch_cubes, launch_words, stored_size, word};
use cubecl::prelude::*;

launch_words! {
    struct SmallRowsWords {
        batch: u32,
        /// Rows of a matrix, and elements of each.
        size: u32,
        long: u32,
    }
}

/// All sweeps of matrices whose rows and columns fit into one pair of blocks: a cube for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SmallRows {
    block: Block,
    is_wide: bool,
}

/// Rows that a cube rotates, and the rotations of all sweeps.
#[derive(CubeType)]
struct Tiles<E: Float> {
    rows: SharedMemory<E>,
    turned: SharedMemory<E>,
}

#[cube]
fn load<E: Float>(
    x: &Array<E>,
    tiles: &mut Tiles<E>,
    base: u32,
    words: &SmallRowsWords,
    #[comptime] block: Block,
) {
    #[unroll]
    for step in 0..4u32 {
        let (row, column) = loaded_at(step, block);
        let at = (row * comptime!(block.tile_pitch()) + column) as usize;
        let mut value = E::new(0.0);
        if row < words.size && column < words.long {
            value = x[(base + row * words.long + column) as usize];
        }
        tiles.rows[at] = value;
        tiles.turned[at] = select(row == column, E::new(1.0), E::new(0.0));
    }
    sync_cube();
}

/// Makes the products of all rows the matrix that is rotated, and returns the sum of all squares.
#[cube]
fn multiply<E: Float>(tiles: &Tiles<E>, shared: &mut Shared<E>, #[comptime] block: Block) -> E {
    let (rows, pitch) = comptime!((block.rows, block.tile_pitch()));
    let (i, j) = (UNIT_POS / rows, UNIT_POS % rows);
    let mut sums = Array::<E>::new(4usize);
    #[unroll]
    for at in 0..4usize {
        sums[at] = E::new(0.0);
    }
    #[unroll]
    for k in 0..comptime!(block.both()) {
        #[unroll]
        for at in 0..4u32 {
            let one = tiles.rows[((i + comptime!(at / 2 * rows)) * pitch + k) as usize];
            let other = tiles.rows[((j + comptime!(at % 2 * rows)) * pitch + k) as usize];
            sums[comptime!(at as usize)] += one * other;
        }
    }
    #[unroll]
    for at in 0..4u32 {
        let (row, column) = (i + comptime!(at / 2 * rows), j + comptime!(at % 2 * rows));
        shared.square[(row * comptime!(block.pitch()) + column) as usize] = sums[comptime!(at as usize)];
    }
    sync_cube();
    let mut squares = E::new(0.0);
    #[unroll]
    for row in 0..comptime!(block.both()) {
        squares += shared.square[comptime!((row * (block.pitch() + 1)) as usize)];
    }
    sync_cube();
    squares
}

/// Multiplies a tile by what has changed.
#[cube]
fn turn<E: Float>(tile: &mut SharedMemory<E>, shared: &Shared<E>, #[comptime] block: Block) {
    let four = changed::<E>(&shared.change, tile, comptime!(block.pitch()), block);
    sync_cube();
    #[unroll]
    for at in 0..4u32 {
        let row = UNIT_POS / comptime!(block.rows) + comptime!(at / 2 * block.rows);
        let column = UNIT_POS % comptime!(block.rows) + comptime!(at % 2 * block.rows);
        tile[(row * comptime!(block.tile_pitch()) + column) as usize] = element::<E>(&four, at);
    }
    sync_cube();
}

#[cube]
fn sweep<E: Float>(
    tiles: &mut Tiles<E>,
    shared: &mut Shared<E>,
    words: &SmallRowsWords,
    #[comptime] kernel: SmallRows,
) {
    let block = comptime!(kernel.block);
    let order = Order::of_all(words.size);
    let mut deferral = E::new(0.0);
    let mut left = comptime!(MOST).runtime();
    while left > 0u32 {
        let squares = multiply::<E>(tiles, shared, block);
        change_nothing::<E>(shared, block);
        let rule = rule::<E>(words.long, squares, deferral, comptime!(kernel.is_wide));
        turn_all::<E>(shared, &order, &rule, block);
        let seen = most_seen::<E>(shared, block);
        deferral = deferral_after::<E>(seen);
        left = select(seen > E::new(0.0), left - 1u32, 0u32);
        turn::<E>(&mut tiles.rows, shared, block);
        turn::<E>(&mut tiles.turned, shared, block);
    }
}

/// Leaves the length of each row, and its place in descending order.
#[cube]
fn arrange<E: Float>(tiles: &Tiles<E>, shared: &mut Shared<E>, size: u32, #[comptime] block: Block) {
    let (unit, both) = (UNIT_POS, comptime!(block.both()));
    if unit < size {
        let mut squares = E::new(0.0);
        #[unroll]
        for k in 0..both {
            let value = tiles.rows[(unit * comptime!(block.tile_pitch()) + k) as usize];
            squares += value * value;
        }
        shared.turns[unit as usize] = squares.sqrt();
    }
    sync_cube();
    if unit < size {
        let own = shared.turns[unit as usize];
        let mut place = 0u32.runtime();
        for j in 0..size {
            let other = shared.turns[j as usize];
            place += select(other > own || (other == own && j < unit), 1u32, 0u32);
        }
        shared.turns[(unit + both) as usize] = E::cast_from(place);
    }
    sync_cube();
}

#[cube]
fn small_rows<E: Float>(
    x: &Array<E>,
    lengths: &mut Array<E>,
    columns: &mut Array<E>,
    turned: &mut Array<E>,
    words: &SmallRowsWords,
    #[comptime] kernel: SmallRows,
) {
    let block = comptime!(kernel.block);
    let (size, long, both) = (words.size, words.long, comptime!(block.both()));
    let mut shared = shared::<E>(block);
    let mut tiles = Tiles::<E> {
        rows: SharedMemory::<E>::new(comptime!((block.both() * block.tile_pitch()) as usize)),
        turned: SharedMemory::<E>::new(comptime!((block.both() * block.tile_pitch()) as usize)),
    };
    let matrix = CUBE_POS as u32;
    if matrix < words.batch {
        load::<E>(x, &mut tiles, matrix * size * long, words, block);
        sweep::<E>(&mut tiles, &mut shared, words, kernel);
        arrange::<E>(&tiles, &mut shared, size, block);
        let mut longest = E::new(0.0);
        for j in 0..size {
            let own = shared.turns[j as usize];
            longest = select(own > longest, own, longest);
        }
        let nothing = longest * epsilon::<E>(comptime!(kernel.is_wide)) * E::new(0.01);
        #[unroll]
        for step in 0..4u32 {
            let (row, column) = loaded_at(step, block);
            if row < size {
                let length = shared.turns[row as usize];
                let place = u32::cast_from(shared.turns[(row + both) as usize]);
                let at = (row * comptime!(block.tile_pitch()) + column) as usize;
                if column < long {
                    let scaled = select(length > nothing, tiles.rows[at] / length, E::new(0.0));
                    columns[((matrix * long + column) * size + place) as usize] = scaled;
                }
                if column < size {
                    turned[((matrix * size + place) * size + column) as usize] = tiles.turned[at];
                }
                if column == 0u32 {
                    lengths[(matrix * size + place) as usize] = length;
                }
            }
        }
    }
}

impl Kernel for SmallRows {
    const NAME: &'static str = "small_rows";

    fn expand(&self, body: &mut Body) {
        let (x, lengths, columns, turned) = (body.array(0), body.array(1), body.array(2), body.array(3));
        let words = body.read::<SmallRowsWords>();
        small_rows::expand::<A>(&mut body.scope, x, lengths, columns, turned, words, *self);
    }
}

/// Rows at right angles, the longest first.
#[derive(Debug)]
pub struct OrthogonalRows {
    /// `[.., k, 1]`
    pub lengths: CubeTensor,
    /// The rows as columns of length 1, or of zeros where there is almost nothing: `[.., n, k]`.
    pub columns: CubeTensor,
    /// The rotations that turned the rows: `[.., k, k]`.
    pub turned: CubeTensor,
}

/// Rows `[.., k, n]` in row-major order, neither very large nor very small. None where a cube has no room.
pub fn small_turned_apart(x: &CubeTensor) -> Option<OrthogonalRows> {
    let [batch, size, long] = sizes(x);
    let block = Block::of(size.max(long), x.dtype(), x.engine());
    let shared = block.shared() + 2 * (block.both() * block.tile_pitch()) as usize;
    let bytes = shared * stored_size(x.dtype());
    if !block.is_all(size.max(long)) || bytes > x.engine().hardware().max_shared_memory_size {
        return None;
    }
    let empty = |sizes: &[usize]| {
        let spec = TensorSpec { shape: behind_batch(x, sizes), dtype: x.dtype() };
        CubeTensor::empty(spec, x.engine())
    };
    let (lengths, columns, turned) = (empty(&[size, 1]), empty(&[long, size]), empty(&[size, size]));
    let words = SmallRowsWords { batch: word(batch), size: word(size), long: word(long) };
    let kernel = SmallRows { block, is_wide: x.dtype() == DType::F64 };
    launch_cubes(kernel, &[x], &[&lengths, &columns, &turned], &words.words(), batch, block.units());
    Some(OrthogonalRows { lengths, columns, turned })
}

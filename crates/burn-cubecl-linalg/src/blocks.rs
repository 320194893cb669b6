//! Block of Householder reflections `1 - U T U^T` applied to columns of a matrix, in two launches: `T U^T X`,
//! whose terms are shared among cubes, and `X - U (T U^T X)`, which sums the partial results.

use crate::reflectors::Block;
use crate::working::{behind_batch, sizes};
use burn_backend::{HasSpec, TensorSpec};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{A, Body, Kernel, LaunchWords, launch_cubes, launch_words, stored_size, word};
use cubecl::CubeDim;
use cubecl::prelude::*;
use std::ops::Range;

/// Units beside each other.
const LANES: u32 = 16;
/// Units of a cube that projects, and of one that takes away.
const PROJECTING: u32 = 128;
const TAKING: u32 = 256;
/// Rows that a cube projects at a time: at least as many as there are columns in a block.
const DEPTH: u32 = 32;
/// The fewest rows that are worth a cube.
const FEWEST: usize = 128;

/// Tile of a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Tile {
    /// At least the columns of the block: a power of two from 8 to 32.
    width: u32,
    /// Columns of a unit, with those of other units between them; rows, too, where they are taken from.
    own: u32,
}

impl Tile {
    /// Columns of a cube, and its rows where they are taken from.
    fn side(self) -> u32 {
        LANES * self.own
    }

    /// Rows of a unit that projects, which are every eighth.
    fn own_rows(self) -> u32 {
        self.width * LANES / PROJECTING
    }
}

launch_words! {
    /// A block of columns of `u: [.., rows, inner]`, and the columns that it reflects, in matrices
    /// `[.., rows, cols]`.
    struct ReflectionCall {
        batch: u32,
        rows: u32,
        cols: u32,
        inner: u32,
        /// Columns of the block: from `start` to before `end`.
        start: u32,
        end: u32,
        /// Columns that are reflected: from the first to before the last.
        first: u32,
        last: u32,
        /// Parts that rows are shared in, and rows of a part.
        parts: u32,
        depth: u32,
    }
}

/// `T U^T X`, or with the transpose of `T` (`is_turned`), of a part of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Project {
    tile: Tile,
    is_turned: bool,
}

/// Adds `left right` to a unit's sums: of `left` with columns of so many elements every `PROJECTING /
/// LANES`th row, of `right` every `LANES`th column.
#[cube]
fn multiply<E: Float>(
    left: &SharedMemory<E>,
    right: &SharedMemory<E>,
    sums: &mut Array<E>,
    depth: u32,
    #[comptime] tile: Tile,
) {
    let (down, lane) = (UNIT_POS_X / comptime!(LANES), UNIT_POS_X % comptime!(LANES));
    let mut factors = Array::<E>::new(comptime!(tile.own as usize));
    for d in 0..depth {
        #[unroll]
        for col in 0..comptime!(tile.own) {
            let at = d * comptime!(tile.side()) + lane + comptime!(col * LANES);
            factors[comptime!(col as usize)] = right[at as usize];
        }
        #[unroll]
        for row in 0..comptime!(tile.own_rows()) {
            let at = d * comptime!(tile.width) + down + comptime!(row * PROJECTING / LANES);
            let factor = left[at as usize];
            #[unroll]
            for col in 0..comptime!(tile.own) {
                sums[comptime!((row * tile.own + col) as usize)] += factor * factors[comptime!(col as usize)];
            }
        }
    }
}

/// An element, or zero. Without a branch, so that many loads are on their way at once.
#[cube]
fn read<E: Float>(from: &Array<E>, at: u32, is_there: bool) -> E {
    select(is_there, from[select(is_there, at, 0u32) as usize], E::new(0.0))
}

#[cube]
fn project<E: Float>(
    u: &Array<E>,
    t: &Array<E>,
    x: &Array<E>,
    out: &mut Array<E>,
    call: &ReflectionCall,
    #[comptime] tile: Tile,
    #[comptime] is_turned: bool,
) {
    // As much of the block's rows as of `T`, which comes after them.
    let mut left = SharedMemory::<E>::new(comptime!((tile.width * DEPTH) as usize));
    let mut right = SharedMemory::<E>::new(comptime!((tile.side() * DEPTH) as usize));
    let mut sums = Array::<E>::new(comptime!((tile.own_rows() * tile.own) as usize));
    let unit = UNIT_POS_X;
    let cube = CUBE_POS as u32;
    let wide = call.last - call.first;
    let count = call.end - call.start;
    let tiles = (wide + comptime!(tile.side() - 1)) / comptime!(tile.side());
    let (side, part) = (cube % tiles * comptime!(tile.side()), cube / tiles % call.parts);
    let matrix = cube / tiles / call.parts;
    if matrix < call.batch {
        let (down, lane) = (unit / comptime!(LANES), unit % comptime!(LANES));
        let vectors = matrix * call.rows * call.inner + call.start;
        let columns = matrix * call.rows * call.cols + call.first + side;
        #[unroll]
        for at in 0..comptime!((tile.own_rows() * tile.own) as usize) {
            sums[at] = E::new(0.0);
        }
        let first = call.start + part * call.depth;
        let mut row = first + 0u32;
        let end = select(row + call.depth < call.rows, row + call.depth, call.rows);
        let mut next_left = Array::<E>::new(comptime!((tile.width * DEPTH / PROJECTING) as usize));
        let mut next_right = Array::<E>::new(comptime!((tile.side() * DEPTH / PROJECTING) as usize));
        while row < end {
            #[unroll]
            for turn in 0..comptime!(tile.side() * DEPTH / PROJECTING) {
                let flat = unit + comptime!(turn * PROJECTING);
                let (r, c) = (row + flat / comptime!(tile.side()), flat % comptime!(tile.side()));
                let is_there = r < end && side + c < wide;
                next_right[comptime!(turn as usize)] = read(x, columns + r * call.cols + c, is_there);
            }
            #[unroll]
            for turn in 0..comptime!(tile.width * DEPTH / PROJECTING) {
                let flat = unit + comptime!(turn * PROJECTING);
                let (r, c) = (row + flat / comptime!(tile.width), flat % comptime!(tile.width));
                let is_there = r < end && c < count;
                next_left[comptime!(turn as usize)] = read(u, vectors + r * call.inner + c, is_there);
            }
            // Multiply the previous tile while the loads of this one are in flight.
            if row > first {
                multiply(&left, &right, &mut sums, comptime!(DEPTH).runtime(), tile);
            }
            sync_cube();
            #[unroll]
            for turn in 0..comptime!(tile.side() * DEPTH / PROJECTING) {
                right[(unit + comptime!(turn * PROJECTING)) as usize] = next_right[comptime!(turn as usize)];
            }
            #[unroll]
            for turn in 0..comptime!(tile.width * DEPTH / PROJECTING) {
                left[(unit + comptime!(turn * PROJECTING)) as usize] = next_left[comptime!(turn as usize)];
            }
            sync_cube();
            row += comptime!(DEPTH);
        }
        #[unroll]
        for turn in 0..comptime!((tile.width * tile.width).div_ceil(PROJECTING)) {
            let flat = unit + comptime!(turn * PROJECTING);
            // By columns of what is multiplied with.
            let (d, r) = (flat / comptime!(tile.width), flat % comptime!(tile.width));
            let (above, below) = if comptime!(is_turned) { (d, r) } else { (r, d) };
            let at = (matrix * count + above) * count + below;
            next_left[comptime!(turn as usize)] = read(t, at, r < count && d < count);
        }
        multiply(&left, &right, &mut sums, comptime!(DEPTH).runtime(), tile);
        sync_cube();
        #[unroll]
        for r in 0..comptime!(tile.own_rows()) {
            #[unroll]
            for c in 0..comptime!(tile.own) {
                let to = (down + comptime!(r * PROJECTING / LANES)) * comptime!(tile.side())
                    + lane
                    + comptime!(c * LANES);
                let at = comptime!((r * tile.own + c) as usize);
                right[to as usize] = sums[at];
                sums[at] = E::new(0.0);
            }
        }
        #[unroll]
        for turn in 0..comptime!((tile.width * tile.width).div_ceil(PROJECTING)) {
            left[(unit + comptime!(turn * PROJECTING)) as usize] = next_left[comptime!(turn as usize)];
        }
        sync_cube();
        multiply(&left, &right, &mut sums, comptime!(tile.width).runtime(), tile);
        let to = (matrix * call.parts + part) * comptime!(tile.width);
        #[unroll]
        for r in 0..comptime!(tile.own_rows()) {
            #[unroll]
            for c in 0..comptime!(tile.own) {
                let (row, col) =
                    (down + comptime!(r * PROJECTING / LANES), side + lane + comptime!(c * LANES));
                if col < wide {
                    out[((to + row) * wide + col) as usize] = sums[comptime!((r * tile.own + c) as usize)];
                }
            }
        }
    }
}

impl Kernel for Project {
    const NAME: &'static str = "project_on_reflectors";
    // Units compare with the sizes before they load and store.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let call = body.read::<ReflectionCall>();
        let (u, t, x, out) = (body.array(0), body.array(1), body.array(2), body.array(3));
        project::expand::<A>(&mut body.scope, u, t, x, out, call, self.tile, self.is_turned);
    }
}

/// Takes `U Y` from columns, where `Y` is the sum of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Take(Tile);

#[cube]
fn take<E: Float>(
    u: &Array<E>,
    y: &Array<E>,
    x: &mut Array<E>,
    call: &ReflectionCall,
    #[comptime] tile: Tile,
) {
    let mut left = SharedMemory::<E>::new(comptime!((tile.width * tile.side()) as usize));
    let mut right = SharedMemory::<E>::new(comptime!((tile.width * tile.side()) as usize));
    let mut left_over = Array::<E>::new(comptime!((tile.own * tile.own) as usize));
    let mut factors = Array::<E>::new(comptime!(tile.own as usize));
    let mut found = Array::<E>::new(comptime!((tile.width * tile.side() / TAKING) as usize));
    let unit = UNIT_POS_X;
    let cube = CUBE_POS as u32;
    let wide = call.last - call.first;
    let count = call.end - call.start;
    let tiles = (wide + comptime!(tile.side() - 1)) / comptime!(tile.side());
    let high = (call.rows - call.start + comptime!(tile.side() - 1)) / comptime!(tile.side());
    let side = cube % tiles * comptime!(tile.side());
    let top = call.start + cube / tiles % high * comptime!(tile.side());
    let matrix = cube / tiles / high;
    if matrix < call.batch {
        let vectors = matrix * call.rows * call.inner + call.start;
        let (down, lane) = (unit / comptime!(LANES), unit % comptime!(LANES));
        let corner = matrix * call.rows * call.cols + call.first + side + lane;
        #[unroll]
        for turn in 0..comptime!(tile.width * tile.side() / TAKING) {
            let flat = unit + comptime!(turn * TAKING);
            let (r, c) = (top + flat / comptime!(tile.width), flat % comptime!(tile.width));
            let is_there = r < call.rows && c < count;
            found[comptime!(turn as usize)] = read(u, vectors + r * call.inner + c, is_there);
        }
        #[unroll]
        for r in 0..comptime!(tile.own) {
            #[unroll]
            for c in 0..comptime!(tile.own) {
                let row = top + down + comptime!(r * LANES);
                let is_there = row < call.rows && side + lane + comptime!(c * LANES) < wide;
                left_over[comptime!((r * tile.own + c) as usize)] =
                    read(x, corner + row * call.cols + comptime!(c * LANES), is_there);
            }
        }
        #[unroll]
        for turn in 0..comptime!(tile.width * tile.side() / TAKING) {
            let flat = unit + comptime!(turn * TAKING);
            let (r, c) = (flat / comptime!(tile.width), flat % comptime!(tile.width));
            // Neighbours are in different banks.
            left[(c * comptime!(tile.side()) + (r ^ c)) as usize] = found[comptime!(turn as usize)];
            found[comptime!(turn as usize)] = E::new(0.0);
        }
        for part in 0..call.parts {
            let first = (matrix * call.parts + part) * comptime!(tile.width);
            #[unroll]
            for turn in 0..comptime!(tile.width * tile.side() / TAKING) {
                let flat = unit + comptime!(turn * TAKING);
                let (r, c) = (flat / comptime!(tile.side()), side + flat % comptime!(tile.side()));
                found[comptime!(turn as usize)] += read(y, (first + r) * wide + c, c < wide);
            }
        }
        #[unroll]
        for turn in 0..comptime!(tile.width * tile.side() / TAKING) {
            right[(unit + comptime!(turn * TAKING)) as usize] = found[comptime!(turn as usize)];
        }
        sync_cube();
        for d in 0..comptime!(tile.width) {
            #[unroll]
            for col in 0..comptime!(tile.own) {
                let at = d * comptime!(tile.side()) + lane + comptime!(col * LANES);
                factors[comptime!(col as usize)] = right[at as usize];
            }
            #[unroll]
            for row in 0..comptime!(tile.own) {
                let at = d * comptime!(tile.side()) + ((down + comptime!(row * LANES)) ^ d);
                let factor = left[at as usize];
                #[unroll]
                for col in 0..comptime!(tile.own) {
                    left_over[comptime!((row * tile.own + col) as usize)] -=
                        factor * factors[comptime!(col as usize)];
                }
            }
        }
        #[unroll]
        for r in 0..comptime!(tile.own) {
            #[unroll]
            for c in 0..comptime!(tile.own) {
                let row = top + down + comptime!(r * LANES);
                if row < call.rows && side + lane + comptime!(c * LANES) < wide {
                    x[(corner + row * call.cols + comptime!(c * LANES)) as usize] =
                        left_over[comptime!((r * tile.own + c) as usize)];
                }
            }
        }
    }
}

impl Kernel for Take {
    const NAME: &'static str = "take_reflectors";
    // Units compare with the sizes before they load and store.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let call = body.read::<ReflectionCall>();
        let (u, y, x) = (body.array(0), body.array(1), body.array(2));
        take::expand::<A>(&mut body.scope, u, y, x, call, self.0);
    }
}

impl Block {
    /// Reflects columns of matrices in place, by the last reflection first, or by the first first
    /// (`is_turned`). The matrices are contiguous, in a buffer that no other tensor shares.
    pub fn reflect(&self, x: &CubeTensor, reflected: Range<usize>, is_turned: bool) {
        let ([batch, rows, cols], [_, _, inner]) = (sizes(x), sizes(&self.vectors));
        let (start, end, wide) = (self.columns.start, self.columns.end, reflected.len());
        if batch * wide == 0 {
            return;
        }
        let width = (end - start).next_power_of_two().max(8) as u32;
        let hardware = x.engine().hardware();
        let is_small = 4096 * stored_size(x.dtype()) > hardware.max_shared_memory_size;
        let tile = Tile { width, own: if is_small { 2 } else { 4 } };
        let tiles = wide.div_ceil(tile.side() as usize);
        // Not every runtime reports it.
        let processors = hardware.num_streaming_multiprocessors.unwrap_or(32) as usize;
        let parts = (processors / (batch * tiles)).clamp(1, (rows - start).div_ceil(FEWEST));
        let depth = (rows - start).div_ceil(parts).next_multiple_of(DEPTH as usize);
        let parts = (rows - start).div_ceil(depth);
        let words = ReflectionCall {
            batch: word(batch),
            rows: word(rows),
            cols: word(cols),
            inner: word(inner),
            start: word(start),
            end: word(end),
            first: word(reflected.start),
            last: word(reflected.end),
            parts: word(parts),
            depth: word(depth),
        }
        .words();
        let shape = behind_batch(x, &[parts, width as usize, wide]);
        let y = CubeTensor::empty(TensorSpec { shape, dtype: x.dtype() }, x.engine());
        let kernel = Project { tile, is_turned };
        let inputs = [&self.vectors, &self.triangle, x];
        let units = CubeDim::new_1d(PROJECTING);
        launch_cubes(kernel, &inputs, &[&y], &words, batch * parts * tiles, units);
        let high = (rows - start).div_ceil(tile.side() as usize);
        let units = CubeDim::new_1d(TAKING);
        launch_cubes(Take(tile), &[&self.vectors, &y], &[x], &words, batch * high * tiles, units);
    }
}

use super::key::Keyed;
use crate::launch::kernel::{A, Body, Kernel, launch_cubes};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::ops::scan::{cumulative, slot};
use burn_backend::{CumulativeOp, DType, HasSpec, TensorSpec};
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Units of a cube.
const UNITS: u32 = 128;
/// Values of a digit.
const DIGITS: u32 = 16;
/// A counter for each unit and digit.
const COUNTERS: u32 = DIGITS * UNITS;
/// Counters that a unit sums up.
const OWN: u32 = COUNTERS / UNITS;

/// How many keys of a tile have each digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Count {
    /// Keys of a unit.
    own: u32,
}

#[cube]
fn digit<K: Int>(key: K, shift: u32) -> u32 {
    u32::cast_from((key >> K::cast_from(shift)) & K::from_int(15))
}

/// Where the counter of a unit is: by digits, and by units in them.
#[cube]
fn counter(digit: u32, unit: u32) -> usize {
    slot(digit * UNITS + unit)
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn count<K: Int>(
    keys: &Array<K>,
    counts: &mut Array<u32>,
    rows: u32,
    terms: u32,
    tiles: u32,
    shift: u32,
    #[comptime] own: u32,
) {
    let mut counters = SharedMemory::<u32>::new(comptime!((COUNTERS + COUNTERS / 32) as usize));
    let mut sums = SharedMemory::<u32>::new(comptime!(UNITS as usize));
    let unit = UNIT_POS;
    let cube = CUBE_POS as u32;
    let (row, tile) = (cube / tiles, cube % tiles);
    if row < rows {
        #[unroll]
        for d in 0..DIGITS {
            counters[counter(d, unit)] = 0u32;
        }
        #[unroll]
        for j in 0..own {
            let k = tile * comptime!(own * UNITS) + unit + comptime!(j * UNITS);
            if k < terms {
                let at = counter(digit::<K>(keys[(row * terms + k) as usize], shift), unit);
                counters[at] = counters[at] + 1u32;
            }
        }
        sync_cube();
        let mut sum = 0u32;
        #[unroll]
        for k in 0..OWN {
            sum += counters[slot(unit * OWN + k)];
        }
        sums[unit as usize] = sum;
        sync_cube();
        if unit < DIGITS {
            let mut all = 0u32;
            #[unroll]
            for k in 0..comptime!(UNITS / DIGITS) {
                all += sums[(unit * comptime!(UNITS / DIGITS) + k) as usize];
            }
            counts[((row * DIGITS + unit) * tiles + tile) as usize] = all;
        }
    }
}

impl Kernel for Count {
    const NAME: &'static str = "sort_count";

    fn expand(&self, body: &mut Body) {
        let (keys, counts) = (body.array(0), body.array(1));
        let [rows, terms, tiles, shift] = [0, 1, 2, 3].map(|at| body.word(at));
        count::expand::<A>(&mut body.scope, keys, counts, rows, terms, tiles, shift, self.own);
    }
}

/// Keys, in order within a tile, to their places by one digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Scatter {
    own: u32,
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn scatter<K: Int>(
    keys: &Array<K>,
    places: &Array<u32>,
    ends: &Array<u32>,
    new_keys: &mut Array<K>,
    new_places: &mut Array<u32>,
    rows: u32,
    terms: u32,
    tiles: u32,
    shift: u32,
    #[comptime] own: u32,
) {
    let mut counters = SharedMemory::<u32>::new(comptime!((COUNTERS + COUNTERS / 32) as usize));
    let mut sums = SharedMemory::<u32>::new(comptime!(UNITS as usize));
    let mut targets = SharedMemory::<u32>::new(comptime!(DIGITS as usize));
    let mut tile_keys = SharedMemory::<K>::new(comptime!((own * UNITS + own * UNITS / 32) as usize));
    let mut tile_places = SharedMemory::<u32>::new(comptime!((own * UNITS + own * UNITS / 32) as usize));
    let unit = UNIT_POS;
    let cube = CUBE_POS as u32;
    let (row, tile) = (cube / tiles, cube % tiles);
    if row < rows {
        let start = tile * comptime!(own * UNITS);
        let base = row * terms;
        #[unroll]
        for d in 0..DIGITS {
            counters[counter(d, unit)] = 0u32;
        }
        #[unroll]
        for j in 0..own {
            let k = unit + comptime!(j * UNITS);
            // Padding has the largest key and sorts behind all elements.
            let mut key = K::max_value();
            let mut place = 0u32;
            if start + k < terms {
                key = keys[(base + start + k) as usize];
                place = places[(base + start + k) as usize];
            }
            tile_keys[slot(k)] = key;
            tile_places[slot(k)] = place;
        }
        sync_cube();
        let mut own_keys = Array::<K>::new(comptime!(own as usize));
        let mut own_places = Array::<u32>::new(comptime!(own as usize));
        #[unroll]
        for j in 0..own {
            let from = slot(unit * own + j);
            let key = tile_keys[from];
            own_keys[comptime!(j as usize)] = key;
            own_places[comptime!(j as usize)] = tile_places[from];
            let at = counter(digit::<K>(key, shift), unit);
            counters[at] = counters[at] + 1u32;
        }
        sync_cube();
        // Counts become places in the tile.
        let mut sum = 0u32;
        #[unroll]
        for k in 0..OWN {
            sum += counters[slot(unit * OWN + k)];
        }
        sums[unit as usize] = sum;
        sync_cube();
        #[unroll]
        for k in 0..7u32 {
            let far = comptime!(1u32 << k);
            let mut sum = sums[unit as usize];
            if unit >= far {
                sum += sums[(unit - far) as usize];
            }
            sync_cube();
            sums[unit as usize] = sum;
            sync_cube();
        }
        let mut before = sums[unit as usize] - sum;
        #[unroll]
        for k in 0..OWN {
            let at = slot(unit * OWN + k);
            let own_count = counters[at];
            counters[at] = before;
            before += own_count;
        }
        sync_cube();
        if unit < DIGITS {
            // Output position of the first key with this digit, less its position in the tile.
            let which = (row * DIGITS + unit) * tiles + tile;
            let mut target = 0u32;
            if unit + tile > 0u32 {
                target = ends[(which - 1u32) as usize];
            }
            targets[unit as usize] = target - counters[counter(unit, 0u32)];
        }
        sync_cube();
        #[unroll]
        for j in 0..own {
            let key = own_keys[comptime!(j as usize)];
            let at = counter(digit::<K>(key, shift), unit);
            let to = counters[at];
            counters[at] = to + 1u32;
            tile_keys[slot(to)] = key;
            tile_places[slot(to)] = own_places[comptime!(j as usize)];
        }
        sync_cube();
        #[unroll]
        for j in 0..own {
            let k = unit + comptime!(j * UNITS);
            if start + k < terms {
                let key = tile_keys[slot(k)];
                let to = base + targets[digit::<K>(key, shift) as usize] + k;
                new_keys[to as usize] = key;
                new_places[to as usize] = tile_places[slot(k)];
            }
        }
    }
}

impl Kernel for Scatter {
    const NAME: &'static str = "sort_scatter";

    fn expand(&self, body: &mut Body) {
        let (keys, places, ends) = (body.array(0), body.array(1), body.array(2));
        let (new_keys, new_places) = (body.array(3), body.array(4));
        let [rows, terms, tiles, shift] = [0, 1, 2, 3].map(|at| body.word(at));
        scatter::expand::<A>(
            &mut body.scope,
            keys,
            places,
            ends,
            new_keys,
            new_places,
            rows,
            terms,
            tiles,
            shift,
            self.own,
        );
    }
}

/// The lines in order, from the last digit to the first; equal keys stay as they were.
pub fn sorted(mut lines: Keyed) -> Keyed {
    let is_wide = lines.keys.dtype() == DType::U64;
    // As many keys as shared memory has room for everywhere.
    let own = if is_wide { 8 } else { 16 };
    let tiles = lines.terms.div_ceil((own * UNITS) as usize);
    let (rows, terms) = (lines.count, lines.terms);
    let counts = TensorSpec::new([rows, DIGITS as usize * tiles], DType::U32);
    let units = CubeDim::new_1d(UNITS);
    for shift in (0..if is_wide { 64 } else { 32 }).step_by(4) {
        let words: Vec<u32> = strides::words(&[rows, terms, tiles, shift]).collect();
        let counts = CubeTensor::empty(counts.clone(), lines.keys.engine());
        launch_cubes(Count { own }, &[&lines.keys], &[&counts], &words, rows * tiles, units);
        let ends = cumulative(CumulativeOp::Sum, counts, 1);
        let next = lines.empty(rows, terms);
        let inputs = [&lines.keys, &lines.places, &ends];
        let outputs = [&next.keys, &next.places];
        launch_cubes(Scatter { own }, &inputs, &outputs, &words, rows * tiles, units);
        lines = next;
    }
    lines
}

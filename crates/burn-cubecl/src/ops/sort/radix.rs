use super::key::{Keyed, KeyedArrays, KeyedArraysExpand};
use crate::launch::kernel::{A, Body, Kernel, launch_cubes};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::cumulative::{cumulative, slot};
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

launch_words! {
    struct RadixWords {
        rows: u32,
        /// Keys of a row, and the tiles that it is divided into.
        terms: u32,
        tiles: u32,
        /// The lowest bit of the digit.
        shift: u32,
    }
}

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
fn count<K: Int>(keys: &Array<K>, counts: &mut Array<u32>, words: &RadixWords, #[comptime] own: u32) {
    let mut counters = SharedMemory::<u32>::new(comptime!((COUNTERS + COUNTERS / 32) as usize));
    let mut sums = SharedMemory::<u32>::new(comptime!(UNITS as usize));
    let unit = UNIT_POS;
    let cube = CUBE_POS as u32;
    let (row, tile) = (cube / words.tiles, cube % words.tiles);
    if row < words.rows {
        #[unroll]
        for d in 0..DIGITS {
            counters[counter(d, unit)] = 0u32;
        }
        #[unroll]
        for j in 0..own {
            let k = tile * comptime!(own * UNITS) + unit + comptime!(j * UNITS);
            if k < words.terms {
                let key = keys[(row * words.terms + k) as usize];
                let at = counter(digit::<K>(key, words.shift), unit);
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
            counts[((row * DIGITS + unit) * words.tiles + tile) as usize] = all;
        }
    }
}

impl Kernel for Count {
    const NAME: &'static str = "sort_count";

    fn expand(&self, body: &mut Body) {
        let (keys, counts) = (body.array(0), body.array(1));
        let words = body.read::<RadixWords>();
        count::expand::<A>(&mut body.scope, keys, counts, words, self.own);
    }
}

/// Keys, in order within a tile, to their positions by one digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Scatter {
    own: u32,
}

#[cube]
fn scatter<K: Int>(
    from: &KeyedArrays<K>,
    ends: &Array<u32>,
    to: &mut KeyedArrays<K>,
    words: &RadixWords,
    #[comptime] own: u32,
) {
    let mut counters = SharedMemory::<u32>::new(comptime!((COUNTERS + COUNTERS / 32) as usize));
    let mut sums = SharedMemory::<u32>::new(comptime!(UNITS as usize));
    let mut targets = SharedMemory::<u32>::new(comptime!(DIGITS as usize));
    let mut tile_keys = SharedMemory::<K>::new(comptime!((own * UNITS + own * UNITS / 32) as usize));
    let mut tile_places = SharedMemory::<u32>::new(comptime!((own * UNITS + own * UNITS / 32) as usize));
    let unit = UNIT_POS;
    let cube = CUBE_POS as u32;
    let (row, tile) = (cube / words.tiles, cube % words.tiles);
    if row < words.rows {
        let start = tile * comptime!(own * UNITS);
        let base = row * words.terms;
        #[unroll]
        for d in 0..DIGITS {
            counters[counter(d, unit)] = 0u32;
        }
        #[unroll]
        for j in 0..own {
            let k = unit + comptime!(j * UNITS);
            // Padding has the largest key and sorts after all elements.
            let mut key = K::max_value();
            let mut place = 0u32;
            if start + k < words.terms {
                key = from.keys[(base + start + k) as usize];
                place = from.places[(base + start + k) as usize];
            }
            tile_keys[slot(k)] = key;
            tile_places[slot(k)] = place;
        }
        sync_cube();
        let mut own_keys = Array::<K>::new(comptime!(own as usize));
        let mut own_places = Array::<u32>::new(comptime!(own as usize));
        #[unroll]
        for j in 0..own {
            let held = slot(unit * own + j);
            let key = tile_keys[held];
            own_keys[comptime!(j as usize)] = key;
            own_places[comptime!(j as usize)] = tile_places[held];
            let at = counter(digit::<K>(key, words.shift), unit);
            counters[at] = counters[at] + 1u32;
        }
        sync_cube();
        // Counts become offsets in the tile.
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
            let which = (row * DIGITS + unit) * words.tiles + tile;
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
            let at = counter(digit::<K>(key, words.shift), unit);
            let within = counters[at];
            counters[at] = within + 1u32;
            tile_keys[slot(within)] = key;
            tile_places[slot(within)] = own_places[comptime!(j as usize)];
        }
        sync_cube();
        #[unroll]
        for j in 0..own {
            let k = unit + comptime!(j * UNITS);
            if start + k < words.terms {
                let key = tile_keys[slot(k)];
                let target = base + targets[digit::<K>(key, words.shift) as usize] + k;
                to.keys[target as usize] = key;
                to.places[target as usize] = tile_places[slot(k)];
            }
        }
    }
}

impl Kernel for Scatter {
    const NAME: &'static str = "sort_scatter";

    fn expand(&self, body: &mut Body) {
        let from = KeyedArraysExpand::<A> { keys: body.array(0), places: body.array(1) };
        let ends = body.array(2);
        let to = KeyedArraysExpand::<A> { keys: body.array(3), places: body.array(4) };
        let words = body.read::<RadixWords>();
        scatter::expand::<A>(&mut body.scope, from, ends, to, words, self.own);
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
        let words = RadixWords { rows: word(rows), terms: word(terms), tiles: word(tiles), shift }.words();
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

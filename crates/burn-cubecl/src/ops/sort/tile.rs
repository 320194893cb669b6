use super::key::{Keyed, KeyedArrays, KeyedArraysExpand};
use crate::launch::kernel::{A, Body, Kernel, UNITS, launch_cubes};
use crate::launch::words::{LaunchWords, launch_words, word};
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Keys that are sorted in shared memory at most.
pub const LARGEST: usize = 2048;

/// Sorts tiles of lines, by a bitonic network in shared memory, and writes the first of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SortTiles {
    /// Keys of a tile: a power of two.
    size: u32,
    /// Keys of all tiles of a cube.
    all: u32,
}

launch_words! {
    struct TileWords {
        tiles: u32,
        /// Keys of a line, and the tiles that it is divided into.
        terms: u32,
        parts: u32,
        /// Keys of a tile that are written.
        kept: u32,
    }
}

#[cube]
fn sort_tiles<K: Int>(
    from: &KeyedArrays<K>,
    first: &mut KeyedArrays<K>,
    words: &TileWords,
    #[comptime] kernel: SortTiles,
) {
    let (size, all) = comptime!((kernel.size, kernel.all));
    let mut own_keys = SharedMemory::<K>::new(comptime!(all as usize));
    let mut own_places = SharedMemory::<u32>::new(comptime!(all as usize));
    let unit = UNIT_POS;
    let first_tile = CUBE_POS as u32 * comptime!(all / size);
    #[unroll]
    for j in 0..comptime!(all / UNITS) {
        let at = unit + comptime!(j * UNITS);
        let tile = first_tile + at / size;
        let k = tile % words.parts * size + at % size;
        // After everything else.
        let mut key = K::max_value();
        let mut place = 0xffff_ffffu32;
        if tile < words.tiles && k < words.terms {
            let source = (tile / words.parts * words.terms + k) as usize;
            key = from.keys[source];
            place = from.places[source];
        }
        own_keys[at as usize] = key;
        own_places[at as usize] = place;
    }
    let mut width = 2u32;
    while width <= size {
        let mut far = width / 2u32;
        while far > 0u32 {
            sync_cube();
            #[unroll]
            for j in 0..comptime!(all / UNITS / 2) {
                let pair = unit + comptime!(j * UNITS);
                let low = 2u32 * pair - (pair & (far - 1u32));
                let high = low + far;
                let rising = ((low % size) & width) == 0u32;
                let (x, y) = (own_keys[low as usize], own_keys[high as usize]);
                let (i, k) = (own_places[low as usize], own_places[high as usize]);
                let after = x > y || (x == y && i > k);
                if (after && rising) || (!after && !rising) {
                    own_keys[low as usize] = y;
                    own_keys[high as usize] = x;
                    own_places[low as usize] = k;
                    own_places[high as usize] = i;
                }
            }
            far /= 2u32;
        }
        width *= 2u32;
    }
    sync_cube();
    #[unroll]
    for j in 0..comptime!(all / UNITS) {
        let at = unit + comptime!(j * UNITS);
        let tile = first_tile + at / size;
        let k = at % size;
        if tile < words.tiles && k < words.kept {
            let to = (tile * words.kept + k) as usize;
            first.keys[to] = own_keys[at as usize];
            first.places[to] = own_places[at as usize];
        }
    }
}

impl Kernel for SortTiles {
    const NAME: &'static str = "sort_tiles";

    fn expand(&self, body: &mut Body) {
        let from = KeyedArraysExpand::<A> { keys: body.array(0), places: body.array(1) };
        let first = KeyedArraysExpand::<A> { keys: body.array(2), places: body.array(3) };
        let words = body.read::<TileWords>();
        sort_tiles::expand::<A>(&mut body.scope, from, first, words, *self);
    }
}

/// The first `kept` of each tile of the lines, in order. What is missing in a tile are keys after all
/// others.
pub fn first_of_tiles(lines: &Keyed, kept: usize) -> Keyed {
    // Few kernels for all lengths.
    let size = lines.terms.next_power_of_two().clamp(64, LARGEST);
    let parts = lines.terms.div_ceil(size);
    let kept = kept.min(size);
    let all = size.max(2 * UNITS as usize);
    let tiles = lines.count * parts;
    let out = lines.empty(lines.count, parts * kept);
    let words =
        TileWords { tiles: word(tiles), terms: word(lines.terms), parts: word(parts), kept: word(kept) };
    let kernel = SortTiles { size: size as u32, all: all as u32 };
    let cubes = tiles.div_ceil(all / size);
    let units = CubeDim::new_1d(UNITS);
    launch_cubes(
        kernel,
        &[&lines.keys, &lines.places],
        &[&out.keys, &out.places],
        &words.words(),
        cubes,
        units,
    );
    out
}

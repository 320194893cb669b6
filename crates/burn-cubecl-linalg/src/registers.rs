//! Householder reflections of a panel that the units of a cube keep in registers: memory is read and written
//! once.
//!
//! Register indices must be known when a kernel is compiled, and the loop over columns is none that is
//! written out. So the panel is moved to the left by one with each column: what is left comes first, and the
//! vectors that are found follow it. Sums of products with the first column are then all that a
//! column needs: those with itself and with what is left make the reflection, those with the vectors make the
//! triangle of [`super::reflectors::Block`].

use crate::epsilon::epsilon;
use crate::panel::{Panel, place, settle};
use crate::reflection_words::{ReflectionWords, reflected_panel, reflector_panel};
use burn_backend::{DType, HasSpec};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{A, Body, Kernel, LaunchWords, launch_cubes, stored_size};
use cubecl::CubeDim;
use cubecl::ir::HardwareProperties;
use cubecl::prelude::*;
use std::ops::Range;

/// Layout of a panel in the registers of a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Held {
    /// A power of two, at least 32.
    units: u32,
    /// Rows of a unit, with those of the other units between them.
    own: u32,
    /// Columns: a power of two, at least 8 and at most 32.
    pub width: u32,
    /// Columns that units exchange at a time.
    chunk: u32,
}

/// Bytes of a unit's registers: a quarter of what a processor has for 512 units.
const REGISTERS: usize = 512;

impl Held {
    /// The widest panel of matrices of so many rows, of which `left` are left, with as many columns. None
    /// where there are too many rows.
    pub fn of(
        hardware: &HardwareProperties,
        dtype: DType,
        rows: usize,
        left: usize,
        columns: usize,
    ) -> Option<Self> {
        let bytes = stored_size(dtype);
        let most = (hardware.max_units_per_cube as usize).min(256);
        // The same for all panels of a matrix, so that there are few kernels.
        let units = rows.next_power_of_two().max(32);
        let units = if units > most { 1 << most.ilog2() } else { units };
        let own = left.div_ceil(units).next_power_of_two();
        let widest = columns.next_power_of_two().clamp(8, 32);
        let widths = [32, 16, 8].into_iter().filter(|&width| width <= widest && width <= units);
        let fitting = widths.filter(|width| own * width * bytes <= REGISTERS);
        let mut all = fitting.flat_map(|width| {
            let chunks = [32, 16, 8, 4].into_iter().filter(move |&chunk| chunk <= width);
            chunks.map(move |chunk| [width, chunk])
        });
        let held = |[width, chunk]: [usize; 2]| {
            let [units, own, width, chunk] = [units, own, width, chunk].map(|size| size as u32);
            Held { units, own, width, chunk }
        };
        all.find_map(|sizes| {
            let held = held(sizes);
            (held.shared() * bytes <= hardware.max_shared_memory_size).then_some(held)
        })
    }

    /// Units that add up the same column.
    fn parts(self) -> u32 {
        self.units / self.chunk
    }

    /// How often all columns of a row are exchanged a part at a time.
    fn pieces(self) -> u32 {
        self.width / self.chunk
    }

    /// Exchanges of all that is held.
    fn steps(self) -> u32 {
        self.own * self.pieces()
    }

    /// Elements that are exchanged, by columns of a chunk or for the triangle with products beside it.
    fn exchanged(self) -> u32 {
        (self.units * (self.chunk + 1)).max(self.width * self.width / 4 * 5)
    }

    /// Elements of shared memory.
    fn shared(self) -> usize {
        (self.exchanged() + self.parts() * self.width + 2 * self.width + 2) as usize
    }
}

/// Reflects the panel of each matrix to a triangle, a cube for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ReflectHeld {
    held: Held,
    /// Whether elements are `f64`.
    is_wide: bool,
}

/// Where units exchange a rectangle of a row for each unit: neither along rows nor along columns two of them
/// are in the same bank.
#[cube]
fn spot(row: u32, col: u32, #[comptime] held: Held) -> usize {
    (row * comptime!(held.chunk + 1) + col) as usize
}

/// Moves all of a unit's values to the left, by so many as are exchanged at a time: as units do between steps
/// of the same code.
#[cube]
fn shift<E: Float>(own: &mut Array<E>, #[comptime] held: Held) {
    #[unroll]
    for at in comptime!(held.chunk as usize)..comptime!((held.own * held.width) as usize) {
        own[comptime!(at - held.chunk as usize)] = own[at];
    }
}

/// The rows of each unit. Zeros where there is nothing.
#[cube]
fn load<E: Float>(
    x: &Array<E>,
    own: &mut Array<E>,
    exchange: &mut SharedMemory<E>,
    panel: &Panel,
    #[comptime] held: Held,
) {
    let unit = UNIT_POS_X;
    let last = comptime!((held.own * held.width - held.chunk) as usize);
    let mut loaded = Array::<E>::new(comptime!(held.chunk as usize));
    #[unroll]
    for at in 0..comptime!((held.own * held.width) as usize) {
        own[at] = E::new(0.0);
    }
    for step in 0..comptime!(held.steps()) {
        let top = panel.start + step / comptime!(held.pieces()) * comptime!(held.units);
        let side = panel.start + step % comptime!(held.pieces()) * comptime!(held.chunk);
        // All loads before the first store.
        #[unroll]
        for turn in 0..comptime!(held.chunk) {
            let flat = unit + comptime!(turn * held.units);
            let (row, col) = (top + flat / comptime!(held.chunk), side + flat % comptime!(held.chunk));
            let is_there = row < panel.rows && col < panel.end;
            let at = select(is_there, place(panel, row, col), place(panel, panel.start, panel.start));
            loaded[comptime!(turn as usize)] = select(is_there, x[at], E::new(0.0));
        }
        shift(own, held);
        sync_cube();
        #[unroll]
        for turn in 0..comptime!(held.chunk) {
            let flat = unit + comptime!(turn * held.units);
            let at = spot(flat / comptime!(held.chunk), flat % comptime!(held.chunk), held);
            exchange[at] = loaded[comptime!(turn as usize)];
        }
        sync_cube();
        #[unroll]
        for col in 0..comptime!(held.chunk) {
            own[comptime!(last + col as usize)] = exchange[spot(unit, col.runtime(), held)];
        }
    }
    sync_cube();
}

/// The vectors to memory, and zeros to where they were.
#[cube]
fn store<E: Float>(
    x: &mut Array<E>,
    u: &mut Array<E>,
    own: &mut Array<E>,
    exchange: &mut SharedMemory<E>,
    panel: &Panel,
    vectors: &Panel,
    #[comptime] held: Held,
) {
    let unit = UNIT_POS_X;
    let count = panel.end - panel.start;
    // Vectors are in the last registers.
    let before = comptime!(held.width) - count;
    for step in 0..comptime!(held.steps()) {
        let top = step / comptime!(held.pieces()) * comptime!(held.units);
        let side = step % comptime!(held.pieces()) * comptime!(held.chunk);
        sync_cube();
        #[unroll]
        for col in 0..comptime!(held.chunk) {
            exchange[spot(unit, col.runtime(), held)] = own[comptime!(col as usize)];
        }
        shift(own, held);
        sync_cube();
        for turn in 0..comptime!(held.chunk) {
            let flat = unit + turn * comptime!(held.units);
            let (down, across) = (flat / comptime!(held.chunk), flat % comptime!(held.chunk));
            let (row, col) = (top + down, side + across);
            if panel.start + row < panel.rows {
                if col >= before {
                    u[place(vectors, panel.start + row, panel.start + col - before)] =
                        exchange[spot(down, across, held)];
                }
                if col < count && col < row {
                    x[place(panel, panel.start + row, panel.start + col)] = E::new(0.0);
                }
            }
        }
    }
    sync_cube();
}

/// For each column of the panel the sum of its products with the first one below row `k`, in parts.
#[cube]
fn products<E: Float>(
    own: &Array<E>,
    exchange: &mut SharedMemory<E>,
    sums: &mut SharedMemory<E>,
    k: u32,
    #[comptime] held: Held,
) {
    let unit = UNIT_POS_X;
    let (across, part) = (unit / comptime!(held.parts()), unit % comptime!(held.parts()));
    let mut top = own[0];
    if unit <= k {
        top = E::new(0.0);
    }
    #[unroll]
    for piece in 0..comptime!(held.pieces()) {
        #[unroll]
        for c in 0..comptime!(held.chunk) {
            let col = comptime!((piece * held.chunk + c) as usize);
            let mut sum = top * own[col];
            #[unroll]
            for r in 1..comptime!(held.own) {
                let first = comptime!((r * held.width) as usize);
                sum += own[first] * own[comptime!(first + col)];
            }
            exchange[(unit + comptime!(c * (held.units + held.parts()))) as usize] = sum;
        }
        sync_cube();
        // Neighbours are in different banks as they add up, too.
        let first = across * comptime!(held.units + held.parts()) + part;
        let mut even = E::new(0.0);
        let mut odd = E::new(0.0);
        #[unroll]
        for pair in 0..comptime!(held.chunk / 2) {
            even += exchange[(first + comptime!(2 * pair * held.parts())) as usize];
            odd += exchange[(first + comptime!((2 * pair + 1) * held.parts())) as usize];
        }
        sums[(part * comptime!(held.width) + comptime!(piece * held.chunk) + across) as usize] = even + odd;
        sync_cube();
    }
}

/// The inverse of a triangle with ones on its diagonal, in place: that of twice the size from both halves of
/// its diagonal.
#[cube]
fn invert<E: Float>(triangle: &mut SharedMemory<E>, #[comptime] held: Held) {
    let products = comptime!(held.width * held.width);
    let mut half = 1u32.runtime();
    while half < comptime!(held.width) {
        sync_cube();
        let mut at = UNIT_POS_X + 0u32;
        while at < half * comptime!(held.width / 2) {
            let corner = at / (half * half) * half * 2u32;
            let from = (corner + at / half % half) * comptime!(held.width) + corner + half;
            let to = (corner + half) * comptime!(held.width) + corner + half + at % half;
            let mut sum = E::new(0.0);
            for l in 0..half {
                sum += triangle[(from + l) as usize] * triangle[(to + l * comptime!(held.width)) as usize];
            }
            triangle[(at + products) as usize] = sum;
            at += comptime!(held.units);
        }
        sync_cube();
        let mut at = UNIT_POS_X + 0u32;
        while at < half * comptime!(held.width / 2) {
            let block = at / (half * half);
            let corner = block * half * 2u32;
            let row = (corner + at / half % half) * comptime!(held.width) + corner;
            let from = products + block * half * half + at % half;
            let mut sum = E::new(0.0);
            for l in 0..half {
                sum += triangle[(row + l) as usize] * triangle[(from + l * half) as usize];
            }
            triangle[(row + half + at % half) as usize] = -sum;
            at += comptime!(held.units);
        }
        half = half * 2u32;
    }
    sync_cube();
}

#[cube]
fn reflect_held<E: Float>(
    x: &mut Array<E>,
    u: &mut Array<E>,
    t: &mut Array<E>,
    words: &ReflectionWords,
    #[comptime] kernel: ReflectHeld,
) {
    let held = comptime!(kernel.held);
    let mut exchange = SharedMemory::<E>::new(comptime!(held.exchanged() as usize));
    let mut sums = SharedMemory::<E>::new(comptime!((held.parts() * held.width) as usize));
    let mut top = SharedMemory::<E>::new(comptime!(held.width as usize));
    // By how much of the vector each column becomes less; then what makes the first column the vector, and
    // the vector's first element.
    let mut taken = SharedMemory::<E>::new(comptime!(held.width as usize + 2));
    let unit = UNIT_POS_X;
    let matrix = CUBE_POS as u32;
    if matrix < words.batch {
        let panel = reflected_panel(words, matrix);
        let vectors = reflector_panel(words, matrix);
        let start = words.start;
        let count = words.end - start;
        let triangle = matrix * count * count;
        let mut own = Array::<E>::new(comptime!((held.own * held.width) as usize));
        let mut vector = Array::<E>::new(comptime!(held.own as usize));
        load(x, &mut own, &mut exchange, &panel, held);
        for k in 0..count {
            if unit == k {
                #[unroll]
                for col in 0..comptime!(held.width as usize) {
                    top[col] = own[col];
                }
            }
            products(&own, &mut exchange, &mut sums, k, held);
            if unit < comptime!(held.width) {
                let mut below = E::new(0.0);
                let mut along = E::new(0.0);
                #[unroll]
                for part in 0..comptime!(held.parts()) {
                    below += sums[comptime!((part * held.width) as usize)];
                    along += sums[(unit + comptime!(part * held.width)) as usize];
                }
                let head = top[0];
                let length = (head * head + below).sqrt();
                // The sign opposite to `head` avoids cancellation.
                let mut beta = length;
                if head > E::new(0.0) {
                    beta = -length;
                }
                let first = head - beta;
                let mut scale = (E::new(2.0) / (first * first + below)).sqrt();
                // Shorter vectors are rounding noise: the squares of their elements have no digits left.
                if length <= epsilon::<E>(comptime!(kernel.is_wide)) * E::new(1e-6) {
                    scale = E::new(0.0);
                    beta = head;
                }
                let to = first * scale;
                let product = scale * (first * top[unit as usize] + along);
                let left = comptime!(held.width) - k;
                let mut take = product;
                if unit == 0u32 {
                    take = E::new(0.0);
                    taken[comptime!(held.width as usize)] = scale;
                    taken[comptime!(held.width as usize + 1)] = to;
                }
                if unit >= left {
                    take = E::new(0.0);
                    t[(triangle + (unit - left) * count + k) as usize] = product;
                }
                taken[unit as usize] = take;
                if k + unit < count {
                    let mut value = top[unit as usize] - take * to;
                    if unit == 0u32 {
                        value = beta;
                    }
                    x[place(&panel, start + k, start + k + unit)] = value;
                }
            }
            sync_cube();
            let scale = taken[comptime!(held.width as usize)];
            #[unroll]
            for r in 0..comptime!(held.own as usize) {
                vector[r] = own[comptime!(r * held.width as usize)] * scale;
            }
            if unit == k {
                vector[0] = taken[comptime!(held.width as usize + 1)];
            } else if unit < k {
                vector[0] = E::new(0.0);
            }
            #[unroll]
            for col in 1..comptime!(held.width as usize) {
                let take = taken[col];
                #[unroll]
                for r in 0..comptime!(held.own as usize) {
                    let at = comptime!(r * held.width as usize + col);
                    own[comptime!(at - 1)] = own[at] - take * vector[r];
                }
            }
            #[unroll]
            for r in 0..comptime!(held.own as usize) {
                own[comptime!((r + 1) * held.width as usize - 1)] = vector[r];
            }
        }
        store(x, u, &mut own, &mut exchange, &panel, &vectors, held);
        settle();
        let mut at = unit + 0u32;
        while at < comptime!(held.width * held.width) {
            let (row, col) = (at / comptime!(held.width), at % comptime!(held.width));
            let mut value = E::new(0.0);
            if row == col {
                value = E::new(1.0);
            } else if row < col && col < count {
                value = t[(triangle + row * count + col) as usize];
            }
            exchange[at as usize] = value;
            at += comptime!(held.units);
        }
        invert(&mut exchange, held);
        let mut at = unit + 0u32;
        while at < comptime!(held.width * held.width) {
            let (row, col) = (at / comptime!(held.width), at % comptime!(held.width));
            if row < count && col < count {
                t[(triangle + row * count + col) as usize] = exchange[at as usize];
            }
            at += comptime!(held.units);
        }
    }
}

impl Kernel for ReflectHeld {
    const NAME: &'static str = "reflect_held";
    // Units compare with the sizes before they load and store.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let (x, u, t) = (body.array(0), body.array(1), body.array(2));
        let words = body.read::<ReflectionWords>();
        reflect_held::expand::<A>(&mut body.scope, x, u, t, words, *self);
    }
}

/// As [`super::reflectors::Block::new`], with a panel that a cube holds.
pub fn reflect_held_panel(x: &CubeTensor, u: &CubeTensor, t: &CubeTensor, columns: Range<usize>, held: Held) {
    let words = ReflectionWords::new(x, columns);
    let kernel = ReflectHeld { held, is_wide: x.dtype() == DType::F64 };
    launch_cubes(kernel, &[], &[x, u, t], &words.words(), words.batch as usize, CubeDim::new_1d(held.units));
}

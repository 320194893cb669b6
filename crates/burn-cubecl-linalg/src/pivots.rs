//! Panels with partial pivoting, a cube for each matrix. Matrices are stored by columns, so that neighbours
//! load neighbours.

use crate::panel::{Panel, WIDTH, place_by_columns, settle};
use burn_cubecl::kernels::{A, Body, Kernel, LaunchWords, launch_cubes, launch_words, word};
use burn_cubecl::{CubeTensor, Engine};
use cubecl::CubeDim;
use cubecl::prelude::*;
use std::ops::Range;

/// The most units of a cube: more would have too few registers.
const UNITS: usize = 512;
/// Bytes of a unit's part of a panel that stay in its registers.
const HELD: usize = 256;
/// Columns of panels that are too high for that.
const NARROW: usize = 8;

/// Distribution of a panel over the units of a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Share {
    units: u32,
    /// Rows that a unit holds, all at once; none where the panel stays in memory.
    each: u32,
    /// The most columns of the panel.
    width: u32,
}

impl Share {
    /// For panels of so many rows, and of a matrix with so many pivots, of numbers of so many bytes.
    pub fn of(rows: usize, inner: usize, bytes: usize, engine: &dyn Engine) -> Self {
        let most = 1 << (engine.hardware().max_units_per_cube as usize).min(UNITS).ilog2();
        let widest = inner.next_power_of_two().min(WIDTH);
        let widths = (2..=WIDTH.ilog2()).rev().map(|power| 1 << power);
        for width in widths {
            let each = HELD / bytes / width;
            // Few of them, so that there are few kernels.
            let mut counts = [32, 128, most].into_iter().map(|units: usize| units.min(most));
            if let Some(units) = counts.find(|units| units * each >= rows) {
                let (each, width) = (each.min(rows.div_ceil(units).next_power_of_two()), width.min(widest));
                return Share { units: units as u32, each: each as u32, width: width as u32 };
            }
        }
        Share { units: most as u32, each: 0, width: NARROW.min(widest) as u32 }
    }

    pub fn width(self) -> usize {
        self.width as usize
    }

    /// How often the number of units that search for the largest element is divided by eight.
    fn rounds(self) -> u32 {
        (self.units.ilog2() - 1) / 3
    }
}

/// Shared memory of the pivot search: magnitudes and rows, one for each unit, and the pivot row.
#[derive(CubeType)]
struct Search<E: Float> {
    sizes: SharedMemory<E>,
    places: SharedMemory<u32>,
    row: SharedMemory<E>,
}

#[cube]
fn search<E: Float>(#[comptime] share: Share) -> Search<E> {
    Search::<E> {
        sizes: SharedMemory::<E>::new(comptime!(share.units as usize)),
        places: SharedMemory::<u32>::new(comptime!(share.units as usize)),
        row: SharedMemory::<E>::new(comptime!(share.width as usize)),
    }
}

/// Whether a number is preferred to the best so far: of equals the first.
#[cube]
fn wins<E: Float>(size: E, place: u32, best: E, at: u32) -> bool {
    size > best || (size == best && place < at)
}

/// The row of the largest magnitude of those of all units.
#[cube]
fn largest_of<E: Float>(search: &mut Search<E>, size: E, place: u32, #[comptime] share: Share) -> u32 {
    let unit = UNIT_POS;
    search.sizes[unit as usize] = size;
    search.places[unit as usize] = place;
    #[unroll]
    for round in 0..comptime!(share.rounds()) {
        let left = comptime!(share.units >> (3 * (round + 1)));
        sync_cube();
        if unit < left {
            let mut best = search.sizes[unit as usize];
            let mut at = search.places[unit as usize];
            #[unroll]
            for other in 1..8u32 {
                let from = unit + comptime!(other * left);
                let (size, place) = (search.sizes[from as usize], search.places[from as usize]);
                let is_better = wins::<E>(size, place, best, at);
                best = select(is_better, size, best);
                at = select(is_better, place, at);
            }
            search.sizes[unit as usize] = best;
            search.places[unit as usize] = at;
        }
    }
    sync_cube();
    let mut best = search.sizes[0];
    let mut at = search.places[0];
    #[unroll]
    for other in 1..comptime!(share.units >> (3 * share.rounds())) {
        let (size, place) =
            (search.sizes[comptime!(other as usize)], search.places[comptime!(other as usize)]);
        let is_better = wins::<E>(size, place, best, at);
        best = select(is_better, size, best);
        at = select(is_better, place, at);
    }
    at
}

launch_words! {
    struct PanelWords {
        batch: u32,
        rows: u32,
        cols: u32,
        /// Columns of the panel.
        start: u32,
        end: u32,
    }
}

/// Factors a panel whose rows units hold. Rows stay where they are until all pivots are found: each knows its
/// place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct HeldPanel(Share);

#[cube]
fn held_panel<E: Float>(
    x: &mut Array<E>,
    order: &mut Array<i32>,
    pivots: &mut Array<u32>,
    words: &PanelWords,
    #[comptime] share: Share,
) {
    let (rows, start, end) = (words.rows, words.start, words.end);
    let (each, width) = comptime!((share.each, share.width));
    let mut search = search::<E>(share);
    let unit = UNIT_POS;
    let matrix = CUBE_POS as u32;
    if matrix < words.batch {
        let panel = Panel { base: matrix * words.cols * rows, rows, cols: words.cols, start, end };
        let mut own = Array::<E>::new(comptime!((each * width) as usize));
        let mut places = Array::<u32>::new(comptime!(each as usize));
        let mut names = Array::<i32>::new(comptime!(each as usize));
        #[unroll]
        for r in 0..each {
            let i = start + unit + comptime!(r * share.units);
            places[comptime!(r as usize)] = i;
            names[comptime!(r as usize)] = 0i32;
            if i < rows {
                names[comptime!(r as usize)] = order[(matrix * rows + i) as usize];
            }
            #[unroll]
            for j in 0..width {
                let mut value = E::new(0.0);
                if i < rows && start + j < end {
                    value = x[place_by_columns(&panel, i, start + j)];
                }
                own[comptime!((r * width + j) as usize)] = value;
            }
        }
        for k in start..end {
            // Nothing is preferred to what is no number, or a driver may think so: then the row stays, which
            // there is.
            let mut best = E::new(-1.0);
            let mut at = k + 0u32;
            #[unroll]
            for r in 0..each {
                let place = places[comptime!(r as usize)];
                if place >= k && place < rows {
                    let size = E::abs(own[comptime!((r * width) as usize)]);
                    let is_better = wins::<E>(size, place, best, at);
                    best = select(is_better, size, best);
                    at = select(is_better, place, at);
                }
            }
            let pivot = largest_of::<E>(&mut search, best, at, share);
            if unit == 0u32 {
                pivots[(matrix * (end - start) + k - start) as usize] = pivot;
            }
            #[unroll]
            for r in 0..each {
                let place = places[comptime!(r as usize)];
                if place == pivot {
                    places[comptime!(r as usize)] = k;
                    // Columns that are finished are after the others, and nothing is taken from them.
                    #[unroll]
                    for j in 0..width {
                        let value = own[comptime!((r * width + j) as usize)];
                        let is_left = k + j < start + width;
                        search.row[comptime!(j as usize)] = select(is_left, value, E::new(0.0));
                    }
                } else if place == k {
                    places[comptime!(r as usize)] = pivot;
                }
            }
            sync_cube();
            let head = search.row[0];
            #[unroll]
            for r in 0..each {
                let first = comptime!((r * width) as usize);
                let last = comptime!((r * width + width - 1) as usize);
                let value = own[first];
                // A column of zeros stays.
                let is_below = places[comptime!(r as usize)] > k && head != E::new(0.0);
                let mut factor = E::new(0.0);
                let mut done = value;
                if is_below {
                    factor = value / head;
                    done = factor;
                }
                #[unroll]
                for j in 1..width {
                    let at = comptime!((r * width + j) as usize);
                    own[comptime!(at - 1)] = own[at] - factor * search.row[comptime!(j as usize)];
                }
                own[last] = done;
            }
        }
        // Round until the first column is the first again.
        for _ in end..start + width {
            #[unroll]
            for r in 0..each {
                let value = own[comptime!((r * width) as usize)];
                #[unroll]
                for j in 1..width {
                    let at = comptime!((r * width + j) as usize);
                    own[comptime!(at - 1)] = own[at];
                }
                own[comptime!((r * width + width - 1) as usize)] = value;
            }
        }
        settle();
        #[unroll]
        for r in 0..each {
            let i = start + unit + comptime!(r * share.units);
            let place = places[comptime!(r as usize)];
            if i < rows {
                order[(matrix * rows + place) as usize] = names[comptime!(r as usize)];
                #[unroll]
                for j in 0..width {
                    if start + j < end {
                        x[place_by_columns(&panel, place, start + j)] =
                            own[comptime!((r * width + j) as usize)];
                    }
                }
            }
        }
    }
}

impl Kernel for HeldPanel {
    const NAME: &'static str = "lu_panel";
    // Units compare with the sizes before they load and store.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let (x, order, pivots) = (body.array(0), body.array(1), body.array(2));
        let words = body.read::<PanelWords>();
        held_panel::expand::<A>(&mut body.scope, x, order, pivots, words, self.0);
    }
}

/// Factors a panel in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct HighPanel(Share);

#[cube]
fn high_panel<E: Float>(
    x: &mut Array<E>,
    order: &mut Array<i32>,
    pivots: &mut Array<u32>,
    words: &PanelWords,
    #[comptime] share: Share,
) {
    let (rows, start, end) = (words.rows, words.start, words.end);
    let (units, width) = comptime!((share.units, share.width));
    let mut search = search::<E>(share);
    let unit = UNIT_POS;
    let matrix = CUBE_POS as u32;
    if matrix < words.batch {
        let panel = Panel { base: matrix * words.cols * rows, rows, cols: words.cols, start, end };
        for k in panel.start..panel.end {
            let mut best = E::new(-1.0);
            let mut at = k + 0u32;
            let mut i = k + unit;
            while i < panel.rows {
                let size = E::abs(x[place_by_columns(&panel, i, k)]);
                let is_better = wins::<E>(size, i, best, at);
                best = select(is_better, size, best);
                at = select(is_better, i, at);
                i += units;
            }
            let pivot = largest_of::<E>(&mut search, best, at, share);
            if unit == 0u32 {
                pivots[(matrix * (end - start) + k - start) as usize] = pivot;
                let (from, to) = ((matrix * rows + pivot) as usize, (matrix * rows + k) as usize);
                let name = order[from];
                order[from] = order[to];
                order[to] = name;
            }
            if unit < end - start {
                let from = place_by_columns(&panel, pivot, start + unit);
                let to = place_by_columns(&panel, k, start + unit);
                let value = x[from];
                x[from] = x[to];
                x[to] = value;
                search.row[unit as usize] = value;
            }
            settle();
            let head = search.row[(k - start) as usize];
            let mut i = k + 1u32 + unit;
            while i < panel.rows && head != E::new(0.0) {
                let factor = x[place_by_columns(&panel, i, k)] / head;
                x[place_by_columns(&panel, i, k)] = factor;
                #[unroll]
                for j in 0..width {
                    if start + j > k && start + j < end {
                        let at = place_by_columns(&panel, i, start + j);
                        x[at] = x[at] - factor * search.row[comptime!(j as usize)];
                    }
                }
                i += units;
            }
            settle();
        }
    }
}

impl Kernel for HighPanel {
    const NAME: &'static str = "lu_panel_in_memory";

    fn expand(&self, body: &mut Body) {
        let (x, order, pivots) = (body.array(0), body.array(1), body.array(2));
        let words = body.read::<PanelWords>();
        high_panel::expand::<A>(&mut body.scope, x, order, pivots, words, self.0);
    }
}

/// Factors a panel of matrices by columns, `[.., n, m]`, in place. Rows of `order` are exchanged as those of
/// the panel; `pivots` becomes where each came from.
pub fn factor_panel(
    x: &CubeTensor,
    order: &CubeTensor,
    pivots: &CubeTensor,
    [batch, cols, rows]: [usize; 3],
    panel: Range<usize>,
    share: Share,
) {
    let words = PanelWords {
        batch: word(batch),
        rows: word(rows),
        cols: word(cols),
        start: word(panel.start),
        end: word(panel.end),
    }
    .words();
    let (outputs, units) = ([x, order, pivots], CubeDim::new_1d(share.units));
    match share.each {
        0 => launch_cubes(HighPanel(share), &[], &outputs, &words, batch, units),
        _ => launch_cubes(HeldPanel(share), &[], &outputs, &words, batch, units),
    }
}

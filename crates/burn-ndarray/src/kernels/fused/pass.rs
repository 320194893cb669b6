//! All stages of a block, tile after tile.

use super::chain::BoundChain;
use super::chain_kernel;
use super::cursor::{Area, Scratch};
use super::input::Grid;
use super::stage::Stage;
use super::tile_allocation::TileAllocation;
use crate::memory::Buffer;
use crate::simd::prefetch;
use crate::threads::parallel::{self, Shared};
use alloc::vec::Vec;

/// Bytes of the values of a tile, with what is fetched for the next one: they stay in the first cache.
const CACHED: usize = 24 << 10;
/// Most elements of a tile: with more, memory would rest while steps compute, and the reverse.
const LARGEST: usize = 1024;
/// As [`CACHED`] and [`LARGEST`], of rows that are reduced where chains are: their few stages keep memory
/// busy without being asked to, and a row is in the first cache from its first stage to its last.
const CACHED_OF_ROWS: usize = 48 << 10;
const LARGEST_OF_ROWS: usize = 2048;
/// Bytes of the widest element.
const WIDEST: usize = 8;
/// Bytes that memory hands over at once.
const LINE: usize = 64;
/// How many tiles ahead memory is asked.
const AHEAD: usize = 2;
/// Stages that keep memory busy without being asked to.
const BUSY: usize = 2;

/// Order of a pass over the grid.
#[derive(Debug)]
pub struct Pass {
    grid: Grid,
    tile_rows: usize,
    tile_columns: usize,
    /// Bytes of scratch memory.
    bytes: usize,
    /// Whether chains go through tiles of whole rows.
    is_chained: bool,
    pub scratch: Scratch,
}

impl Pass {
    pub fn new(grid: Grid, folded: bool, places: &TileAllocation) -> Self {
        let Grid { rows, columns } = grid;
        let width = places.values.iter().map(|value| value.width).max().unwrap_or(WIDEST);
        let is_chained = folded && chain_kernel::is_available();
        let (cached, largest) =
            if is_chained { (CACHED_OF_ROWS, LARGEST_OF_ROWS) } else { (CACHED, LARGEST) };
        let elements = (cached / (width * (places.tiles + 1))).clamp(256, largest) / 64 * 64;
        let (tile_rows, tile_columns) = if folded {
            ((elements / columns.max(1)).max(1), columns)
        } else if columns >= elements {
            (1, elements)
        } else {
            (elements / columns.max(1), columns)
        };
        let tile_rows = tile_rows.min(rows);
        let scratch = Scratch {
            tiles: places.tiles,
            tile: (tile_rows * tile_columns * width).next_multiple_of(64),
            column: tile_rows * WIDEST,
        };
        let bytes = scratch.tiles * scratch.tile + places.columns * scratch.column;
        Pass { grid, tile_rows, tile_columns, bytes, is_chained, scratch }
    }

    /// The areas of tiles, from one of them on.
    fn areas(&self, first: usize) -> Areas {
        let across = self.grid.columns.div_ceil(self.tile_columns);
        let (row, column) = (first / across * self.tile_rows, first % across * self.tile_columns);
        Areas { grid: self.grid, rows: self.tile_rows, columns: self.tile_columns, row, column }
    }

    pub fn run(&self, stages: &[Stage<'_>]) {
        let Grid { rows, columns } = self.grid;
        if rows * columns == 0 {
            return;
        }
        let tiles = rows.div_ceil(self.tile_rows) * columns.div_ceil(self.tile_columns);
        let cost = stages.iter().map(Stage::cost).sum::<usize>();
        let tile = self.tile_rows * self.tile_columns;
        let streams = if self.is_chained { Vec::new() } else { streams(stages, columns, tile) };
        parallel::for_ranges(tiles, cost * self.tile_rows * self.tile_columns, &|range| {
            let mut scratch = Buffer::new(self.bytes);
            let scratch: &mut [u8] = scratch.as_mut_slice().expect("a new buffer is unique");
            let scratch = scratch.as_mut_ptr();
            let areas = self.areas(range.start).take(range.len());
            if self.is_chained {
                return run_rows(stages, areas, scratch);
            }
            let mut later = self.areas(range.start + AHEAD);
            for area in areas {
                let ahead = later.next();
                for (k, stage) in stages.iter().enumerate() {
                    if let Some(ahead) = ahead {
                        streams.iter().for_each(|stream| stream.fetch(ahead, columns, k));
                    }
                    stage.run(area, scratch);
                }
            }
        });
    }
}

/// Runs all stages on areas of whole rows that follow each other.
fn run_rows(stages: &[Stage<'_>], areas: impl Iterator<Item = Area>, scratch: *mut u8) {
    let mut areas = areas.peekable();
    let Some(&first) = areas.peek() else { return };
    let bind = |stage: &Stage<'_>| match stage {
        Stage::Chain(chain) => chain.bind(first, scratch),
        Stage::Step(_) => None,
    };
    let mut bound: Vec<Option<BoundChain>> = stages.iter().map(bind).collect();
    for area in areas {
        for (stage, bound) in stages.iter().zip(&mut bound) {
            match bound {
                Some(chain) => chain.run(area.rows),
                None => stage.run(area, scratch),
            }
        }
    }
}

/// Tiles, row after row.
#[derive(Clone, Copy, Debug)]
struct Areas {
    grid: Grid,
    /// Rows of a tile.
    rows: usize,
    columns: usize,
    row: usize,
    column: usize,
}

impl Iterator for Areas {
    type Item = Area;

    /// The area of the next tile, which ends where the grid does.
    #[inline]
    fn next(&mut self) -> Option<Area> {
        let Areas { grid, row, column, .. } = *self;
        if row >= grid.rows {
            return None;
        }
        self.column += self.columns;
        if self.column >= grid.columns {
            (self.row, self.column) = (row + self.rows, 0);
        }
        let (rows, columns) = (self.rows.min(grid.rows - row), self.columns.min(grid.columns - column));
        Some(Area { row, rows, column, columns })
    }
}

/// The memory that a pass goes through once, if there are enough stages: one or two keep memory busy
/// themselves.
fn streams(stages: &[Stage<'_>], columns: usize, tile: usize) -> Vec<Stream> {
    let mut streams: Vec<Stream> = Vec::new();
    if stages.len() <= BUSY {
        return streams;
    }
    for stage in stages {
        for cursor in stage.cursors() {
            if let Some(start) = cursor.stream(columns)
                && !streams.iter().any(|known| known.start.get() == start)
            {
                let share = (tile * cursor.width).div_ceil(stages.len()).next_multiple_of(LINE);
                streams.push(Stream { start: Shared(start), width: cursor.width, share });
            }
        }
    }
    streams
}

/// Memory with an element for every position of the grid.
#[derive(Clone, Copy, Debug)]
struct Stream {
    start: Shared<u8>,
    /// Bytes of an element.
    width: usize,
    /// Bytes of a tile, shared among the stages.
    share: usize,
}

impl Stream {
    /// Asks for one share of the memory of an area, so that it comes while a stage computes.
    #[inline]
    fn fetch(self, area: Area, columns: usize, share: usize) {
        let end = area.len() * self.width;
        let start = self.start.get().wrapping_add((area.row * columns + area.column) * self.width);
        for at in (share * self.share..end.min((share + 1) * self.share)).step_by(LINE) {
            prefetch(start.wrapping_add(at));
        }
    }
}

//! Sizes and order of the steps, and how threads share them.

use super::{PAD, ROWS, UNITS};
use crate::threads::parallel;
use burn_backend::RecurrentKind;

/// A network over a batch of sequences.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    pub kind: RecurrentKind,
    pub time: usize,
    pub batch: usize,
    /// Number of units.
    pub size: usize,
    pub lengths: Option<&'a [usize]>,
    pub reverse: bool,
}

/// Some units of some sequences.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    pub first_row: usize,
    pub rows: usize,
    pub first_unit: usize,
    pub units: usize,
}

impl Problem<'_> {
    pub fn gates(&self) -> usize {
        self.kind.gates()
    }

    /// The time of a step.
    pub fn time_of(&self, step: usize) -> usize {
        if self.reverse { self.time - 1 - step } else { step }
    }

    /// Whether a sequence has a step at this time.
    pub fn is_active(&self, time: usize, row: usize) -> bool {
        self.lengths.is_none_or(|lengths| time < lengths[row])
    }

    /// The time of the step before, if this is not the first step of a sequence.
    pub fn time_before(&self, time: usize, row: usize) -> Option<usize> {
        if self.reverse {
            Some(time + 1).filter(|&before| before < self.time && self.is_active(before, row))
        } else {
            time.checked_sub(1)
        }
    }

    /// Elements of one state of all sequences.
    pub fn state_len(&self) -> usize {
        self.batch * self.size
    }
}

/// The tiles of a step.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    batch: usize,
    size: usize,
    units: usize,
    parts: usize,
}

impl Tiles {
    pub fn new(problem: &Problem<'_>) -> Self {
        let units = problem.size.div_ceil(parallel::threads()).next_multiple_of(PAD).clamp(PAD, UNITS);
        let parts = problem.batch.div_ceil(ROWS);
        Tiles { batch: problem.batch, size: problem.size, units, parts }
    }

    pub fn count(&self) -> usize {
        self.size.div_ceil(self.units) * self.parts
    }

    /// A tile by number; those of the same units are neighbours.
    pub fn get(&self, index: usize) -> Tile {
        let (block, part) = (index / self.parts, index % self.parts);
        let (first_row, first_unit) = (part * ROWS, block * self.units);
        Tile {
            first_row,
            rows: ROWS.min(self.batch - first_row),
            first_unit,
            units: self.units.min(self.size - first_unit),
        }
    }

    /// Blocks of units, as first unit and number.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let Tiles { size, units, .. } = *self;
        (0..size).step_by(units).map(move |first| (first, units.min(size - first)))
    }

    /// Cost of a tile, in additions, with products of this depth.
    pub fn cost(&self, gates: usize, depth: usize) -> usize {
        let elements = ROWS.min(self.batch) * self.units;
        elements.saturating_mul(depth / 8 + 12 * gates).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miri::shrink;

    #[test]
    fn tiles_cover_every_unit_of_every_sequence_once() {
        for &(batch, size) in shrink(
            &[(1, 1), (3, 16), (50, 100), (200, 33), (48, 300)][..],
            &[(1, 1), (3, 16), (50, 67), (1, 300)],
        ) {
            let kind = RecurrentKind::Lstm;
            let problem = Problem { kind, time: 1, batch, size, lengths: None, reverse: false };
            let tiles = Tiles::new(&problem);
            let mut hits = vec![0; batch * size];
            for tile in (0..tiles.count()).map(|index| tiles.get(index)) {
                for row in tile.first_row..tile.first_row + tile.rows {
                    for unit in tile.first_unit..tile.first_unit + tile.units {
                        hits[row * size + unit] += 1;
                    }
                }
            }
            assert!(hits.iter().all(|&hit| hit == 1), "{batch}, {size}");
            assert_eq!(tiles.blocks().map(|(_, units)| units).sum::<usize>(), size);
        }
    }

    #[test]
    fn the_step_before_is_that_of_the_sequence() {
        let kind = RecurrentKind::Gru;
        let lengths = [3, 5];
        let problem = Problem { kind, time: 5, batch: 2, size: 1, lengths: Some(&lengths), reverse: true };
        assert_eq!([2, 1, 0].map(|time| problem.time_before(time, 0)), [None, Some(2), Some(1)]);
        assert_eq!([4, 3].map(|time| problem.time_before(time, 1)), [None, Some(4)]);
        let forward = Problem { reverse: false, ..problem };
        assert_eq!([0, 1, 2].map(|time| forward.time_before(time, 0)), [None, Some(0), Some(1)]);
        assert!(problem.is_active(2, 0) && !problem.is_active(3, 0));
    }
}

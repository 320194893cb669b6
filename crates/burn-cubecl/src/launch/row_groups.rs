//! Cubes whose units share rows.

use crate::launch::kernel::UNITS;
use crate::ops::accumulate::{Join, join};
use cubecl::prelude::*;

/// How the units of a cube are shared among rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Team {
    /// Units that work on one row: a power of two.
    pub size: u32,
    /// Whether neighbouring units have neighbouring rows, and not neighbouring elements of one: what is
    /// adjacent in memory should be read by neighbours.
    pub across: bool,
}

impl Team {
    /// Rows of a cube.
    pub fn rows(self) -> u32 {
        UNITS / self.size
    }

    /// Between units of a row.
    pub fn step(self) -> u32 {
        if self.across { self.rows() } else { 1 }
    }

    pub fn halvings(self) -> u32 {
        self.size.trailing_zeros()
    }
}

/// The place of this unit in its team.
#[cube]
pub fn lane(#[comptime] team: Team) -> u32 {
    if comptime!(team.across) { UNIT_POS / comptime!(team.rows()) } else { UNIT_POS % comptime!(team.size) }
}

/// The row of this unit's team among all.
#[cube]
pub fn row(#[comptime] team: Team) -> u32 {
    let own = if comptime!(team.across) {
        UNIT_POS % comptime!(team.rows())
    } else {
        UNIT_POS / comptime!(team.size)
    };
    CUBE_POS as u32 * comptime!(team.rows()) + own
}

/// The results of all units of a team as one, for each of them. All units of the cube take part.
#[cube]
pub fn together<T: Numeric>(
    own: T,
    shared: &mut SharedMemory<T>,
    #[comptime] team: Team,
    #[comptime] how: Join,
) -> T {
    if comptime!(team.size > 1) {
        let unit = UNIT_POS;
        let lane = lane(team);
        // Other units may still read the result before.
        sync_cube();
        shared[unit as usize] = own;
        #[unroll]
        for k in 0..comptime!(team.halvings()) {
            let half = comptime!(team.size >> (k + 1));
            let far = comptime!(half * team.step());
            sync_cube();
            if lane < half {
                let other = shared[(unit + far) as usize];
                shared[unit as usize] = join::<T>(shared[unit as usize], other, how);
            }
        }
        sync_cube();
        shared[(unit - lane * comptime!(team.step())) as usize]
    } else {
        own
    }
}

/// The end of a part of so many terms.
#[cube]
pub fn part_end(first: u32, chunk: u32, terms: u32) -> u32 {
    select(first + chunk < terms, first + chunk, terms)
}

//! Cubes whose units share rows.

use crate::launch::kernel::UNITS;
use crate::launch::plane_units::{PLANE, is_in_planes};
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

/// The results of all units of a team as one, for each of them, added in the same order on all devices. All
/// units of the cube take part.
#[cube]
pub fn together<T: Numeric>(
    own: T,
    shared: &mut SharedMemory<T>,
    #[comptime] team: Team,
    #[comptime] how: Join,
) -> T {
    let planes = is_in_planes();
    if comptime!(team.size > 1 && !team.across && planes) {
        let own = if comptime!(team.size > PLANE) { plane_of::<T>(own, shared, team, how) } else { own };
        in_plane::<T>(own, comptime!(team.size.min(PLANE)), how)
    } else if comptime!(team.size > 1) {
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

/// The results of a team of several planes as those of one plane.
#[cube]
fn plane_of<T: Numeric>(
    own: T,
    shared: &mut SharedMemory<T>,
    #[comptime] team: Team,
    #[comptime] how: Join,
) -> T {
    // Other units may still read the results before.
    sync_cube();
    shared[UNIT_POS as usize] = own;
    sync_cube();
    let first = UNIT_POS / comptime!(team.size) * comptime!(team.size) + UNIT_POS % PLANE;
    let planes = comptime!(team.size / PLANE);
    let mut parts = Array::<T>::new(comptime!(planes as usize));
    #[unroll]
    for i in 0..planes {
        parts[comptime!(i as usize)] = shared[(first + comptime!(i * PLANE)) as usize];
    }
    #[unroll]
    for k in 0..comptime!(planes.trailing_zeros()) {
        let half = comptime!(planes >> (k + 1));
        #[unroll]
        for i in 0..half {
            let far = parts[comptime!((i + half) as usize)];
            parts[comptime!(i as usize)] = join::<T>(parts[comptime!(i as usize)], far, how);
        }
    }
    parts[0]
}

/// The results of so many units of a plane as one.
#[cube]
fn in_plane<T: Numeric>(own: T, #[comptime] size: u32, #[comptime] how: Join) -> T {
    let mut value = own;
    #[unroll]
    for k in 0..comptime!(size.trailing_zeros()) {
        let far = plane_shuffle_xor(value, comptime!(size >> (k + 1)).runtime());
        value = join::<T>(value, far, how);
    }
    // Units join in two orders; of zeros with two signs, all have what the first has.
    plane_shuffle(value, UNIT_POS % PLANE / size * size)
}

/// The end of a part of so many terms.
#[cube]
pub fn part_end(first: u32, chunk: u32, terms: u32) -> u32 {
    select(first + chunk < terms, first + chunk, terms)
}

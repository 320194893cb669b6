//! How cubes share lines: what of a launch is known when its kernel is compiled.

use super::butterfly::factors;
use super::format::{FftTarget, Reads, Writes};
use cubecl::ir::HardwareProperties;
use std::sync::LazyLock;

/// Passes of a line, at most.
const PASSES: usize = 16;
/// Small transforms that are done in registers, the largest first.
const RADICES: [usize; 12] = [16, 13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2];
/// Those from which on `f64` takes them: registers hold half as many numbers.
const WIDE: usize = 1;
/// Shared memory that a cube takes at most: more leaves no room for a second one.
const SHARED: usize = 192 << 10;

/// Whether lines of so many elements are passes of [`RADICES`].
pub fn is_smooth(size: usize) -> bool {
    let mut rest = size;
    for prime in [2, 3, 5, 7, 11, 13] {
        while rest.is_multiple_of(prime) {
            rest /= prime;
        }
    }
    rest == 1
}

/// Estimates the cost of a pass per element, in operations: arithmetic, and the exchange through shared
/// memory.
fn work_of(radix: usize) -> usize {
    let single = |radix: usize| match radix {
        1 => 0,
        2 | 4 => radix,
        _ => 2 * radix,
    };
    let (rows, cols) = factors(radix);
    let turns = usize::from(cols > 1);
    24 + single(rows) + turns + single(cols)
}

/// The passes from [`RADICES`], of which the first may be `first`, that are the least work, less than `most`;
/// and how much that is.
fn least(size: usize, first: usize, mut most: usize) -> Option<(usize, Vec<usize>)> {
    if size == 1 {
        return (most > 0).then(|| (0, vec![]));
    }
    let mut best = None;
    for (at, &radix) in RADICES.iter().enumerate().skip(first) {
        let work = work_of(radix);
        if !size.is_multiple_of(radix) || work >= most {
            continue;
        }
        if let Some((rest, mut radices)) = least(size / radix, at, most - work) {
            radices.insert(0, radix);
            most = work + rest;
            best = Some((most, radices));
        }
    }
    best
}

/// The passes of a line, zeros after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Passes {
    radices: [u8; PASSES],
    pub size: usize,
}

impl Passes {
    pub fn new(size: usize, is_wide: bool) -> Self {
        let first = if is_wide { WIDE } else { 0 };
        let (_, found) = least(size, first, usize::MAX).expect("no large prime factor");
        let mut radices = [0; PASSES];
        for (to, &radix) in radices.iter_mut().zip(&found) {
            *to = radix as u8;
        }
        Passes { radices, size }
    }

    pub fn count(self) -> usize {
        self.radices.iter().filter(|&&radix| radix > 0).count()
    }

    pub fn radix(self, pass: usize) -> usize {
        self.radices[pass].into()
    }

    /// The product of the radices before.
    pub fn before(self, pass: usize) -> usize {
        self.radices[..pass].iter().map(|&radix| usize::from(radix)).product()
    }

    /// Where the roots of a pass are in its table.
    pub fn roots_at(self, pass: usize) -> usize {
        (1..pass).map(|pass| self.before(pass) * (self.radix(pass) - 1)).sum()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    pub passes: Passes,
    /// Lines of a cube.
    pub rows: usize,
    pub units: usize,
    /// Number of elements of a line in shared memory.
    pub pitch: usize,
    /// Whether places there are left out between blocks of elements, as [`Shape::gap`] says.
    pub padded: bool,
    /// Whether numbers are `f64`.
    pub is_wide: bool,
    /// Whether lines are multiplied by a spectrum, and transformed once more, backward.
    pub convolves: bool,
    pub from: Reads,
    pub to: Writes,
}

/// Units of a cube, at most.
pub const MOST_UNITS: usize = 1024;

/// Bytes of a complex number.
fn pair(is_wide: bool) -> usize {
    if is_wide { 16 } else { 8 }
}

/// Elements of a line that fits into a cube.
pub fn capacity(hardware: &HardwareProperties, is_wide: bool) -> usize {
    let bytes = hardware.max_shared_memory_size.min(SHARED);
    let units = (hardware.max_units_per_cube as usize).min(LARGEST / 16);
    // At most sixteen elements of a unit.
    1 << (bytes / pair(is_wide)).min(16 * units).ilog2()
}

/// Units for so many lines of a cube: of those that would do, the ones that idle least.
fn units(hardware: &HardwareProperties, passes: Passes, rows: usize) -> usize {
    let points = rows * passes.size;
    let most = if points > 4096 { MOST_UNITS } else { 512 }.min(hardware.max_units_per_cube as usize);
    let [least, most] = [16, 8].map(|each| points.div_ceil(each).next_multiple_of(32).min(most));
    // Elements that all units process in all passes, padding included.
    let elements = |units: &usize| {
        let of = |pass: usize| (points / passes.radix(pass)).next_multiple_of(*units) * passes.radix(pass);
        (0..passes.count()).map(of).sum::<usize>()
    };
    (least..=most).rev().step_by(32).min_by_key(elements).expect("a number of units")
}

/// The largest [`capacity`] there is.
const LARGEST: usize = 1 << 14;

/// Lengths that are less work than all longer ones.
static LEAST_WORK: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let mut least = usize::MAX;
    let mut found: Vec<usize> = (1..=LARGEST)
        .rev()
        .filter(|&size| {
            let work = self::least(size, 0, usize::MAX).map_or(usize::MAX, |(work, _)| size * work);
            let is_less = work < least;
            least = least.min(work);
            is_less
        })
        .collect();
    found.reverse();
    found
});

/// The length of lines of at least so many elements that is the least work: one that fits into a cube, if
/// there is any.
pub fn least_work(least: usize, capacity: usize) -> usize {
    let found = LEAST_WORK.get(LEAST_WORK.partition_point(|&size| size < least)).copied();
    found.filter(|&size| size <= capacity).unwrap_or(least.next_power_of_two())
}

impl Shape {
    pub fn new(
        hardware: &HardwareProperties,
        size: usize,
        lines: usize,
        convolves: bool,
        is_wide: bool,
        from: Reads,
        to: Writes,
    ) -> Self {
        // Enough lines for a cube of some size, and for loads and stores of neighbours at once.
        let (few, wanted) =
            if from.across || to.across { (4, (2048 / size).max(16)) } else { (1, 2048 / size) };
        // Where there are too few for that, each has more units; not all that there can be, so that kernels
        // are few.
        let wanted = if lines < 64 * wanted { few } else { wanted };
        let fitting = (capacity(hardware, is_wide) / size).max(1);
        let rows = 1 << wanted.clamp(1, fitting).ilog2();
        let passes = Passes::new(size, is_wide);
        let units = units(hardware, passes, rows);
        let shape = Shape { passes, rows, units, pitch: size, padded: true, is_wide, convolves, from, to };
        let widest = (0..passes.count()).map(|pass| shape.spot(pass, size - 1) + 1).max().unwrap_or(size);
        // An odd number, so that neighbouring lines are in different banks.
        let pitch = widest | 1;
        if pair(is_wide) * rows * pitch <= hardware.max_shared_memory_size {
            Shape { pitch, ..shape }
        } else {
            Shape { padded: false, ..shape }
        }
    }

    /// Elements of a block that a pass leaves in shared memory without gaps. Constant distances of the
    /// elements that a unit stores and of those that it loads for the next pass are whole numbers of blocks,
    /// or within one.
    pub fn block(self, pass: usize) -> usize {
        self.passes.before(pass + 1)
    }

    /// Places between two blocks: as many as put neighbouring units, which store to successive elements of a
    /// block and then to the next one, in different banks.
    pub fn gap(self, pass: usize) -> usize {
        if !self.padded || pass + 1 == self.passes.count() {
            return 0;
        }
        let (before, block) = (self.passes.before(pass), self.block(pass));
        if before == 1 {
            return 1 - block % 2;
        }
        let banks = 128 / pair(self.is_wide);
        (before + banks - block % banks) % banks
    }

    /// Place of element `at` of a line after a pass.
    fn spot(self, pass: usize, at: usize) -> usize {
        at + at / self.block(pass) * self.gap(pass)
    }

    pub fn last_radix(self) -> usize {
        self.passes.radix(self.passes.count() - 1)
    }

    pub fn rounds(self) -> usize {
        if self.convolves { 2 } else { 1 }
    }

    pub fn places(self) -> usize {
        self.rows * self.pitch
    }

    /// Small transforms of a line in a pass.
    pub fn of_line(self, pass: usize) -> usize {
        self.passes.size / self.passes.radix(pass)
    }

    pub fn of_cube(self, pass: usize) -> usize {
        self.rows * self.of_line(pass)
    }

    pub fn of_unit(self, pass: usize) -> usize {
        self.of_cube(pass).div_ceil(self.units)
    }

    /// Whether all units have as many.
    pub fn is_even(self, pass: usize) -> bool {
        self.of_cube(pass).is_multiple_of(self.units)
    }

    /// Numbers that a unit holds at a time.
    pub fn held(self) -> usize {
        (0..self.passes.count()).map(|pass| self.of_unit(pass) * self.passes.radix(pass)).max().unwrap_or(1)
    }

    pub fn is_first(self, round: usize, pass: usize) -> bool {
        round == 0 && pass == 0
    }

    pub fn is_last(self, round: usize, pass: usize) -> bool {
        round + 1 == self.rounds() && pass + 1 == self.passes.count()
    }

    /// Whether results of a pass go to the target.
    pub fn gives(self, round: usize, pass: usize) -> bool {
        self.is_last(round, pass) && self.to.target != FftTarget::Spectrum
    }

    /// Whether neighbouring units have neighbouring lines in a pass.
    pub fn is_across(self, round: usize, pass: usize) -> bool {
        if self.is_first(round, pass) { self.from.across } else { self.gives(round, pass) && self.to.across }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_multiply_to_the_size() {
        for size in (2..20_000).filter(|&size| is_smooth(size)) {
            for is_wide in [false, true] {
                let passes = Passes::new(size, is_wide);
                assert_eq!(passes.before(passes.count()), size);
            }
        }
        let radices = |size, is_wide| {
            let passes = Passes::new(size, is_wide);
            (0..passes.count()).map(|at| passes.radix(at)).collect::<Vec<_>>()
        };
        assert_eq!(radices(4096, false), [16, 16, 16]);
        assert_eq!(radices(4096, true), [8, 8, 8, 8]);
        assert_eq!(radices(1024, true), [8, 8, 4, 4]);
        assert_eq!(radices(1000, false), [10, 10, 10]);
    }

    #[test]
    fn convolutions_are_no_longer_than_they_need_to_be() {
        assert_eq!(least_work(8197, LARGEST), 8448);
        assert_eq!(least_work(4096, LARGEST), 4096);
        // Those that fit into no cube.
        assert_eq!(least_work(8197, 8192), 16_384);
        assert_eq!(least_work(LARGEST + 1, LARGEST), 2 * LARGEST);
    }
}

//! How cubes share lines: what of a launch is known when its kernel is compiled.

use super::source::Source;
use super::target::Target;
use cubecl::ir::HardwareProperties;

/// Passes of a line, at most.
const PASSES: usize = 16;
/// Small transforms that are done in registers.
const RADICES: [usize; 8] = [8, 4, 2, 3, 5, 7, 11, 13];
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

/// The passes of a line, zeros behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Passes {
    radices: [u8; PASSES],
    pub size: usize,
}

impl Passes {
    pub fn new(size: usize) -> Self {
        let (mut radices, mut rest, mut count) = ([0; PASSES], size, 0);
        for radix in RADICES {
            // Two passes of 4 are less than one of 8 and one of 2.
            while rest.is_multiple_of(radix) && !(radix == 8 && rest / 8 % 4 == 2) {
                radices[count] = radix as u8;
                rest /= radix;
                count += 1;
            }
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

    /// Where the roots of a pass are in its table, in numbers.
    pub fn roots_at(self, pass: usize) -> usize {
        (1..pass).map(|pass| 2 * self.before(pass) * (self.radix(pass) - 1)).sum()
    }
}

/// Where lines come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reads {
    pub source: Source,
    /// Whether neighbouring lines are closer to each other than elements of a line.
    pub across: bool,
    /// Whether real and imaginary parts change places: a transform between two such changes goes backward.
    pub swaps: bool,
    /// Whether elements are multiplied by a chirp, and zeros follow them.
    pub chirps: bool,
}

/// Where results go, and what is done with them before, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Writes {
    /// Whether they are multiplied by roots of unity, between columns and rows of a long line.
    pub twists: bool,
    pub swaps: bool,
    /// Whether they are multiplied by factors from the table.
    pub scales: bool,
    pub swaps_last: bool,
    /// Whether the line has more results than are wanted.
    pub cuts: bool,
    pub target: Target,
    pub across: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    pub passes: Passes,
    /// Lines of a cube.
    pub rows: usize,
    pub units: usize,
    /// Places of a line in shared memory.
    pub pitch: usize,
    /// Whether one place in 32 is left out there.
    pub padded: bool,
    /// Whether lines are multiplied by a spectrum, and transformed once more, backward.
    pub convolves: bool,
    pub from: Reads,
    pub to: Writes,
}

/// Elements of a line that fits into a cube.
pub fn capacity(hardware: &HardwareProperties) -> usize {
    let bytes = hardware.max_shared_memory_size.min(SHARED);
    let units = (hardware.max_units_per_cube as usize).min(1024);
    // At most sixteen elements of a unit.
    1 << (bytes / 8).min(16 * units).ilog2()
}

impl Shape {
    pub fn new(
        hardware: &HardwareProperties,
        size: usize,
        lines: usize,
        convolves: bool,
        from: Reads,
        to: Writes,
    ) -> Self {
        // Enough lines for a cube of some size, and for loads and stores of neighbours at once.
        let (few, wanted) =
            if from.across || to.across { (4, (2048 / size).max(16)) } else { (1, 2048 / size) };
        // Where there are too few for that, each has more units; not all that there can be, so that kernels are few.
        let wanted = if lines < 64 * wanted { few } else { wanted };
        let fitting = (capacity(hardware) / size).max(1);
        let rows = 1 << wanted.clamp(1, fitting).ilog2();
        let points = rows * size;
        let most = if points > 4096 { 1024 } else { 512 }.min(hardware.max_units_per_cube as usize);
        let units = points.div_ceil(8).next_multiple_of(32).min(most);
        let wide = size + size / 32 + 1;
        let padded = 8 * rows * wide <= hardware.max_shared_memory_size;
        let pitch = if padded { wide } else { size };
        Shape { passes: Passes::new(size), rows, units, pitch, padded, convolves, from, to }
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
        self.is_last(round, pass) && self.to.target != Target::Spectrum
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
            let passes = Passes::new(size);
            assert_eq!(passes.before(passes.count()), size);
        }
        let radices =
            |size| (0..Passes::new(size).count()).map(|at| Passes::new(size).radix(at)).collect::<Vec<_>>();
        assert_eq!(radices(4096), [8, 8, 8, 8]);
        assert_eq!(radices(1024), [8, 8, 4, 4]);
        assert_eq!(radices(16), [4, 4]);
        assert_eq!(radices(1000), [8, 5, 5, 5]);
    }
}

//! Formats of lines in memory, and what is done to their elements on the way.

/// Format of the input of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Complex numbers as pairs of parts; also two adjacent real numbers as one complex number.
    Pair,
    /// Real numbers, two successive ones along the dimension as the parts of one complex number; not adjacent
    /// in memory.
    Evens,
    /// Real numbers.
    Real,
    /// Half of a spectrum of odd length; the other elements are conjugates.
    Half,
    /// Half of a spectrum of even length, read as the spectrum of half as many complex numbers, whose parts
    /// are two successive real numbers.
    Spectrum,
}

impl Source {
    /// Numbers of an element in memory.
    pub fn width(self) -> usize {
        match self {
            Source::Pair | Source::Half | Source::Spectrum => 2,
            Source::Evens | Source::Real => 1,
        }
    }
}

/// Format of the output of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Complex numbers as pairs of parts; also two adjacent real numbers as one complex number.
    Pair,
    /// Real parts only.
    Real,
    /// Two successive real numbers along the dimension, the parts of one complex number; not adjacent in
    /// memory.
    Evens,
    /// Half of the spectrum of the real numbers that were read as parts of complex ones.
    Spectrum,
}

impl Target {
    /// Numbers of a result in memory.
    pub fn width(self) -> usize {
        match self {
            Target::Pair | Target::Spectrum => 2,
            Target::Real | Target::Evens => 1,
        }
    }
}

/// Source of the lines.
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

/// Target of the results, and the operations applied before writing, in this order.
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

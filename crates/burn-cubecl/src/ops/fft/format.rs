//! Formats of lines in memory, and what is done to their elements on the way.

/// Format of the input of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FftSource {
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

impl FftSource {
    /// Numbers of an element in memory.
    pub fn width(self) -> usize {
        match self {
            FftSource::Pair | FftSource::Half | FftSource::Spectrum => 2,
            FftSource::Evens | FftSource::Real => 1,
        }
    }
}

/// Format of the output of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FftTarget {
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

impl FftTarget {
    /// Numbers of a result in memory.
    pub fn width(self) -> usize {
        match self {
            FftTarget::Pair | FftTarget::Spectrum => 2,
            FftTarget::Real | FftTarget::Evens => 1,
        }
    }
}

/// Source of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reads {
    pub source: FftSource,
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
    pub target: FftTarget,
    pub across: bool,
}

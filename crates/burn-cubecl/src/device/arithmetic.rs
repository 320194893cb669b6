//! Rounding of a device's `f32` instructions.

/// Measured properties of a device's `f32` instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arithmetic {
    /// Whether fused multiply-add rounds once.
    pub fuses: bool,
    /// Whether quotients, reciprocals and square roots are correctly rounded.
    pub rounds: bool,
    /// Whether converting `f32` to `f16` and back rounds.
    pub narrows: bool,
    /// Whether the instruction for `e^x` is good to two units in the last place, and knows what overflows and
    /// NaN. Graphics standards allow an error that grows with `x`; it is not measured.
    pub has_exp: bool,
}

/// Device properties that the numbers of kernels depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Abilities {
    /// Whether the device supports `f64`, in which some functions reduce their arguments.
    pub is_wide: bool,
    /// As in [`Arithmetic::narrows`].
    pub narrows: bool,
    /// As in [`Arithmetic::has_exp`].
    pub has_exp: bool,
}

impl Arithmetic {
    /// As IEEE 754 has it, with the functions of CUDA's library.
    pub const EXACT: Arithmetic = Arithmetic { fuses: true, rounds: true, narrows: true, has_exp: true };

    /// Arithmetic assumed for a device that cannot be measured: unfused but exact.
    pub const UNKNOWN: Arithmetic = Arithmetic { fuses: false, has_exp: false, ..Arithmetic::EXACT };
}

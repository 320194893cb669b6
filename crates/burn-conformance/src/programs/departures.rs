/// Intended difference between Burn and PyTorch.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The cases of `operations.jsonl` whose names begin so; they differ, or the entry is wrong. Empty where
    /// PyTorch refuses the call or leaves its result open, so that there is nothing to compare.
    pub cases: &'static [&'static str],
    /// The call that differs.
    pub call: &'static str,
    pub burn: &'static str,
    pub pytorch: &'static str,
    pub why: &'static str,
}

/// All that the comparisons with PyTorch found or leave out.
pub const DEPARTURES: &[Departure] = &[
    Departure {
        cases: &["Sign of special F64", "Sign of special F32"],
        call: "`sign` of NaN",
        burn: "NaN",
        pytorch: "0",
        why: "as NumPy: what is not a number has no sign, and an error upstream stays visible",
    },
    Departure {
        cases: &["Gelu of special F32"],
        call: "`gelu` in `f32`",
        burn: "to the last digits; infinity at infinity",
        pytorch: "six digits; NaN at infinity",
        why: "PyTorch's vector kernel approximates `erf` and multiplies infinity by zero",
    },
    Departure {
        cases: &[],
        call: "division and remainder of integers by zero",
        burn: "0",
        pytorch: "an error on the processor, any number elsewhere",
        why: "one result on every backend, and no call that stops on its data",
    },
    Departure {
        cases: &[],
        call: "casts of floats to integers that cannot hold them",
        burn: "the nearest integer that there is; NaN becomes 0",
        pytorch: "open",
        why: "as Rust",
    },
    Departure {
        cases: &[],
        call: "`scatter_assign`, `select_replace` and `scatter_nd` with `IndexUpdate::Assign` that write an index twice",
        burn: "the last value in order stays, and only it gets a gradient",
        pytorch: "any of them stays, and all get the gradient",
        why: "a result that does not depend on threads",
    },
    Departure {
        cases: &[],
        call: "`topk` and `sort` of equal elements",
        burn: "in their order: sorting is stable",
        pytorch: "`topk`: in any order; `sort`: only with `stable=True`",
        why: "a result that does not depend on threads",
    },
];

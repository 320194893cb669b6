//! The error function by numbers that are looked up in a register: as many elements at once as it has.
//!
//! `erf(x) = x g(|x|)`, and `g` is a polynomial on each of as many intervals: no exponential, no second
//! formula near 0. It takes little more than half of the time of [`super::single::erf`]. The coefficients are
//! those of `scripts/erf_table.py`.

pub(crate) mod eight;
pub(crate) mod sixteen;

#[cfg(test)]
mod tests;

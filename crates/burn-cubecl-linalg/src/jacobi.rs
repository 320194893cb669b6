//! Rotations of pairs of rows, in the order of a tournament: the pairs of a round have no row in common.

use burn_backend::{DType, HasSpec, Scalar, TensorSpec};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::full;
use cubecl::prelude::*;

/// Rounds of all pairs, of which most matrices need some eight, and those with repeated eigenvalues more.
/// The matrix after the last sweep is the result.
pub fn sweeps(dtype: DType) -> usize {
    if dtype == DType::F64 { 20 } else { 14 }
}

/// Returns the largest element that each pair saw in each sweep of each matrix, for [`seen_before`]: zeros.
pub fn nothing_seen(x: &CubeTensor, batch: usize, pairs: usize) -> CubeTensor {
    let spec = TensorSpec::new([batch, sweeps(x.dtype()), pairs], x.dtype());
    full(spec, Scalar::Int(0), x.engine())
}

/// Calls `turn` with each sweep and each of its rounds of so many pairs.
pub fn tournament(pairs: usize, dtype: DType, mut turn: impl FnMut(usize, usize)) {
    for sweep in 0..sweeps(dtype) {
        (0..2 * pairs - 1).for_each(|round| turn(sweep, round));
    }
}

/// Two rows, or two blocks of them: the higher one may be after the last.
#[derive(CubeType, Clone)]
pub struct Pair {
    pub low: u32,
    pub high: u32,
}

/// Returns the pair of a round-robin tournament: the last block stays, the others rotate. A division would
/// take longer than the rest of it.
#[cube]
pub fn pair_at(index: u32, round: u32, pairs: u32) -> Pair {
    let turning = 2u32 * pairs - 1u32;
    let one = round + index;
    let one = select(one < turning, one, one - turning);
    let other = select(round < index, round + turning - index, round - index);
    let other = select(index == 0u32, turning, other);
    Pair { low: select(one < other, one, other), high: select(one < other, other, one) }
}

/// A rotation, and what it makes of the diagonal.
#[derive(CubeType, Clone)]
pub struct Turn<E: Float> {
    pub sin: E,
    /// The tangent of half of the angle.
    pub half: E,
    pub low: E,
    pub high: E,
}

/// Computes `x cos - y sin`. Only the change is rounded, so that lengths do not grow with the number of
/// rotations.
#[cube]
pub fn turned_low<E: Float>(x: E, y: E, turn: &Turn<E>) -> E {
    x - turn.sin * (y + turn.half * x)
}

/// Computes `x sin + y cos`.
#[cube]
pub fn turned_high<E: Float>(x: E, y: E, turn: &Turn<E>) -> E {
    y + turn.sin * (x - turn.half * y)
}

/// Computes the Jacobi rotation that diagonalizes `[[a, c], [c, b]]`, or the identity. Elements times `unit`
/// have squares. With the root `r` of `(b - a)^2 + 4 c^2`, the double angle has cosine `|b - a| / r` and sine
/// `2 c / r`: inverse roots give all that is needed, where quotients would wait for each other.
#[cube]
pub fn turn_of<E: Float>(a: E, b: E, c: E, unit: E, is_turned: bool) -> Turn<E> {
    let mut sin = E::new(0.0);
    let mut half = E::new(0.0);
    let mut change = E::new(0.0);
    if is_turned {
        let apart = (b - a) * unit;
        let twice = E::new(2.0) * c * unit;
        let inverse = (apart * apart + twice * twice).inverse_sqrt();
        let square = E::new(0.5) + E::new(0.5) * (E::abs(apart) * inverse);
        let secant = square.inverse_sqrt();
        let cos = square * secant;
        let along = E::new(0.5) * select(apart < E::new(0.0), -twice, twice) * inverse * secant;
        let root = (E::new(1.0) + cos).inverse_sqrt();
        half = along * root * root;
        // The sine of this half to the last digit: the rotation would change lengths otherwise.
        let left = E::new(2.0) * half - along * (E::new(1.0) + half * half);
        sin = along + left * (E::new(0.5) + E::new(0.5) * cos);
        change = along * secant * c;
    }
    Turn::<E> { sin, half, low: a - change, high: b + change }
}

/// Returns the largest off-diagonal element that the previous sweep saw, relative to the diagonal, and zero
/// where none needs a rotation; 1 before the first sweep.
#[cube]
pub fn seen_before<E: Float>(seen: &Array<E>, matrix: u32, sweep: u32, sweeps: u32, pairs: u32) -> E {
    let mut most = E::new(1.0);
    if sweep > 0u32 {
        most = E::new(0.0);
        let start = (matrix * sweeps + sweep - 1u32) * pairs;
        for index in 0..pairs {
            let own = seen[(start + index) as usize];
            most = select(own > most, own, most);
        }
    }
    most
}

/// Returns the relative size below which an element between two nearly equal diagonal elements is not rotated
/// yet, where the previous sweep saw this much. Such elements follow from products of larger ones, and
/// rotating them would mix rows that those still couple: repeated eigenvalues would take twice as many
/// sweeps.
#[cube]
pub fn deferral_after<E: Float>(seen: E) -> E {
    E::new(0.00390625) * select(seen < E::new(1.0), seen * seen, seen)
}

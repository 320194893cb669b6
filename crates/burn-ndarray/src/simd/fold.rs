//! Folds of neighbours: lane by lane first, then across the lanes.

use core::hint::black_box;

/// Accumulators: element `i` goes to number `i % ACCUMULATORS`.
pub const ACCUMULATORS: usize = 16;
/// Elements that go to the accumulators in one round.
pub const ROUND: usize = 4 * ACCUMULATORS;
/// Below so many elements they are folded one after the other.
pub const FEW: usize = ACCUMULATORS / 2;

/// `f` of all `value(x)` and `identity`, in an order that depends on the number of elements only.
#[inline(always)]
pub fn fold<E: Copy>(xs: &[E], identity: E, value: impl Fn(E) -> E, f: impl Fn(E, E) -> E) -> E {
    fold_pairs(xs, xs, identity, |x, _| value(x), f)
}

/// `f` of all `value(x, y)` and `identity`; as many `ys` as `xs`.
#[inline(always)]
pub fn fold_pairs<E: Copy>(
    xs: &[E],
    ys: &[E],
    identity: E,
    value: impl Fn(E, E) -> E,
    f: impl Fn(E, E) -> E,
) -> E {
    assert!(xs.len() == ys.len(), "pairs have two elements");
    if xs.len() < FEW {
        return xs.iter().zip(ys).fold(identity, |sum, (&x, &y)| f(sum, value(x, y)));
    }
    let ((x_rounds, xs), (y_rounds, ys)) = (xs.as_chunks::<ROUND>(), ys.as_chunks::<ROUND>());
    // A sum waits for the one before it: so four blocks are added to each other first.
    let mut lanes = [identity; ACCUMULATORS];
    for (xs, ys) in x_rounds.iter().zip(y_rounds) {
        let ((xs, _), (ys, _)) = (xs.as_chunks::<ACCUMULATORS>(), ys.as_chunks::<ACCUMULATORS>());
        for lane in 0..ACCUMULATORS {
            let low = f(value(xs[0][lane], ys[0][lane]), value(xs[1][lane], ys[1][lane]));
            let high = f(value(xs[2][lane], ys[2][lane]), value(xs[3][lane], ys[3][lane]));
            lanes[lane] = f(lanes[lane], f(low, high));
        }
    }
    finish(lanes, xs, ys, value, f)
}

/// As [`fold`], of elements before which whole rounds are in the accumulators.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[inline(always)]
pub fn fold_after<E: Copy>(lanes: [E; ACCUMULATORS], xs: &[E], f: impl Fn(E, E) -> E) -> E {
    let mut lanes = lanes;
    let (rounds, xs) = xs.as_chunks::<ROUND>();
    for xs in rounds {
        let (xs, _) = xs.as_chunks::<ACCUMULATORS>();
        for lane in 0..ACCUMULATORS {
            lanes[lane] = f(lanes[lane], f(f(xs[0][lane], xs[1][lane]), f(xs[2][lane], xs[3][lane])));
        }
    }
    finish(lanes, xs, xs, |x, _| x, f)
}

/// Folds the last elements, fewer than a round, into the accumulators, and these into one.
#[inline(always)]
fn finish<E: Copy>(
    mut lanes: [E; ACCUMULATORS],
    xs: &[E],
    ys: &[E],
    value: impl Fn(E, E) -> E,
    f: impl Fn(E, E) -> E,
) -> E {
    let ((x_blocks, xs), (y_blocks, ys)) = (xs.as_chunks::<ACCUMULATORS>(), ys.as_chunks::<ACCUMULATORS>());
    for (x, y) in x_blocks.iter().zip(y_blocks) {
        for lane in 0..ACCUMULATORS {
            lanes[lane] = f(lanes[lane], value(x[lane], y[lane]));
        }
    }
    // Hide the pairwise reduction below from the optimizer: if it sees it, it pairs lanes in the loops above
    // as well and no longer uses the wide registers.
    let mut lanes = black_box(lanes);
    for ((lane, &x), &y) in lanes.iter_mut().zip(xs).zip(ys) {
        *lane = f(*lane, value(x, y));
    }
    let mut eight = [lanes[0]; ACCUMULATORS / 2];
    for lane in 0..ACCUMULATORS / 2 {
        eight[lane] = f(lanes[lane], lanes[lane + ACCUMULATORS / 2]);
    }
    let mut four = [lanes[0]; ACCUMULATORS / 4];
    for lane in 0..ACCUMULATORS / 4 {
        four[lane] = f(eight[lane], eight[lane + ACCUMULATORS / 4]);
    }
    f(f(four[0], four[2]), f(four[1], four[3]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn every_element_counts_once_whatever_the_length() {
        for len in 0..300_u64 {
            let xs: Vec<u64> = (1..=len).collect();
            assert_eq!(fold(&xs, 0, |x| x, |x, y| x + y), len * (len + 1) / 2, "{len} elements");
            assert_eq!(fold(&xs, 0, |x| x, u64::max), len);
            let squares = fold_pairs(&xs, &xs, 0, |x, y| x * y, |x, y| x + y);
            assert_eq!(squares, len * (len + 1) * (2 * len + 1) / 6);
        }
    }

    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    #[test]
    fn rounds_in_accumulators_change_no_bit() {
        let xs: Vec<f32> = (0..5 * ROUND as u32 + 23).map(|i| ((i * 37 % 101) as f32).sqrt()).collect();
        let (rounds, rest) = xs.split_at(2 * ROUND);
        let mut lanes = [0.0; ACCUMULATORS];
        for round in rounds.chunks(ROUND) {
            for (lane, sum) in lanes.iter_mut().enumerate() {
                let [a, b, c, d] = [0, 1, 2, 3].map(|block| round[block * ACCUMULATORS + lane]);
                *sum += (a + b) + (c + d);
            }
        }
        let add = |x: f32, y| x + y;
        assert_eq!(fold_after(lanes, rest, add).to_bits(), fold(&xs, 0.0, |x| x, add).to_bits());
    }

    #[test]
    fn partial_sums_are_short() {
        let xs = std::vec![0.1_f32; 4096];
        let sum = fold(&xs, 0.0, |x| x, |x, y| x + y);
        assert!((sum - 409.6).abs() < 409.6 * 2e-6, "{sum}");
    }
}

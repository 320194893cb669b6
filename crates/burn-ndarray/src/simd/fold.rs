//! Folds of neighbours: lane by lane first, then across the lanes.

use core::hint::black_box;

/// Lanes of one accumulator.
const LANES: usize = 16;
/// Elements that go to the accumulators in one round.
const ROUND: usize = 4 * LANES;

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
    if xs.len() < LANES / 2 {
        return xs.iter().zip(ys).fold(identity, |sum, (&x, &y)| f(sum, value(x, y)));
    }
    let ((x_rounds, xs), (y_rounds, ys)) = (xs.as_chunks::<ROUND>(), ys.as_chunks::<ROUND>());
    // Four chains, since a sum waits for the one before it. They are variables of their own, and one loop each: so they
    // stay in registers.
    let [mut a, mut b, mut c, mut d] = [[identity; LANES]; 4];
    for (xs, ys) in x_rounds.iter().zip(y_rounds) {
        let ((xs, _), (ys, _)) = (xs.as_chunks::<LANES>(), ys.as_chunks::<LANES>());
        for lane in 0..LANES {
            a[lane] = f(a[lane], value(xs[0][lane], ys[0][lane]));
        }
        for lane in 0..LANES {
            b[lane] = f(b[lane], value(xs[1][lane], ys[1][lane]));
        }
        for lane in 0..LANES {
            c[lane] = f(c[lane], value(xs[2][lane], ys[2][lane]));
        }
        for lane in 0..LANES {
            d[lane] = f(d[lane], value(xs[3][lane], ys[3][lane]));
        }
    }
    let ((x_blocks, xs), (y_blocks, ys)) = (xs.as_chunks::<LANES>(), ys.as_chunks::<LANES>());
    for (x, y) in x_blocks.iter().zip(y_blocks) {
        for lane in 0..LANES {
            a[lane] = f(a[lane], value(x[lane], y[lane]));
        }
    }
    let mut lanes = [identity; LANES];
    for lane in 0..LANES {
        lanes[lane] = f(f(a[lane], c[lane]), f(b[lane], d[lane]));
    }
    // What follows pairs lanes; a compiler that sees it pairs them in the loops as well, and nothing is left of the
    // wide registers.
    let mut lanes = black_box(lanes);
    for ((lane, &x), &y) in lanes.iter_mut().zip(xs).zip(ys) {
        *lane = f(*lane, value(x, y));
    }
    let mut eight = [identity; LANES / 2];
    for lane in 0..LANES / 2 {
        eight[lane] = f(lanes[lane], lanes[lane + LANES / 2]);
    }
    let mut four = [identity; LANES / 4];
    for lane in 0..LANES / 4 {
        four[lane] = f(eight[lane], eight[lane + LANES / 4]);
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

    #[test]
    fn partial_sums_are_short() {
        let xs = std::vec![0.1_f32; 4096];
        let sum = fold(&xs, 0.0, |x| x, |x, y| x + y);
        assert!((sum - 409.6).abs() < 409.6 * 2e-6, "{sum}");
    }
}

//! Polynomials of Winograd's convolutions: elements of a tile and taps of a kernel become values at points of
//! interpolation, and products of values become results.
//!
//! The points of `S` = 6 are 0, 1, -1, 1/2, -2 and infinity, which lose two to three times less to rounding
//! than the usual 0, 1, -1, 2, -2 (Barabasz et al., "Error Analysis and Improving the Accuracy of Winograd
//! Convolution for Deep Neural Networks", 2020); those of 5 do without -2. The points of 8 are 0, 1, -1, 2,
//! -2, 1/2, -1/2 and infinity: a number and its opposite share sums. A kernel of one tap has one point.

use crate::simd::Lanes;

/// Results of a tile along the rows, and down where kernels have several rows.
pub const RESULTS: usize = 4;

/// Most taps of a kernel along the rows.
pub const MOST_TAPS: usize = 5;

/// Rows of results of a tile whose kernel has so many points down.
pub const fn result_rows(points: usize) -> usize {
    if points == 1 { 1 } else { RESULTS }
}

/// The polynomial whose coefficients are the elements of a tile against those of each point.
///
/// # Safety
/// The machine has the instructions of `V`.
#[inline(always)]
pub unsafe fn input_points<V: Lanes, const S: usize>(d: [V; S]) -> [V; S] {
    // SAFETY: by the contract.
    unsafe {
        let times = |x: V, factor: f32, sum: V| x.times_plus(V::splat(factor), sum);
        let mut points = d;
        match S {
            1 => {}
            5 => {
                points[0] = times(d[0].minus(d[2]), 0.5, d[3].minus(d[1]));
                points[1] = times(d[2].minus(d[1]), 0.5, d[3]);
                points[2] = times(d[1], 0.5, times(d[2], -1.5, d[3]));
                points[3] = d[3].minus(d[1]);
                points[S - 1] = times(d[1].minus(d[3]), 0.5, d[4].minus(d[2]));
            }
            6 => {
                let (a, b) = (d[4].minus(d[2]), d[3].minus(d[1]));
                points[0] = times(b, 1.5, times(d[2], -2.0, d[0].plus(d[4])));
                points[1] = times(d[3], 2.5, times(d[2], 0.5, d[4].minus(d[1])));
                points[2] = times(d[2], -2.5, times(d[3], 0.5, d[4].plus(d[1])));
                points[3] = times(b, 2.0, a);
                points[4] = times(b, -0.5, a);
                points[S - 1] = times(a, 1.5, times(d[3], -2.0, d[1].plus(d[5])));
            }
            _ => {
                let ones = times(d[4], -4.25, d[2].plus(d[6]));
                let twos = times(d[4], -1.25, times(d[2], 0.25, d[6]));
                let halves = times(d[4], -5.0, times(d[2], 4.0, d[6]));
                let odd_ones = times(d[3], -4.25, d[1].plus(d[5]));
                let odd_twos = times(d[1], 0.5, times(d[3], -2.5, d[5].plus(d[5])));
                let odd_halves = times(d[5], 0.5, times(d[3], -2.5, d[1].plus(d[1])));
                points[0] = times(d[4].minus(d[2]), 5.25, d[0].minus(d[6]));
                put_opposites(&mut points, [ones, twos, halves], [odd_ones, odd_twos, odd_halves]);
                points[S - 1] = times(d[3].minus(d[5]), 5.25, d[7].minus(d[1]));
            }
        }
        points
    }
}

/// Writes the values at 1, -1, 2, -2, 1/2 and -1/2 from the sums of even and of odd powers.
///
/// # Safety
/// The machine has the instructions of `V`.
#[inline(always)]
unsafe fn put_opposites<V: Lanes, const S: usize>(points: &mut [V; S], even: [V; 3], odd: [V; 3]) {
    for n in 0..3 {
        // SAFETY: by the contract.
        unsafe {
            points[1 + 2 * n] = even[n].plus(odd[n]);
            points[2 + 2 * n] = even[n].minus(odd[n]);
        }
    }
}

/// The value at each point of a polynomial whose coefficients are taps, over the product of the distances
/// between the points. Taps beyond `S - 3` are not looked at.
///
/// # Safety
/// The machine has the instructions of `V`.
#[inline(always)]
pub unsafe fn weight_points<V: Lanes, const S: usize>(g: [V; MOST_TAPS]) -> [V; S] {
    // SAFETY: by the contract.
    unsafe {
        let zero = V::splat(0.0);
        let pair =
            |x: [V; 2], a: f32, b: f32| x[0].times_plus(V::splat(a), x[1].times_plus(V::splat(b), zero));
        let sum = |x: [V; 3], a: f32, b: f32, c: f32| {
            let last = x[2].times_plus(V::splat(c), zero);
            x[0].times_plus(V::splat(a), x[1].times_plus(V::splat(b), last))
        };
        let mut points = [zero; S];
        match S {
            1 => points[0] = g[0],
            5 => {
                let g = [g[0], g[1]];
                points[0] = g[0].plus(g[0]);
                points[1] = g[0].plus(g[1]);
                points[2] = pair(g, -1.0 / 3.0, 1.0 / 3.0);
                points[3] = pair(g, -8.0 / 3.0, -4.0 / 3.0);
                points[S - 1] = g[1];
            }
            6 => {
                let g = [g[0], g[1], g[2]];
                points[0] = g[0];
                points[1] = sum(g, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0);
                points[2] = sum(g, -1.0 / 3.0, 1.0 / 3.0, -1.0 / 3.0);
                points[3] = sum(g, -16.0 / 15.0, -8.0 / 15.0, -4.0 / 15.0);
                points[4] = sum(g, 1.0 / 15.0, -2.0 / 15.0, 4.0 / 15.0);
                points[S - 1] = g[2];
            }
            _ => {
                let (even, odd) = ([g[0], g[2], g[4]], [g[1], g[3]]);
                let ones = sum(even, -2.0 / 9.0, -2.0 / 9.0, -2.0 / 9.0);
                let twos = sum(even, 1.0 / 90.0, 4.0 / 90.0, 16.0 / 90.0);
                let halves = sum(even, 32.0 / 45.0, 8.0 / 45.0, 2.0 / 45.0);
                let odd_ones = pair(odd, -2.0 / 9.0, -2.0 / 9.0);
                let odd_twos = pair(odd, 2.0 / 90.0, 8.0 / 90.0);
                let odd_halves = pair(odd, 16.0 / 45.0, 4.0 / 45.0);
                points[0] = g[0];
                put_opposites(&mut points, [ones, twos, halves], [odd_ones, odd_twos, odd_halves]);
                points[S - 1] = g[4];
            }
        }
        points
    }
}

/// The first four coefficients of the polynomial with these values; of one value the first alone.
///
/// # Safety
/// The machine has the instructions of `V`.
#[inline(always)]
pub unsafe fn results<V: Lanes, const S: usize>(m: [V; S]) -> [V; RESULTS] {
    // SAFETY: by the contract.
    unsafe {
        let times = |x: V, factor: f32, sum: V| x.times_plus(V::splat(factor), sum);
        if S == 1 {
            return [m[0]; RESULTS];
        }
        let (sum, difference) = (m[1].plus(m[2]), m[1].minus(m[2]));
        match S {
            5 => [
                m[0].plus(sum).plus(m[3]),
                times(m[3], 0.5, difference),
                times(m[3], 0.25, sum),
                times(m[3], 0.125, difference.plus(m[S - 1])),
            ],
            6 => [
                m[0].plus(sum).plus(m[3].plus(m[4])),
                times(m[3], 0.5, times(m[4], -2.0, difference)),
                times(m[3], 0.25, times(m[4], 4.0, sum)),
                times(m[3], 0.125, times(m[4], -8.0, difference.plus(m[S - 1]))),
            ],
            _ => {
                let (of_two, by_two) = (m[3].plus(m[4]), m[3].minus(m[4]));
                let (of_half, by_half) = (m[5].plus(m[6]), m[5].minus(m[6]));
                [
                    m[0].plus(sum).plus(of_two.plus(of_half)),
                    times(by_half, 0.5, times(by_two, 2.0, difference)),
                    times(of_half, 0.25, times(of_two, 4.0, sum)),
                    times(by_half, 0.125, times(by_two, 8.0, difference.plus(m[S - 1]))),
                ]
            }
        }
    }
}

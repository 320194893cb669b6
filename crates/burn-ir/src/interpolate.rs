//! Other sizes of the spatial dimensions of `[batch, channels, ..]`. All modes are products of functions of
//! one coordinate.

use alloc::vec::Vec;
use core::f64::consts::PI;
use serde::{Deserialize, Serialize};

/// Interpolation mode: how a value between elements is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InterpolateMode {
    /// The element at `floor(i input / output)`. PyTorch: `mode='nearest'`, whose scale is rounded to 32
    /// bits.
    Nearest,
    /// The element whose centre is nearest: at `floor((i + 1/2) input / output)`. PyTorch:
    /// `mode='nearest-exact'`.
    NearestExact,
    /// Linear interpolation of two neighbours in each dimension. PyTorch: `mode='linear'` and
    /// `mode='bilinear'`.
    Linear,
    /// Cubic convolution of four neighbours in each dimension, with `a = -3/4` (Keys, 1981). PyTorch:
    /// `mode='bicubic'`.
    Cubic,
    /// `sinc(t) sinc(t / 3)` of six neighbours, divided by their sum (Duchon, 1979); edges are repeated.
    Lanczos,
}

impl InterpolateMode {
    /// Every mode.
    pub const ALL: [InterpolateMode; 5] = [
        InterpolateMode::Nearest,
        InterpolateMode::NearestExact,
        InterpolateMode::Linear,
        InterpolateMode::Cubic,
        InterpolateMode::Lanczos,
    ];

    /// Returns the number of neighbours along a dimension that a result is made of.
    pub fn taps(self) -> usize {
        match self {
            InterpolateMode::Nearest | InterpolateMode::NearestExact => 1,
            InterpolateMode::Linear => 2,
            InterpolateMode::Cubic => 4,
            InterpolateMode::Lanczos => 6,
        }
    }
}

/// Interpolation options: mode, corner alignment and scale factors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interpolation {
    pub mode: InterpolateMode,
    /// Whether the centres of the first and the last element stay where they are; otherwise the outer edges
    /// of these elements do. Without effect on the nearest element.
    pub align_corners: bool,
    /// The factors that the sizes were multiplied with, for each spatial dimension; none, where the quotient
    /// of the sizes is meant.
    pub factors: Vec<f64>,
}

/// Taps of an interpolation along one dimension: the input elements and weights of each output element.
#[derive(Clone, Debug, PartialEq)]
pub struct Taps {
    /// Number of taps for each output element.
    pub count: usize,
    /// Input positions, `count` for each output element, in ascending order. Edges are repeated.
    pub sources: Vec<usize>,
    /// Weights of the input elements at `sources`.
    pub weights: Vec<f64>,
}

impl Interpolation {
    /// Computes the taps of the `output` elements along spatial dimension `dim` of size `input`, at least
    /// one.
    pub fn taps(&self, dim: usize, input: usize, output: usize) -> Taps {
        let axis =
            Axis { input, output, factor: self.factors.get(dim).copied(), align_corners: self.align_corners };
        match self.mode {
            InterpolateMode::Nearest => axis.nearest(0),
            InterpolateMode::NearestExact => axis.nearest(1),
            InterpolateMode::Linear => axis.weighted(0, true, |t| [1.0 - t, t]),
            InterpolateMode::Cubic => axis.weighted(-1, false, cubic),
            InterpolateMode::Lanczos => axis.weighted(-2, false, lanczos),
        }
    }
}

struct Axis {
    input: usize,
    output: usize,
    factor: Option<f64>,
    align_corners: bool,
}

impl Axis {
    /// Nearest source; without a factor, the quotient of the sizes is computed in integers, which is exact.
    fn nearest(&self, halves: u8) -> Taps {
        let source = |i: usize| match self.factor {
            Some(factor) => ((i as f64 + f64::from(halves) / 2.0) / factor) as usize,
            None => {
                let doubled = 2 * i as u128 + u128::from(halves);
                (doubled * self.input as u128 / (2 * self.output as u128)) as usize
            }
        };
        let sources = (0..self.output).map(|i| source(i).min(self.input - 1)).collect();
        Taps { count: 1, sources, weights: alloc::vec![1.0; self.output] }
    }

    /// Where the centre of element `i` of the result is in the input.
    fn centre(&self, i: usize) -> f64 {
        let (input, output) = (self.input as f64, self.output as f64);
        if self.align_corners {
            return if self.output > 1 { i as f64 * (input - 1.0) / (output - 1.0) } else { 0.0 };
        }
        (i as f64 + 0.5) * self.factor.map_or(input / output, |factor| 1.0 / factor) - 0.5
    }

    /// The neighbours from `offset` on of the element at the left, weighted by the distance from it.
    fn weighted<const T: usize>(
        &self,
        offset: i64,
        inside: bool,
        weights_at: impl Fn(f64) -> [f64; T],
    ) -> Taps {
        let last = self.input as i64 - 1;
        let (mut sources, mut weights) =
            (Vec::with_capacity(T * self.output), Vec::with_capacity(T * self.output));
        for i in 0..self.output {
            let centre = self.centre(i);
            let centre = if inside { centre.clamp(0.0, last as f64) } else { centre };
            let left = floor(centre);
            let place = |tap: usize| left.saturating_add(offset + tap as i64).clamp(0, last) as usize;
            sources.extend((0..T).map(place));
            weights.extend(weights_at(centre - left as f64));
        }
        Taps { count: T, sources, weights }
    }
}

/// The standard library's is not in `core`.
fn floor(x: f64) -> i64 {
    let toward_zero = x as i64;
    toward_zero - i64::from(toward_zero as f64 > x)
}

fn cubic(t: f64) -> [f64; 4] {
    const A: f64 = -0.75;
    let near = |x: f64| ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0;
    // `A (x^3 - 5 x^2 + 8 x - 4)` at `x = 1 + t`, in factors: nothing cancels.
    let far = |t: f64| A * t * (1.0 - t) * (1.0 - t);
    [far(t), near(t), near(1.0 - t), far(1.0 - t)]
}

/// `sin(pi x)` for `x` in `0..=3`. What is left of the nearest whole number is exact, and not small beside a
/// rounding of `pi x`.
fn sin_pi(x: f64) -> f64 {
    let whole = libm::rint(x);
    let sine = libm::sin(PI * (x - whole));
    if whole == 1.0 || whole == 3.0 { -sine } else { sine }
}

fn lanczos(t: f64) -> [f64; 6] {
    const LOBES: f64 = 3.0;
    let sinc = |x: f64| if x == 0.0 { 1.0 } else { sin_pi(x) / (PI * x) };
    let distances = [t + 2.0, t + 1.0, t, 1.0 - t, 2.0 - t, 3.0 - t];
    let weights = distances.map(|x| if x < LOBES { sinc(x) * sinc(x / LOBES) } else { 0.0 });
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kernels rely on this: taps are neighbours, in ascending order.
    #[test]
    fn taps_of_a_result_are_neighbours_and_their_weights_add_up_to_one() {
        for mode in InterpolateMode::ALL {
            for (input, output) in [(1, 1), (1, 5), (5, 1), (4, 9), (9, 4), (7, 7), (3, 100)] {
                for (align_corners, factors) in
                    [(false, alloc::vec![]), (true, alloc::vec![]), (false, alloc::vec![0.3])]
                {
                    let taps = Interpolation { mode, align_corners, factors }.taps(0, input, output);
                    assert_eq!(taps.count, mode.taps());
                    assert_eq!([taps.sources.len(), taps.weights.len()], [output * taps.count; 2]);
                    let mut before = 0;
                    for (sources, weights) in
                        taps.sources.chunks(taps.count).zip(taps.weights.chunks(taps.count))
                    {
                        assert!(sources[0] >= before && sources.iter().all(|&source| source < input));
                        assert!(sources.windows(2).all(|pair| (0..=1).contains(&(pair[1] - pair[0]))));
                        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                        before = sources[0];
                    }
                }
            }
        }
    }
}

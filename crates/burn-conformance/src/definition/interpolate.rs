//! Each result from the function of the mode, of the distance to every element: no tables, no neighbours.

use super::Expected;
use crate::array::{Array, indices};
use crate::number::Number;
use crate::tolerance::Tolerance;
use burn_backend::{HasSpec, InterpolateMode, Interpolation, Shape};
use std::f64::consts::PI;

/// Returns the weight of an element at this distance.
fn influence(mode: InterpolateMode, distance: f64) -> f64 {
    let x = distance.abs();
    match mode {
        InterpolateMode::Nearest | InterpolateMode::NearestExact => unreachable!("has no influence"),
        InterpolateMode::Linear => (1.0 - x).max(0.0),
        // Keys, equation 15 with a = -3/4.
        InterpolateMode::Cubic if x <= 1.0 => 1.25 * x.powi(3) - 2.25 * x.powi(2) + 1.0,
        InterpolateMode::Cubic if x < 2.0 => -0.75 * (x - 1.0) * (x - 2.0).powi(2),
        InterpolateMode::Lanczos if x == 0.0 => 1.0,
        InterpolateMode::Lanczos if x < 3.0 => {
            // From the nearest zero, where sines are small.
            let sine = |x: f64| (PI * (x - x.round())).sin().abs() * if x % 2.0 < 1.0 { 1.0 } else { -1.0 };
            3.0 * sine(x) * sine(x / 3.0) / (PI * x).powi(2)
        }
        InterpolateMode::Cubic | InterpolateMode::Lanczos => 0.0,
    }
}

/// Where each of `input` elements counts for how much in element `i` of `output`.
fn shares(options: &Interpolation, d: usize, input: usize, output: usize, i: usize) -> Vec<(usize, f64)> {
    let last = input - 1;
    let scale = options.factors.get(d).map_or(input as f64 / output as f64, |factor| 1.0 / factor);
    let shift = match options.mode {
        InterpolateMode::Nearest => Some(0.0),
        InterpolateMode::NearestExact => Some(0.5),
        InterpolateMode::Linear | InterpolateMode::Cubic | InterpolateMode::Lanczos => None,
    };
    if let Some(shift) = shift {
        // The quotient first: a product of whole numbers and one that is rounded could fall short of a whole one.
        let at = match options.factors.get(d) {
            Some(factor) => (i as f64 + shift) / factor,
            None => (i as f64 + shift) * input as f64 / output as f64,
        };
        return vec![((at.floor() as usize).min(last), 1.0)];
    }
    let mut centre = match options.align_corners {
        true if output == 1 => 0.0,
        true => i as f64 * last as f64 / (output - 1) as f64,
        false => (i as f64 + 0.5) * scale - 0.5,
    };
    if options.mode == InterpolateMode::Linear {
        centre = centre.clamp(0.0, last as f64);
    }
    // Elements beyond the edges are the edges.
    let near = centre.floor() as i64;
    let mut shares = vec![0.0; input];
    for at in near - 3..=near + 4 {
        shares[at.clamp(0, last as i64) as usize] += influence(options.mode, centre - at as f64);
    }
    let sum: f64 = if options.mode == InterpolateMode::Lanczos { shares.iter().sum() } else { 1.0 };
    let reach = options.mode.taps() as i64;
    let met = |at: i64| (near - reach / 2 + 1..=near + reach / 2).any(|i| i.clamp(0, last as i64) == at);
    (0..input).filter(|&at| met(at as i64)).map(|at| (at, shares[at] / sum)).collect()
}

/// Calls `f` with each result of a plane, each element it is made of, and what that counts for.
fn for_shares(options: &Interpolation, from: &Shape, to: &Shape, mut f: impl FnMut(&[usize], &[usize], f64)) {
    for i in indices(to) {
        let mut elements = vec![(i[..2].to_vec(), 1.0)];
        for d in 0..to.rank() - 2 {
            let along = shares(options, d, from[d + 2], to[d + 2], i[d + 2]);
            let joined = elements.iter().flat_map(|(at, weight)| {
                along.iter().map(move |(next, share)| ([&at[..], &[*next]].concat(), weight * share))
            });
            elements = joined.collect();
        }
        elements.iter().for_each(|(at, weight)| f(&i, at, *weight));
    }
}

/// The sums of products that `for_shares` names.
struct Sums {
    value: Array,
    magnitude: Array,
}

impl Sums {
    fn new(shape: &Shape, x: &Array) -> Self {
        let value = Array::build(shape.clone(), x.dtype(), |_| Number::zero(x.dtype()));
        Sums { magnitude: value.clone(), value }
    }

    fn add(&mut self, at: &[usize], part: f64) {
        let value = self.value.at_mut(at);
        *value = value.add(Number::Float(part));
        let magnitude = self.magnitude.at_mut(at);
        *magnitude = magnitude.add(Number::Float(part.abs()));
    }

    fn expected(self, terms: usize) -> Expected {
        let magnitudes = self.magnitude.values.iter().map(|x| x.to_f64()).collect();
        Expected { array: self.value, tolerance: Tolerance::Sum { magnitudes, terms } }
    }
}

pub fn interpolate(x: &Array, size: &[usize], options: &Interpolation) -> Expected {
    let shape: Shape = x.shape()[..2].iter().chain(size).copied().collect();
    let mut sums = Sums::new(&shape, x);
    for_shares(options, x.shape(), &shape, |i, at, share| sums.add(i, x.at(at).to_f64() * share));
    // Weights are rounded too.
    sums.expected(2 * options.mode.taps().pow(size.len() as u32))
}

pub fn grad(grad: &Array, target: &Shape, options: &Interpolation) -> Expected {
    let mut sums = Sums::new(target, grad);
    for_shares(options, target, grad.shape(), |i, at, share| sums.add(at, grad.at(i).to_f64() * share));
    sums.expected(2 * grad.shape()[2..].iter().product::<usize>().max(1))
}

//! Taps of a resized axis: the input elements of each output element, and their weights.

use crate::error::{Outcome, fail, require};

/// Transformation of output coordinates to input coordinates.
#[derive(Clone, Debug)]
pub(super) struct Coordinates {
    /// Attribute `coordinate_transformation_mode`.
    pub mode: String,
    /// Whether taps beyond the axis have no weight, instead of that of the edge.
    pub exclude_outside: bool,
}

/// Interpolation kernel: the weights of the elements near a coordinate.
#[derive(Clone, Debug)]
pub(super) enum Kernel {
    /// The nearest one, by the attribute `nearest_mode`.
    Nearest(String),
    /// A triangle.
    Linear { antialias: bool },
    /// Cubic convolution (Keys, 1981) with coefficient `a`.
    Cubic { antialias: bool, a: f64 },
}

/// Elements and weights: `indices[tap][place]`.
#[derive(Clone, Debug)]
pub(super) struct Taps {
    pub indices: Vec<Vec<usize>>,
    /// None if each element is a copy.
    pub weights: Option<Vec<Vec<f64>>>,
    /// Whether the coordinate of an element is beyond the input.
    pub outside: Vec<bool>,
}

/// The most taps of all elements of an axis together.
const MOST_TAPS: f64 = (1 << 24) as f64;

/// The largest new size of an axis.
const LARGEST: usize = 1 << 20;

impl Taps {
    pub fn of(
        from: usize,
        to: usize,
        scale: f64,
        roi: (f64, f64),
        coordinates: &Coordinates,
        kernel: &Kernel,
    ) -> Outcome<Self> {
        require!(
            from > 0 && to <= LARGEST && scale > 0.0,
            "an axis of size {from} cannot be resized to {to}"
        );
        kernel.check(to, scale)?;
        let is_crop = coordinates.mode == "tf_crop_and_resize";
        let last = (from - 1) as f64;
        let places: Vec<f64> = (0..to)
            .map(|place| source(place as f64, from, to, scale, roi, &coordinates.mode))
            .collect::<Outcome<_>>()?;
        let outside = places.iter().map(|&place| is_crop && !(0.0..=last).contains(&place)).collect();
        let clamped = |index: i64| index.clamp(0, from as i64 - 1) as usize;
        if let Kernel::Nearest(rounding) = kernel {
            let indices = places
                .iter()
                .map(|&place| Ok(clamped(rounded(place, rounding)? as i64)))
                .collect::<Outcome<_>>()?;
            return Ok(Taps { indices: vec![indices], weights: None, outside });
        }
        let count = kernel.weights(1.0, scale).len();
        let mut taps =
            Taps { indices: vec![Vec::new(); count], weights: Some(vec![Vec::new(); count]), outside };
        for &place in &places {
            // At a whole coordinate the element on the left is the one at a distance of 1.
            let ratio = if place.fract() == 0.0 { 1.0 } else { place - place.floor() };
            let first = (place.ceil() as i64).saturating_sub((count / 2) as i64);
            let mut weights = kernel.weights(ratio, scale);
            if coordinates.exclude_outside {
                for (tap, weight) in weights.iter_mut().enumerate() {
                    if !(0..from as i64).contains(&first.saturating_add(tap as i64)) {
                        *weight = 0.0;
                    }
                }
                let sum: f64 = weights.iter().sum();
                weights.iter_mut().for_each(|weight| *weight /= if sum == 0.0 { 1.0 } else { sum });
            }
            for (tap, weight) in weights.into_iter().enumerate() {
                taps.indices[tap].push(clamped(first.saturating_add(tap as i64)));
                if let Some(all) = &mut taps.weights {
                    all[tap].push(weight);
                }
            }
        }
        Ok(taps)
    }
}

/// The coordinate in the input of an element of the output.
fn source(place: f64, from: usize, to: usize, scale: f64, roi: (f64, f64), mode: &str) -> Outcome<f64> {
    let last = from as f64 - 1.0;
    let length = scale * from as f64;
    let half_pixel = (place + 0.5) / scale - 0.5;
    Ok(match mode {
        "half_pixel" => half_pixel,
        "pytorch_half_pixel" if length == 1.0 => -0.5,
        "pytorch_half_pixel" => half_pixel,
        "half_pixel_symmetric" => half_pixel + from as f64 / 2.0 * (1.0 - to as f64 / length),
        "align_corners" if length == 1.0 => 0.0,
        "align_corners" => place * last / (length - 1.0),
        "asymmetric" => place / scale,
        "tf_crop_and_resize" => {
            let width = (roi.1 - roi.0) * last;
            let inside = if length == 1.0 { width / 2.0 } else { place * width / (length - 1.0) };
            inside + roi.0 * last
        }
        "tf_half_pixel_for_nn" => (place + 0.5) / scale,
        other => fail!("attribute `coordinate_transformation_mode` is `{other}`, which is not known"),
    })
}

fn rounded(place: f64, mode: &str) -> Outcome<f64> {
    let ratio = place - place.floor();
    Ok(match mode {
        "floor" => place.floor(),
        "ceil" => place.ceil(),
        "round_prefer_floor" if ratio <= 0.5 => place.floor(),
        "round_prefer_ceil" if ratio < 0.5 => place.floor(),
        "round_prefer_floor" | "round_prefer_ceil" => place.ceil(),
        other => fail!("attribute `nearest_mode` is `{other}`, which is not known"),
    })
}

impl Kernel {
    /// Checks that a kernel that is stretched over a smaller output has a number of taps that memory holds.
    fn check(&self, to: usize, scale: f64) -> Outcome<()> {
        let reach = match self {
            Kernel::Linear { antialias: true } => 1.0 / scale.min(1.0),
            Kernel::Cubic { antialias: true, .. } => 2.0 / scale.min(1.0),
            _ => return Ok(()),
        };
        let taps = (2.0 * reach + 2.0) * (to as f64).max(1.0);
        if taps > MOST_TAPS {
            fail!(
                "a kernel for scale {scale} has too many taps; expected at most {MOST_TAPS:e}, got {taps:e}"
            );
        }
        Ok(())
    }

    /// Weights of the taps around a coordinate, which is `ratio` after the last one at or before its left
    /// neighbour.
    fn weights(&self, ratio: f64, scale: f64) -> Vec<f64> {
        let narrow = |antialias: bool| if antialias { scale.min(1.0) } else { 1.0 };
        let (reach, scale) = match self {
            Kernel::Nearest(_) => return vec![1.0],
            Kernel::Linear { antialias } => (1.0, narrow(*antialias)),
            Kernel::Cubic { antialias, .. } => (2.0, narrow(*antialias)),
        };
        let start = (-reach / scale).floor() as i64 + 1;
        let weights = (start..2 - start).map(|tap| self.at((tap as f64 - ratio) * scale));
        let weights: Vec<f64> = weights.collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }

    fn at(&self, distance: f64) -> f64 {
        let x = distance.abs();
        match self {
            Kernel::Nearest(_) => 1.0,
            Kernel::Linear { .. } => (1.0 - x).max(0.0),
            Kernel::Cubic { a, .. } if x <= 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
            Kernel::Cubic { a, .. } if x < 2.0 => ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a,
            Kernel::Cubic { .. } => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_kernel_weighs_both_neighbours() {
        let coordinates = Coordinates { mode: "half_pixel".into(), exclude_outside: false };
        let taps =
            Taps::of(2, 4, 2.0, (0.0, 1.0), &coordinates, &Kernel::Linear { antialias: false }).unwrap();
        // Coordinates -0.25, 0.25, 0.75 and 1.25; the edge is repeated.
        assert_eq!(taps.indices, [vec![0, 0, 0, 1], vec![0, 1, 1, 1]]);
        assert_eq!(taps.weights.unwrap(), [vec![0.25, 0.75, 0.25, 0.75], vec![0.75, 0.25, 0.75, 0.25]]);
    }
}

use std::collections::VecDeque;

/// The points of a line that grows without end: all of it thinned out, and the last of it exact.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    full: Vec<(f64, f64)>,
    /// How many points are drawn as one.
    stride: usize,
    /// The points that are not drawn yet: their number and sums.
    bucket: (usize, f64, f64),
    recent: VecDeque<(f64, f64)>,
}

/// The most points of a whole line, more than a terminal has dots.
const FULL: usize = 1024;
/// The number of points of the recent line.
pub(crate) const RECENT: usize = 256;

impl Curve {
    pub(crate) fn new() -> Self {
        Self { full: Vec::new(), stride: 1, bucket: (0, 0.0, 0.0), recent: VecDeque::new() }
    }

    /// Adds a point to the right; one that is not finite cannot be drawn.
    pub(crate) fn push(&mut self, x: f64, y: f64) {
        if !y.is_finite() {
            return;
        }
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((x, y));
        self.bucket = (self.bucket.0 + 1, self.bucket.1 + x, self.bucket.2 + y);
        if self.bucket.0 == self.stride {
            self.close_bucket();
        }
    }

    /// Replaces the last point.
    #[cfg(any(feature = "tui", test))]
    pub(crate) fn replace_last(&mut self, x: f64, y: f64) {
        if self.stride == 1 && self.recent.back().is_some() {
            self.recent.pop_back();
            self.full.pop();
        }
        self.push(x, y);
    }

    fn close_bucket(&mut self) {
        let (count, x, y) = std::mem::take(&mut self.bucket);
        self.full.push((x / count as f64, y / count as f64));
        if self.full.len() == FULL {
            let mean = |pair: &[(f64, f64)]| ((pair[0].0 + pair[1].0) / 2.0, (pair[0].1 + pair[1].1) / 2.0);
            self.full = self.full.chunks_exact(2).map(mean).collect();
            self.stride *= 2;
        }
    }

    /// Returns all of the line, thinned out, up to its last point.
    pub(crate) fn full(&self) -> Vec<(f64, f64)> {
        let mut points = self.full.clone();
        if self.bucket.0 > 0 {
            points.extend(self.recent.back());
        }
        points
    }

    /// Returns the end of the line, from `x` on.
    #[cfg(any(feature = "tui", test))]
    pub(crate) fn recent_from(&self, x: f64) -> Vec<(f64, f64)> {
        self.recent.iter().copied().filter(|point| point.0 >= x).collect()
    }

    #[cfg(any(feature = "tui", test))]
    pub(crate) fn last_x(&self) -> f64 {
        self.recent.back().map_or(0.0, |point| point.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_keeps_its_shape_in_bounded_memory() {
        let mut curve = Curve::new();
        for x in 1..=100_000 {
            curve.push(f64::from(x), 2.0 * f64::from(x));
        }
        let full = curve.full();
        assert!((FULL / 2..=FULL).contains(&full.len()), "{}", full.len());
        assert!(full.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(full.iter().all(|(x, y)| (y - 2.0 * x).abs() < 1e-6));
        assert_eq!((curve.last_x(), full[full.len() - 1].0), (100_000.0, 100_000.0));
        assert_eq!(curve.recent_from(0.0).len(), RECENT);
        assert_eq!(curve.recent_from(99_999.0), [(99_999.0, 199_998.0), (100_000.0, 200_000.0)]);
    }

    #[test]
    fn points_that_are_not_finite_are_left_out() {
        let mut curve = Curve::new();
        curve.push(1.0, f64::NAN);
        curve.push(2.0, 5.0);
        assert_eq!(curve.full(), [(2.0, 5.0)]);
    }

    #[test]
    fn the_last_point_may_move() {
        let mut curve = Curve::new();
        curve.push(1.0, 5.0);
        curve.push(2.0, 5.0);
        curve.replace_last(3.0, 6.0);
        assert_eq!(curve.full(), [(1.0, 5.0), (3.0, 6.0)]);
    }
}

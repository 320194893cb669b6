//! Axes of curves with round ticks.

/// An axis from one round number to another, which contains all values.
///
/// Bounds are multiples of the step, and 0, 1 and 100 are multiples of every step up to them: a loss never
/// begins below 0, an accuracy never ends above 100 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    step: f64,
    intervals: usize,
}

impl Axis {
    /// Returns the axis of finite values with at most `most` intervals, two at least, or none where there is
    /// no value.
    pub(crate) fn new(values: impl Iterator<Item = f64>, most: usize) -> Option<Self> {
        Self::with_step(range(values)?, most, f64::MIN_POSITIVE)
    }

    /// Returns the axis of whole numbers, whose ticks are whole too.
    pub(crate) fn of_whole_numbers(values: impl Iterator<Item = f64>, most: usize) -> Option<Self> {
        Self::with_step(range(values)?, most, 1.0)
    }

    /// Returns the axis whose step is not less than `least`.
    fn with_step((low, high): (f64, f64), most: usize, least: f64) -> Option<Self> {
        // Zero in between takes an interval on each side.
        let most = most.max(2);
        let largest = low.abs().max(high.abs());
        let size = match high - low {
            size if size > 1e-9 * largest => size,
            _ if largest > 0.0 => largest,
            _ => 1.0,
        };
        let power = 10_f64.powf((size / most as f64).log10().floor()).max(least);
        // The last of them is more than large enough for any position of the values.
        for step in [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0].map(|digits| digits * power) {
            let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
            let (first, last) = if first >= last { flat(first) } else { (first, last) };
            let intervals = last - first;
            if intervals <= most as f64 {
                let (low, high) = (first * step, last * step);
                let is_finite = low.is_finite() && high.is_finite() && low < high;
                return is_finite.then_some(Self { low, high, step, intervals: intervals as usize });
            }
        }
        None
    }

    /// Returns the round numbers, the bounds among them.
    pub(crate) fn ticks(&self) -> impl Iterator<Item = f64> {
        let first = (self.low / self.step).round();
        let step = self.step;
        (0..=self.intervals).map(move |at| (first + at as f64) * step)
    }

    /// Formats a tick, with the digits that distinguish it from its neighbours.
    pub(crate) fn label(&self, tick: f64) -> String {
        let largest = self.low.abs().max(self.high.abs());
        let digit = self.step.log10().floor() as i32;
        if tick == 0.0 || tick.abs() < self.step / 2.0 {
            "0".to_string()
        } else if largest >= 1e6 || digit < -5 {
            let precision = (tick.abs().log10().floor() as i32 - digit).clamp(0, 12) as usize;
            format!("{tick:.precision$e}")
        } else {
            format!("{tick:.precision$}", precision = (-digit).max(0) as usize)
        }
    }
}

/// Returns the bounds of values that are one multiple of the step: the interval on the side of zero.
fn flat(multiple: f64) -> (f64, f64) {
    if multiple > 0.0 { (multiple - 1.0, multiple) } else { (multiple, multiple + 1.0) }
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    (low <= high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(low: f64, high: f64, most: usize) -> Axis {
        Axis::new([low, high].into_iter(), most).unwrap()
    }

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks().map(|tick| axis.label(tick)).collect()
    }

    #[test]
    fn ticks_are_round_and_contain_the_values() {
        assert_eq!(labels(&axis(0.0, 10.0, 5)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(&axis(0.013, 0.94, 5)), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&axis(61.3, 99.8, 4)), ["60", "70", "80", "90", "100"]);
        assert_eq!(labels(&axis(1.0, 1437.0, 3)), ["0", "500", "1000", "1500"]);
        assert_eq!(labels(&axis(2e-7, 9e-7, 4)), ["2e-7", "4e-7", "6e-7", "8e-7", "1.0e-6"]);
        for (low, high) in [(-3.0, 4.0), (1e-9, 2e-9), (5e8, 9e9), (0.1, 0.3), (-1e300, 1e300), (7.0, 7.0)] {
            for most in 2..=10 {
                let axis = axis(low, high, most);
                assert!(
                    axis.low <= low + 1e-9 * low.abs() && axis.high >= high - 1e-9 * high.abs(),
                    "{axis:?}"
                );
                assert!(axis.ticks().count() <= most + 1, "{axis:?}");
            }
        }
    }

    #[test]
    fn the_range_of_a_metric_is_not_left() {
        for most in 1..=10 {
            for percent in [99.8, 100.0, 50.0, 1.0] {
                assert!(axis(percent * 0.999, percent, most).high <= 100.0, "{percent} {most}");
                assert!(axis(percent, percent, most).high <= 100.0, "{percent} {most}");
            }
            for loss in [0.0, 0.001, 0.7, 12.0] {
                assert!(axis(loss, loss * 1.5, most).low >= 0.0, "{loss} {most}");
                assert!(axis(loss, loss, most).low >= 0.0, "{loss} {most}");
            }
        }
        assert_eq!(labels(&axis(100.0, 100.0, 4)), ["90", "100"]);
        assert_eq!(labels(&axis(0.0, 0.0, 4)), ["0", "0.1"]);
    }

    #[test]
    fn batches_are_whole_numbers() {
        let labels = |low, high| labels(&Axis::of_whole_numbers([low, high].into_iter(), 4).unwrap());
        assert_eq!(labels(1.0, 2.0), ["1", "2"]);
        assert_eq!(labels(1.0, 1.0), ["0", "1"]);
        assert_eq!(labels(3.0, 37.0), ["0", "10", "20", "30", "40"]);
    }

    #[test]
    fn without_a_finite_value_there_is_none() {
        assert_eq!(Axis::new([f64::NAN, f64::INFINITY].into_iter(), 4), None);
        assert_eq!(Axis::new(std::iter::empty(), 4), None);
        // The difference of the values overflows.
        assert_eq!(Axis::new([-f64::MAX, f64::MAX].into_iter(), 4), None);
        let tiny = Axis::new([0.0, 5e-324].into_iter(), 4).unwrap();
        assert!(tiny.low <= 0.0 && tiny.high > 0.0, "{tiny:?}");
    }
}

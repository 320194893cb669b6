use std::cmp::Ordering;

/// Aggregate of the values of an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// The value of the metric over the epoch, which is the mean for metrics that keep a
    /// [`NumericMetricState`](crate::metric::NumericMetricState).
    #[default]
    Mean,
    /// The value of the last batch.
    Last,
    /// The lowest value of a batch.
    Min,
    /// The highest value of a batch.
    Max,
}

/// Which of two values is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The lower one, as for a loss.
    Lowest,
    /// The higher one, as for an accuracy.
    Highest,
}

impl Direction {
    /// Returns whether `value` is better than `other`. NaN is worse than every number.
    pub fn is_better(self, value: f64, other: f64) -> bool {
        let better = match self {
            Self::Lowest => Ordering::Less,
            Self::Highest => Ordering::Greater,
        };
        match value.partial_cmp(&other) {
            Some(order) => order == better,
            None => other.is_nan() && !value.is_nan(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Direction::{Highest, Lowest};

    #[test]
    fn nan_is_never_better() {
        assert!(Lowest.is_better(1.0, 2.0) && !Lowest.is_better(2.0, 2.0));
        assert!(Highest.is_better(2.0, 1.0) && !Highest.is_better(1.0, 2.0));
        for direction in [Lowest, Highest] {
            assert!(direction.is_better(1.0, f64::NAN));
            assert!(!direction.is_better(f64::NAN, 1.0));
            assert!(!direction.is_better(f64::NAN, f64::NAN));
        }
    }
}

use std::fmt;
use std::str::FromStr;

/// One line of the log of a numeric metric: the value of a batch, and how much it counts.
///
/// Written as `value,count`, in digits that give the same number back.
///
/// ```
/// use burn::train::metric::NumericEntry;
///
/// let entry = NumericEntry { value: 93.75, count: 64 };
/// assert_eq!(entry.to_string(), "93.75,64");
/// assert_eq!("93.75,64".parse(), Ok(entry));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumericEntry {
    /// The value of the batch.
    pub value: f64,
    /// The number of things it is the mean of.
    pub count: usize,
}

impl fmt::Display for NumericEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.value, self.count)
    }
}

/// The line is not `value,count`.
#[derive(Clone, PartialEq, Eq)]
pub struct ParseNumericEntryError {
    line: String,
}

impl fmt::Display for ParseNumericEntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a value and a count with a comma between", self.line)
    }
}

burn_core::tensor::debug_as_display!(ParseNumericEntryError);

impl std::error::Error for ParseNumericEntryError {}

impl FromStr for NumericEntry {
    type Err = ParseNumericEntryError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (value, count) = line.split_once(',')?;
            Some(Self { value: value.trim().parse().ok()?, count: count.trim().parse().ok()? })
        };
        parse().ok_or_else(|| ParseNumericEntryError { line: line.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back() {
        for value in [0.1, -1.0 / 3.0, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY] {
            let entry = NumericEntry { value, count: 3 };
            assert_eq!(entry.to_string().parse(), Ok(entry));
        }
        assert!("NaN,1".parse::<NumericEntry>().is_ok_and(|entry| entry.value.is_nan()));
    }

    #[test]
    fn another_line_is_an_error() {
        for line in ["", "1", "1,", "1,-2", "a,1", "1,2,3"] {
            assert!(line.parse::<NumericEntry>().is_err(), "{line}");
        }
    }
}

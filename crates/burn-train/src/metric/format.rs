/// How a number is shown.
///
/// ```
/// use burn::train::metric::FormatOptions;
///
/// let options = FormatOptions::new("Accuracy").unit("%").precision(2);
/// assert_eq!(options.format(97.123), "97.12 %");
/// assert_eq!(FormatOptions::new("Learning Rate").precision(2).format(0.000125), "1.25e-4");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatOptions {
    name: String,
    unit: Option<String>,
    precision: Option<usize>,
}

impl FormatOptions {
    /// Shows all digits of a number called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), unit: None, precision: None }
    }

    /// Writes a unit after the number.
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Rounds to so many decimals; a number too small for them is shown as a power of ten.
    pub fn precision(mut self, precision: usize) -> Self {
        self.precision = Some(precision);
        self
    }

    /// Returns the name of the number.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes a number.
    pub fn format(&self, value: f64) -> String {
        let number = match self.precision {
            None => value.to_string(),
            Some(precision) if hides(value, precision) => format!("{value:.precision$e}"),
            Some(precision) => format!("{value:.precision$}"),
        };
        match &self.unit {
            None => number,
            Some(unit) => format!("{number} {unit}"),
        }
    }
}

/// Whether a number other than zero would lose most of its digits.
fn hides(value: f64, precision: usize) -> bool {
    value != 0.0 && value.abs() < 0.1_f64.powi(precision.min(300) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits() {
        let options = FormatOptions::new("x").precision(3);
        let shown = [0.0, 0.5, -0.0004, 12345.6789, f64::NAN].map(|value| options.format(value));
        assert_eq!(shown, ["0.000", "0.500", "-4.000e-4", "12345.679", "NaN"]);
        assert_eq!(FormatOptions::new("x").format(0.1), "0.1");
    }
}

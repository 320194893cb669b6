use super::ConfigError;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Debug;

/// Validation of the fields of a config.
///
/// Every check returns [`ConfigError::Field`] when the value does not fit.
///
/// ```
/// use burn::config::{Config, ConfigError, FieldCheck};
///
/// #[derive(Config, Debug)]
/// struct WarmupConfig {
///     rate: f64,
///     steps: usize,
/// }
///
/// impl WarmupConfig {
///     fn validate(&self) -> Result<(), ConfigError> {
///         let check = FieldCheck::of("WarmupConfig");
///         check.not_negative("rate", self.rate)?;
///         check.at_least("steps", self.steps, 1)
///     }
/// }
///
/// assert!(WarmupConfig::new(0.1, 10).validate().is_ok());
/// let error = WarmupConfig::new(0.1, 0).validate().unwrap_err();
/// assert_eq!(error.to_string(), "WarmupConfig: invalid `steps`; expected at least 1, got 0");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FieldCheck {
    config: &'static str,
}

impl FieldCheck {
    /// Returns the checks of the config type `config`.
    pub const fn of(config: &'static str) -> Self {
        FieldCheck { config }
    }

    /// Refuses `value` of `field` unless `fits`; `expected` completes the sentence "expected ..".
    ///
    /// # Errors
    /// `fits` is false.
    pub fn ensure(
        self,
        fits: bool,
        field: &str,
        value: &dyn Debug,
        expected: &str,
    ) -> Result<(), ConfigError> {
        if fits { Ok(()) } else { Err(self.refuse(field, format!("{value:?}"), expected.to_string())) }
    }

    /// Refuses an integer below `least`.
    ///
    /// # Errors
    /// `value < least`.
    pub fn at_least(self, field: &str, value: usize, least: usize) -> Result<(), ConfigError> {
        self.ensure(value >= least, field, &value, &format!("at least {least}"))
    }

    /// Refuses a list with an integer below `least`.
    ///
    /// # Errors
    /// An element of `values` is below `least`.
    pub fn all_at_least(self, field: &str, values: &[usize], least: usize) -> Result<(), ConfigError> {
        let fits = values.iter().all(|&value| value >= least);
        self.ensure(fits, field, &values, &format!("at least {least} in every dimension"))
    }

    /// Refuses an integer above `most`, such as a number of layers of which each takes memory.
    ///
    /// # Errors
    /// `value > most`.
    pub fn at_most(self, field: &str, value: usize, most: usize) -> Result<(), ConfigError> {
        self.ensure(value <= most, field, &value, &format!("at most {most}"))
    }

    /// Returns the number of elements of a tensor with these sizes, each by the name of its field. Parameters
    /// are allocated at their first use; a tensor that is filled at once has a limit: see
    /// [`elements_at_most`](Self::elements_at_most).
    ///
    /// ```
    /// use burn::config::FieldCheck;
    ///
    /// let check = FieldCheck::of("LayerConfig");
    /// assert_eq!(check.elements(&[("d_input", 3), ("d_output", 4)]), Ok(12));
    /// let error = check.elements(&[("d_input", 3), ("d_output", usize::MAX)]).unwrap_err().to_string();
    /// assert!(error.starts_with("LayerConfig: invalid `d_input * d_output`; expected a product of at most"));
    /// ```
    ///
    /// # Errors
    /// A size is 0, or no memory can hold as many numbers of 8 bytes: more than `isize::MAX` bytes.
    pub fn elements(self, sizes: &[(&str, usize)]) -> Result<usize, ConfigError> {
        self.elements_at_most(sizes, isize::MAX as usize / size_of::<f64>())
    }

    /// Returns the number of elements of a tensor with these sizes, of which there may be `most`.
    ///
    /// # Errors
    /// A size is 0, or the product is above `most`.
    pub fn elements_at_most(self, sizes: &[(&str, usize)], most: usize) -> Result<usize, ConfigError> {
        for &(field, size) in sizes {
            self.at_least(field, size, 1)?;
        }
        let product = sizes.iter().try_fold(1usize, |product, &(_, size)| product.checked_mul(size));
        match product {
            Some(product) if product <= most => Ok(product),
            _ => Err(self.refuse_product(sizes, most)),
        }
    }

    #[cold]
    fn refuse_product(self, sizes: &[(&str, usize)], most: usize) -> ConfigError {
        let mut fields: Vec<&str> = sizes.iter().map(|&(field, _)| field).collect();
        fields.dedup();
        let values: Vec<String> = sizes.iter().map(|(_, size)| size.to_string()).collect();
        self.refuse(&fields.join(" * "), values.join(" * "), format!("a product of at most {most}"))
    }

    /// Refuses a number that is not finite or not above 0.
    ///
    /// # Errors
    /// `value` is zero, negative, infinite or NaN.
    pub fn positive(self, field: &str, value: f64) -> Result<(), ConfigError> {
        self.ensure(value.is_finite() && value > 0.0, field, &value, "a finite number above 0")
    }

    /// Refuses a number that is not finite or below 0.
    ///
    /// # Errors
    /// `value` is negative, infinite or NaN.
    pub fn not_negative(self, field: &str, value: f64) -> Result<(), ConfigError> {
        self.ensure(value.is_finite() && value >= 0.0, field, &value, "a finite number of at least 0")
    }

    /// Refuses a number outside `[0, 1]`, such as a probability.
    ///
    /// # Errors
    /// `value` is below 0, above 1 or NaN.
    pub fn probability(self, field: &str, value: f64) -> Result<(), ConfigError> {
        self.ensure((0.0..=1.0).contains(&value), field, &value, "a number in [0, 1]")
    }

    /// Refuses a number outside `[0, 1)`, such as the decay rate of a moving average.
    ///
    /// # Errors
    /// `value` is below 0, at least 1 or NaN.
    pub fn decay_rate(self, field: &str, value: f64) -> Result<(), ConfigError> {
        self.ensure((0.0..1.0).contains(&value), field, &value, "a number in [0, 1)")
    }

    /// Reports an error of the config in `field` as one of this config: its field is `field.<field of the
    /// inner config>`.
    ///
    /// # Errors
    /// `result` is an error.
    pub fn nested(self, field: &str, result: Result<(), ConfigError>) -> Result<(), ConfigError> {
        result.map_err(|error| match error {
            ConfigError::Field { field: inner, value, expected, .. } => {
                let field = format!("{field}.{inner}");
                ConfigError::Field { config: self.config, field, value, expected }
            }
            other @ (ConfigError::File { .. } | ConfigError::Invalid { .. }) => other,
        })
    }

    #[cold]
    fn refuse(self, field: &str, value: String, expected: String) -> ConfigError {
        ConfigError::Field { config: self.config, field: field.to_string(), value, expected }
    }
}

#[cfg(test)]
mod tests {
    use super::FieldCheck;
    use alloc::string::ToString;

    const CHECK: FieldCheck = FieldCheck::of("OuterConfig");

    #[test]
    fn field_check_refuses_what_is_out_of_range_and_not_finite() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(CHECK.positive("x", value).is_err(), "{value}");
            assert_eq!(CHECK.not_negative("x", value).is_ok(), value == 0.0, "{value}");
            assert_eq!(CHECK.probability("x", value).is_ok(), value == 0.0, "{value}");
        }
        assert!(CHECK.probability("x", 1.0).is_ok() && CHECK.decay_rate("x", 1.0).is_err());
        assert!(CHECK.at_least("x", 1, 1).is_ok() && CHECK.at_least("x", 0, 1).is_err());
        assert!(CHECK.all_at_least("x", &[2, 1], 1).is_ok() && CHECK.all_at_least("x", &[2, 0], 1).is_err());
    }

    #[test]
    fn field_check_of_a_product_refuses_what_overflows_or_cannot_be_addressed() {
        let elements = |sizes: [usize; 2]| CHECK.elements(&[("a", sizes[0]), ("b", sizes[1])]);
        assert_eq!(elements([3, 5]), Ok(15));
        assert_eq!(elements([1, isize::MAX as usize / 8]), Ok(isize::MAX as usize / 8));
        for wrong in
            [[1, isize::MAX as usize / 8 + 1], [2, usize::MAX], [usize::MAX; 2], [1 << (usize::BITS / 2); 2]]
        {
            let text = elements(wrong).unwrap_err().to_string();
            let most = isize::MAX as usize / 8;
            let [a, b] = wrong;
            let expected = alloc::format!(
                "OuterConfig: invalid `a * b`; expected a product of at most {most}, got {a} * {b}"
            );
            assert_eq!(text, expected);
        }
        let text = elements([0, usize::MAX]).unwrap_err().to_string();
        assert_eq!(text, "OuterConfig: invalid `a`; expected at least 1, got 0");
        assert!(CHECK.elements_at_most(&[("a", 4), ("b", 4)], 15).is_err());
        assert!(CHECK.at_most("a", 4, 4).is_ok() && CHECK.at_most("a", 5, 4).is_err());
    }

    #[test]
    fn field_check_of_a_nested_config_gives_the_path() {
        let inner = FieldCheck::of("InnerConfig").positive("gamma", -0.5);
        let error = CHECK.nested("parts[1]", inner).unwrap_err();
        let text = "OuterConfig: invalid `parts[1].gamma`; expected a finite number above 0, got -0.5";
        assert_eq!(error.to_string(), text);
    }
}

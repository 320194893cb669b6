//! Timeout and debug mode of all communicators of a process.

use super::variables::environment;
use crate::CollectiveError;
use std::time::Duration;

const TIMEOUT: &str = "BURN_COLLECTIVE_TIMEOUT";
const DEBUG: &str = "BURN_COLLECTIVE_DEBUG";

/// Time that a rank waits for others before the call is an error.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    pub timeout: Duration,
    /// Whether errors come with the calls before them, and engines that compare no calls do so.
    pub detail: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { timeout: DEFAULT_TIMEOUT, detail: false }
    }
}

impl Settings {
    /// Reads the variables.
    ///
    /// # Errors
    /// With the name of a variable whose value is wrong.
    pub fn from_environment() -> Result<Self, CollectiveError> {
        Self::from_variables(&environment)
    }

    fn from_variables(get: &dyn Fn(&str) -> Option<String>) -> Result<Self, CollectiveError> {
        let mut settings = Settings::default();
        if let Some(text) = get(TIMEOUT) {
            let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            settings.timeout = seconds.filter(|timeout| !timeout.is_zero()).ok_or_else(|| {
                let expected = "a number of seconds above 0, such as 300".to_string();
                CollectiveError::Environment { variable: TIMEOUT, expected, found: Some(text.clone()) }
            })?;
        }
        if let Some(text) = get(DEBUG) {
            settings.detail = match text.to_ascii_uppercase().as_str() {
                "OFF" | "" => false,
                "DETAIL" => true,
                _ => {
                    let expected = "OFF or DETAIL".to_string();
                    return Err(CollectiveError::Environment {
                        variable: DEBUG,
                        expected,
                        found: Some(text),
                    });
                }
            };
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;
    use std::time::Duration;

    fn of(timeout: &str, debug: &str) -> Result<Settings, String> {
        let get = |name: &str| match name {
            "BURN_COLLECTIVE_TIMEOUT" => Some(timeout.to_string()),
            "BURN_COLLECTIVE_DEBUG" => Some(debug.to_string()),
            _ => None,
        };
        Settings::from_variables(&get).map_err(|error| error.to_string())
    }

    #[test]
    fn settings_are_read_and_wrong_ones_are_named() {
        assert_eq!(Settings::from_variables(&|_| None), Ok(Settings::default()));
        assert_eq!(Settings::default().timeout, Duration::from_secs(300));
        let expected = Settings { timeout: Duration::from_millis(1500), detail: true };
        assert_eq!(of("1.5", "detail"), Ok(expected));
        for timeout in ["0", "-1", "NaN", "five", "1e40"] {
            let error = of(timeout, "").unwrap_err();
            assert!(error.contains("BURN_COLLECTIVE_TIMEOUT") && error.contains(timeout), "{error}");
        }
        assert!(of("1", "INFO").unwrap_err().contains("expected OFF or DETAIL, got INFO"));
    }
}

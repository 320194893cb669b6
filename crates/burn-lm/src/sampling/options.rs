use crate::LmError;
use burn_core::config::Config;

/// Options of the choice of tokens. By default the most likely token is taken.
///
/// Logits are changed in this order: bias, penalties, temperature, and then the tokens that `top_k`, `top_p`,
/// `min_p` and `typical_p` leave are renormalized after each, as in `transformers`.
#[derive(Config, Debug, PartialEq)]
pub struct SamplingOptions {
    /// Divisor of the logits; 0 takes the most likely token.
    #[config(default = 0.0)]
    pub temperature: f64,
    /// Number of most likely tokens to choose from.
    #[config(default = "None")]
    pub top_k: Option<usize>,
    /// Least total probability of the most likely tokens to choose from (nucleus sampling, Holtzman et al.
    /// 2020).
    #[config(default = "None")]
    pub top_p: Option<f64>,
    /// Least probability of a token, as a part of that of the most likely one (Nguyen et al. 2024).
    #[config(default = "None")]
    pub min_p: Option<f64>,
    /// Least total probability of the tokens whose information is nearest to the entropy (locally typical
    /// sampling, Meister et al. 2023).
    #[config(default = "None")]
    pub typical_p: Option<f64>,
    /// Divisor of the positive logits of tokens that occurred, and factor of the negative ones (Keskar et al.
    /// 2019).
    #[config(default = 1.0)]
    pub repetition_penalty: f64,
    /// Subtracted from the logit of a generated token, times the number of its occurrences.
    #[config(default = 0.0)]
    pub frequency_penalty: f64,
    /// Subtracted from the logit of every generated token.
    #[config(default = 0.0)]
    pub presence_penalty: f64,
    /// Added to the logits of tokens; minus infinity forbids one.
    #[config(default = "Vec::new()")]
    pub logit_bias: Vec<(u32, f64)>,
    /// Seed of the random numbers; the same seed gives the same text.
    #[config(default = 0)]
    pub seed: u64,
    /// Number of most likely tokens whose log probabilities are returned with each token; `Some(0)` is that
    /// of the token alone.
    #[config(default = "None")]
    pub log_probs: Option<usize>,
}

impl SamplingOptions {
    /// Checks that the options are in range.
    ///
    /// # Errors
    /// An option is out of its range; the error names it and its value.
    pub fn validate(&self, vocabulary_size: usize) -> Result<(), LmError> {
        let check = |name, holds: bool, expected: &str, found: f64| match holds {
            true => Ok(()),
            false => Err(LmError::argument(name, expected, found)),
        };
        let finite = |name, value: f64| check(name, value.is_finite(), "a finite number", value);
        let part = |name, value: Option<f64>| match value {
            Some(value) => check(name, value > 0.0 && value <= 1.0, "a number above 0 and at most 1", value),
            None => Ok(()),
        };
        let not_negative = self.temperature.is_finite() && self.temperature >= 0.0;
        check("temperature", not_negative, "a number of at least 0", self.temperature)?;
        if self.top_k == Some(0) {
            return Err(LmError::argument("top_k", "at least 1", 0));
        }
        part("top_p", self.top_p)?;
        part("min_p", self.min_p.filter(|value| *value != 0.0))?;
        part("typical_p", self.typical_p)?;
        let positive = self.repetition_penalty.is_finite() && self.repetition_penalty > 0.0;
        check("repetition_penalty", positive, "a positive number", self.repetition_penalty)?;
        finite("frequency_penalty", self.frequency_penalty)?;
        finite("presence_penalty", self.presence_penalty)?;
        for (token, bias) in &self.logit_bias {
            if *token as usize >= vocabulary_size || bias.is_nan() {
                let expected = format!("numbers for tokens below {vocabulary_size}");
                return Err(LmError::argument("logit_bias", expected, (token, bias)));
            }
        }
        if let Some(count) = self.log_probs.filter(|count| *count > 100) {
            return Err(LmError::argument("log_probs", "at most 100", count));
        }
        Ok(())
    }
}

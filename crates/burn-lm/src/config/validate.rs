use super::{LanguageModelConfig, RopeConfig, RopeScaling};
use crate::LmError;

/// Largest of any size in a configuration; products of three of them fit 64 bits.
const MOST: usize = 1 << 21;
const MOST_LAYERS: usize = 4096;

impl LanguageModelConfig {
    /// Checks that sizes are in range and fit each other. `file` is named by the errors.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn validate(&self, file: &str) -> Result<(), LmError> {
        let fail = |field: &str, cause: String| Err(LmError::config(file, field, cause));
        let sizes = [
            ("vocabulary_size", self.vocabulary_size, MOST),
            ("d_model", self.d_model, MOST),
            ("n_layers", self.n_layers, MOST_LAYERS),
            ("n_heads", self.n_heads, MOST),
            ("n_key_value_heads", self.key_value_heads(), MOST),
            ("d_head", self.head_size(), MOST),
            ("d_ff", self.d_ff, MOST),
            ("context_length", self.context_length, 1 << 31),
            ("sliding_window", self.sliding_window.unwrap_or(1), 1 << 31),
        ];
        for (name, size, most) in sizes {
            if size == 0 || size > most {
                return fail(name, format!("expected 1 to {most}, got {size}"));
            }
        }
        if !self.n_heads.is_multiple_of(self.key_value_heads()) {
            let (heads, found) = (self.n_heads, self.key_value_heads());
            return fail("n_key_value_heads", format!("expected a divisor of {heads} heads, got {found}"));
        }
        if self.head_size().saturating_mul(self.n_heads) > MOST {
            return fail("d_head", format!("{} heads of {} are too many", self.n_heads, self.head_size()));
        }
        let positive = [
            ("norm_epsilon", Some(self.norm_epsilon)),
            ("attention_scale", self.attention_scale),
            ("attention_soft_cap", self.attention_soft_cap),
            ("logit_soft_cap", self.logit_soft_cap),
            ("embedding_scale", self.embedding_scale),
        ];
        for (name, value) in positive {
            if value.is_some_and(|value| !(value.is_finite() && value > 0.0)) {
                return fail(name, format!("expected a positive number, got {value:?}"));
            }
        }
        if !(0.0..1.0).contains(&self.dropout) {
            return fail("dropout", format!("expected a probability below 1, got {}", self.dropout));
        }
        for rope in self.rope.iter().chain(&self.window_rope) {
            rope.validate(self.head_size()).or_else(|cause| fail("rope", cause))?;
        }
        Ok(())
    }
}

impl RopeConfig {
    fn validate(&self, d_head: usize) -> Result<(), String> {
        let dims = self.rotated(d_head);
        if dims == 0 || dims > d_head || !dims.is_multiple_of(2) {
            return Err(format!("expected an even number of rotated elements up to {d_head}, got {dims}"));
        }
        let mut positive = vec![("theta", self.theta)];
        match &self.scaling {
            RopeScaling::None => {}
            RopeScaling::Linear { factor } | RopeScaling::Ntk { factor } => {
                positive.push(("factor", *factor))
            }
            RopeScaling::DynamicNtk { factor, original_context } => {
                positive.extend([("factor", *factor), ("original context", *original_context as f64)]);
            }
            RopeScaling::Yarn {
                factor, original_context, beta_fast, beta_slow, attention_factor, ..
            } => {
                positive.extend([("factor", *factor), ("original context", *original_context as f64)]);
                positive.extend([("beta_fast", *beta_fast), ("beta_slow", *beta_slow)]);
                positive.push(("attention factor", *attention_factor));
                if self.theta == 1.0 {
                    return Err("YaRN needs a base other than 1".to_string());
                }
            }
            RopeScaling::Llama3 { factor, low_frequency_factor, high_frequency_factor, original_context } => {
                positive.extend([("factor", *factor), ("original context", *original_context as f64)]);
                positive.push(("high - low frequency factor", high_frequency_factor - low_frequency_factor));
            }
            RopeScaling::Factors { short, long, attention_factor, .. } => {
                for (name, factors) in [("short", short), ("long", long)] {
                    if factors.len() != dims / 2 {
                        let (expected, found) = (dims / 2, factors.len());
                        return Err(format!("expected {expected} {name} factors, got {found}"));
                    }
                    positive.extend(factors.iter().map(|factor| (name, *factor)));
                }
                positive.push(("attention factor", *attention_factor));
            }
        }
        match positive.iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            Some((name, value)) => Err(format!("expected a positive {name}, got {value}")),
            None => Ok(()),
        }
    }
}

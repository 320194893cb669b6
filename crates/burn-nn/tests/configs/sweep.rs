//! Checks that creating a layer returns the layer or an error that names config, field and value, and
//! allocates no more than a layer of small sizes takes.

use burn_core::config::ConfigError;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls its argument with the description of a config and what creates the layer of it.
pub type Visit<'a> = &'a mut dyn FnMut(String, &dyn Fn() -> Result<(), ConfigError>);

/// A config type.
pub struct Entry {
    pub name: &'static str,
    /// Visits right options, and every wrong value of each field alone.
    pub all: fn(Visit<'_>),
    /// Visits a config with random values in some fields.
    pub random: fn(&mut Random, Visit<'_>),
}

/// The most bytes that the creation of a layer may allocate: no config of the sweep is of a layer that has
/// more than some 100 MiB.
pub const MOST_BYTES: usize = 256 << 20;

/// Result of creating a layer from a config.
pub enum Outcome {
    Created,
    Refused,
}

/// Creates a layer. `peak` runs what it is given and returns the most bytes that it allocated.
///
/// # Errors
/// It panicked, allocated too much, or its error does not name the config, a field and a value.
pub fn check(
    entry: &str,
    config: &str,
    init: &dyn Fn() -> Result<(), ConfigError>,
    peak: &dyn Fn(&mut dyn FnMut()) -> usize,
) -> Result<Outcome, String> {
    let mut result = None;
    let bytes = peak(&mut || result = Some(catch_unwind(AssertUnwindSafe(init))));
    if bytes > MOST_BYTES {
        return Err(format!("{config}: allocated {bytes} bytes"));
    }
    match result.expect("it ran") {
        Ok(Ok(())) => Ok(Outcome::Created),
        Ok(Err(ConfigError::Field { config: named, field, value, .. })) => {
            // A choice names the config of its variant.
            let names_it = named == entry || super::registry::CHOICES.contains(&entry);
            let fits = names_it && !field.is_empty() && !value.is_empty();
            let error = format!("{config}: the error names {named}, `{field}`, `{value}`");
            if fits { Ok(Outcome::Refused) } else { Err(error) }
        }
        Ok(Err(other)) => Err(format!("{config}: {other}")),
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(format!("{config}: panicked: {message}"))
        }
    }
}

/// Pseudo-random numbers (SplitMix64; Steele et al. 2014), the same for the same seed.
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % end as u64) as usize
    }
}

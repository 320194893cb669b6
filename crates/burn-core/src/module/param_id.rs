use crate::tensor::sync::AtomicUsize;
use core::fmt::{Debug, Display, Formatter, Result};
use core::str::FromStr;
use core::sync::atomic::Ordering;

/// Identifier of a parameter, stable through training, saving and loading.
///
/// Optimizers keep their state under it. It is in the record of a module, so that the state is found again
/// when both are loaded; two parameters of one program never have the same, unless one is a copy of the
/// other.
///
/// Identifiers of one thread are in the order in which they were created, so that sums over the parameters of
/// a model, as the global norm of its gradients, have the same bits in every run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParamId(u64);

impl ParamId {
    /// Creates a unique identifier.
    #[expect(clippy::new_without_default, reason = "two defaults would differ")]
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed) as u64;
        // Half of the range is left for counting, so that the sum does not wrap around.
        ParamId((process_seed() >> 1) + count)
    }

    /// Returns the identifier as a number.
    pub fn value(self) -> u64 {
        self.0
    }
}

impl From<u64> for ParamId {
    fn from(value: u64) -> Self {
        ParamId(value)
    }
}

/// Returns a random number that differs between processes, so that new identifiers do not collide with loaded
/// ones.
#[cfg(all(feature = "std", not(target_family = "wasm")))]
fn process_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    static SEED: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *SEED.get_or_init(|| RandomState::new().hash_one(std::process::id()))
}

/// Returns a constant: without an operating system, as in a browser, there is no entropy, and one program per
/// device.
#[cfg(not(all(feature = "std", not(target_family = "wasm"))))]
fn process_seed() -> u64 {
    0x9e37_79b9_7f4a_7c15
}

impl Display for ParamId {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Debug for ParamId {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "ParamId({self})")
    }
}

impl FromStr for ParamId {
    type Err = core::num::ParseIntError;

    fn from_str(text: &str) -> core::result::Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(ParamId)
    }
}

#[cfg(test)]
mod tests {
    use super::ParamId;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    #[test]
    fn ids_differ_and_survive_as_text() {
        let ids: Vec<ParamId> = (0..1000).map(|_| ParamId::new()).collect();
        assert!(ids.iter().zip(&ids[1..]).all(|(before, after)| before < after), "in the order of creation");
        for id in ids {
            assert_eq!(id.to_string().parse(), Ok(id));
        }
    }
}

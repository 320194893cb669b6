//! How much is measured, from the environment or from the program.

use crate::device::warning::warn;
use std::sync::Once;
use std::sync::atomic::{AtomicU8, Ordering};

/// How kernels are chosen where several compute the same. `BURN_AUTOTUNE` says it when the program starts:
/// `off`, `min` (the default) or `full`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Autotune {
    /// By the cost model alone: nothing is measured, and no measurement is read.
    Off,
    /// By measurements where there are some. In the background those calls are measured that come often and
    /// take long, by sizes that are powers of two. Kernels give the same bits whichever is chosen.
    #[default]
    Min,
    /// As [`Autotune::Min`] from the second call on, whatever it takes, by sizes that differ by an eighth,
    /// and among algorithms of libraries as well, which may differ in the last bits.
    Full,
}

static MODE: AtomicU8 = AtomicU8::new(Autotune::Min as u8);

impl Autotune {
    /// Returns the autotune mode of this process.
    pub fn current() -> Self {
        static START: Once = Once::new();
        START.call_once(|| {
            if let Ok(text) = std::env::var("BURN_AUTOTUNE") {
                Autotune::parse(&text).unwrap_or_else(|| Autotune::warn_of(&text)).store();
            }
        });
        [Autotune::Off, Autotune::Min, Autotune::Full][usize::from(MODE.load(Ordering::Relaxed))]
    }

    /// Changes it for all threads and devices, from the next call on.
    pub fn set(self) {
        // Reads the environment first, so that it cannot override this call later.
        Autotune::current();
        self.store();
    }

    fn store(self) {
        MODE.store(self as u8, Ordering::Relaxed);
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "off" => Some(Autotune::Off),
            "" | "min" => Some(Autotune::Min),
            "full" => Some(Autotune::Full),
            _ => None,
        }
    }

    fn warn_of(text: &str) -> Self {
        warn(&format!("BURN_AUTOTUNE={text} is none of `off`, `min` and `full`; it is taken as `min`"));
        Autotune::Min
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_modes() {
        let expected = [Autotune::Off, Autotune::Min, Autotune::Full, Autotune::Min].map(Some);
        assert_eq!(["off", "min", "full", ""].map(Autotune::parse), expected);
        assert_eq!(Autotune::parse("FULL"), None);
    }
}

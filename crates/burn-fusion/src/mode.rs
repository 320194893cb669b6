//! Whether calls are fused, from the environment or from the program.

use std::env;
use std::io::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicU8, Ordering};

/// Execution mode of `Fusion`, initially from the environment variable `BURN_FUSION`: `on` (the default),
/// `off` or `log`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Calls are queued, and those that can run in a single pass are fused.
    #[default]
    On,
    /// Each call runs at once and by itself, as without the decorator; shows whether fusion causes a problem.
    Off,
    /// As [`Mode::On`], and each block is written to standard error.
    Log,
}

static MODE: AtomicU8 = AtomicU8::new(0);

impl Mode {
    /// Returns the mode of this process.
    ///
    /// ```
    /// use burn::backend::fusion::Mode;
    /// Mode::Off.set();
    /// assert_eq!(Mode::current(), Mode::Off);
    /// ```
    pub fn current() -> Self {
        static START: Once = Once::new();
        START.call_once(|| {
            if let Ok(text) = env::var("BURN_FUSION") {
                Mode::parse(&text).unwrap_or_else(Mode::warn_of(&text)).store();
            }
        });
        match MODE.load(Ordering::Relaxed) {
            1 => Mode::Off,
            2 => Mode::Log,
            _ => Mode::On,
        }
    }

    /// Changes it for all threads, from the next call on. Calls that wait stay as they are.
    pub fn set(self) {
        // Reads the environment first, so that it cannot override this call later.
        Mode::current();
        self.store();
    }

    fn store(self) {
        MODE.store(self as u8, Ordering::Relaxed);
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "" | "on" => Some(Mode::On),
            "off" => Some(Mode::Off),
            "log" => Some(Mode::Log),
            _ => None,
        }
    }

    fn warn_of(text: &str) -> impl FnOnce() -> Self {
        move || {
            // A closed standard error is no failure of the program.
            let _ = writeln!(
                io::stderr(),
                "warning: BURN_FUSION={text} is none of `on`, `off` and `log`; calls are fused"
            );
            Mode::On
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_modes() {
        assert_eq!(
            ["on", "off", "log", ""].map(Mode::parse),
            [Mode::On, Mode::Off, Mode::Log, Mode::On].map(Some)
        );
        assert_eq!(Mode::parse("OFF?"), None);
    }
}

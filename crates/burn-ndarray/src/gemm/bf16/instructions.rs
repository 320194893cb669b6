//! The instructions that this processor has.

use super::amx::Amx;
use super::dots::Dots;

/// Instructions that multiply pairs of `bf16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    Amx,
    Dots,
    None,
}

impl Instructions {
    /// The fastest ones of this processor.
    pub fn of_this_processor() -> Self {
        use std::sync::OnceLock;
        static KNOWN: OnceLock<Instructions> = OnceLock::new();
        *KNOWN.get_or_init(|| match () {
            () if Amx::is_available() => Instructions::Amx,
            () if Dots::is_available() => Instructions::Dots,
            () => Instructions::None,
        })
    }
}

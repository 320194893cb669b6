//! Built without candle.

use super::Prepare;

/// Candle does nothing here.
pub(crate) fn work(_: &str) -> Option<Prepare> {
    None
}

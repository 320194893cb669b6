//! Built without candle.

use crate::candle::Prepare;

/// The backend over candle does nothing here.
pub(crate) fn on_candle(_: &str) -> Option<Prepare> {
    None
}

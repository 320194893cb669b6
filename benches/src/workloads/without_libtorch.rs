//! Built without LibTorch.

use crate::candle::Prepare;

/// The backend over LibTorch does nothing here.
pub(crate) fn on_libtorch(_: &str) -> Option<Prepare> {
    None
}

/// Neither does `tch`.
pub(crate) fn by_tch(_: &str) -> Option<Prepare> {
    None
}

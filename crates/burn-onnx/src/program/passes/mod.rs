//! Passes over recorded models: groups of calls become calls that do the same faster.
//!
//! Each pass is a file that finds its calls by what they compute, whichever operators or exporter they came from.

#[cfg(feature = "run")]
mod attention;
mod calls;
mod fold_norm;
#[cfg(feature = "run")]
mod gated;
mod gelu;
#[cfg(feature = "run")]
mod normalization;
#[cfg(feature = "run")]
mod share;

#[cfg(feature = "run")]
impl super::Program {
    /// Applies every pass that keeps what the model computes.
    pub(crate) fn optimize(&mut self) {
        self.share_equal_calls();
        self.fold_batch_norm();
        self.find_gelu();
        self.find_gated();
        self.find_norms();
        self.find_attention();
        self.share_equal_calls();
    }
}

#[cfg(all(test, feature = "run"))]
mod tests;

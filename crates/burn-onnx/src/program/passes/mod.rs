//! Passes over recorded models: groups of calls become calls that do the same faster.
//!
//! Each pass is a file that finds its calls by what they compute, whichever operators or exporter they came
//! from.

mod attention;
mod calls;
mod fold_norm;
mod gated;
mod gelu;
mod normalization;
mod one_hot;
mod padding;
mod share;

impl super::Program {
    /// Applies every pass that keeps what the model computes.
    #[cfg(feature = "run")]
    pub(crate) fn optimize(&mut self) {
        self.share_equal_calls();
        self.fold_batch_norm();
        self.find_groups();
    }

    /// Applies the passes that find one call in the place of several.
    pub(crate) fn find_groups(&mut self) {
        self.find_padding();
        self.find_one_hot_products();
        self.find_gelu();
        self.find_gated();
        self.find_norms();
        self.find_attention();
        self.share_equal_calls();
    }
}

#[cfg(all(test, feature = "run"))]
mod tests;

//! One layer, loss, optimizer or scheduler, as the tables show it.

use super::super::counterpart::{self, Counterpart};
use super::docs;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// Crate and file, from the root of the workspace.
    pub(super) file: String,
    /// Crate and first folder or file, which decide the table: `nn/conv`, `optim/adam`.
    pub(super) family: String,
    /// Path below `burn::nn`, `burn::optim` or `burn`: `conv::Conv2d`.
    pub(super) name: String,
    /// The first sentence of the documentation.
    pub(super) summary: String,
    pub(super) counterpart: Option<Counterpart>,
    /// Where the formula was published: `He et al. 2015`.
    pub(super) papers: Vec<String>,
}

impl Entry {
    /// Returns whether the documentation says where the formula is from.
    pub(super) fn has_source(&self) -> bool {
        self.counterpart.is_some() || !self.papers.is_empty()
    }

    pub(super) fn new(file: String, family: String, name: String, documentation: &str) -> Entry {
        Entry {
            file,
            family,
            name,
            summary: docs::summary(documentation),
            counterpart: counterpart::find(&docs::prose(documentation)),
            papers: docs::papers(documentation),
        }
    }

    /// Returns the names in PyTorch that the documentation gives: `torch.nn.Conv2d`.
    pub(super) fn torch_names(&self) -> Vec<String> {
        let name = self.counterpart.as_ref().and_then(Counterpart::name);
        name.map(docs::torch_names).unwrap_or_default()
    }
}

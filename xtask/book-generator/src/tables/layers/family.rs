//! Which table shows which types.

use super::entry::Entry;

/// A generated page, which a chapter includes.
pub(super) struct Page {
    pub(super) path: &'static str,
    tables: &'static [Table],
}

/// Title of a table, and the folders and files whose types it shows. `nn/` has those of the crate that no
/// other table names.
type Table = (&'static str, &'static [&'static str]);

pub(super) const INITIALIZERS: Page = Page {
    path: "burn-book/src/building-blocks/initializers-table.md",
    tables: &[("", &["nn/initializer"])],
};

pub(super) const LAYERS: Page = Page {
    path: "burn-book/src/building-blocks/layers-table.md",
    tables: &[
        ("Linear layers and embeddings", &["nn/linear", "nn/bilinear", "nn/embedding", "nn/embedding_bag"]),
        ("Convolutions", &["nn/conv"]),
        ("Pooling", &["nn/pool"]),
        ("Padding", &["nn/padding"]),
        (
            "Resampling and rearrangement",
            &["nn/interpolate", "nn/pixel_shuffle", "nn/channel_shuffle", "nn/fold4d", "nn/unfold4d"],
        ),
        ("Normalization", &["nn/norm"]),
        ("Reparametrizations of weights", &["nn/parametrization"]),
        ("Dropout and noise", &["nn/dropout", "nn/alpha_dropout", "nn/feature_dropout", "nn/gaussian_noise"]),
        ("Activations", &["nn/activation"]),
        ("Recurrent layers", &["nn/recurrent"]),
        ("Attention and transformers", &["nn/attention", "nn/transformer"]),
        ("Position encodings", &["nn/positional_encoding", "nn/rotary_encoding"]),
        ("Low-rank adapters", &["nn/lora"]),
        ("Containers and others", &["nn/"]),
    ],
};

pub(super) const LOSSES: Page =
    Page { path: "burn-book/src/building-blocks/losses-table.md", tables: &[("", &["nn/loss"])] };

pub(super) const OPTIMIZERS: Page = Page {
    path: "burn-book/src/building-blocks/optimizers-table.md",
    tables: &[
        ("Update rules", &["optim/"]),
        ("Averages of parameters", &["optim/module_average"]),
        ("Mixed precision", &["optim/grad_scaler"]),
    ],
};

pub(super) const SCHEDULERS: Page = Page {
    path: "burn-book/src/building-blocks/schedulers-table.md",
    tables: &[("", &["optim/lr_scheduler"])],
};

pub(super) const PAGES: [Page; 5] = [INITIALIZERS, LAYERS, LOSSES, OPTIMIZERS, SCHEDULERS];

impl Page {
    /// Returns the tables of the page, each with its entries.
    pub(super) fn tables<'a>(&self, entries: &'a [Entry]) -> Vec<(&'static str, Vec<&'a Entry>)> {
        let tables = self.tables.iter().map(|(title, members)| {
            (*title, entries.iter().filter(|entry| members.contains(&member(entry))).collect::<Vec<_>>())
        });
        tables.filter(|(_, entries)| !entries.is_empty()).collect()
    }
}

/// The member of a table that an entry belongs to.
fn member(entry: &Entry) -> &str {
    let mut members = PAGES.iter().flat_map(|page| page.tables).flat_map(|(_, members)| *members);
    let (of, _) = entry.family.split_once('/').expect("a crate and a folder");
    if members.any(|member| *member == entry.family) { &entry.family } else { &entry.family[..=of.len()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(family: &str) -> Entry {
        Entry::new("lib.rs".into(), family.into(), "Name".into(), "A name.")
    }

    #[test]
    fn every_type_is_in_one_table() {
        let families =
            ["nn/conv", "nn/new_layer", "nn/loss", "optim/adam", "optim/lr_scheduler", "nn/initializer"];
        let entries = families.map(entry);
        let shown = PAGES.map(|page| {
            let tables = page.tables(&entries);
            tables.iter().map(|(title, entries)| format!("{title} {}", entries.len())).collect::<Vec<_>>()
        });
        let expected = [
            vec![" 1"],
            vec!["Convolutions 1", "Containers and others 1"],
            vec![" 1"],
            vec!["Update rules 1"],
            vec![" 1"],
        ];
        assert_eq!(shown, expected);
    }
}

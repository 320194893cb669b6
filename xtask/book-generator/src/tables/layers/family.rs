//! Which table shows which types.

use super::entry::Entry;

/// A generated page, which a chapter includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Page {
    Initializers,
    Layers,
    Losses,
    Optimizers,
    Schedulers,
}

impl Page {
    pub(super) const ALL: [Page; 5] =
        [Page::Initializers, Page::Layers, Page::Losses, Page::Optimizers, Page::Schedulers];

    pub(super) fn path(self) -> &'static str {
        match self {
            Page::Initializers => "burn-book/src/building-blocks/initializers-table.md",
            Page::Layers => "burn-book/src/building-blocks/layers-table.md",
            Page::Losses => "burn-book/src/building-blocks/losses-table.md",
            Page::Optimizers => "burn-book/src/building-blocks/optimizers-table.md",
            Page::Schedulers => "burn-book/src/building-blocks/schedulers-table.md",
        }
    }
}

/// A table: its title, and the folders and files whose types it shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    pub(super) page: Page,
    pub(super) title: &'static str,
    members: &'static [&'static str],
}

const fn family(page: Page, title: &'static str, members: &'static [&'static str]) -> Family {
    Family { page, title, members }
}

/// The tables in their order. A table without members has the types of its crate that no other one names.
const FAMILIES: [Family; 20] = [
    family(Page::Initializers, "", &["nn/initializer"]),
    family(
        Page::Layers,
        "Linear layers and embeddings",
        &["nn/linear", "nn/bilinear", "nn/embedding", "nn/embedding_bag"],
    ),
    family(Page::Layers, "Convolutions", &["nn/conv"]),
    family(Page::Layers, "Pooling", &["nn/pool"]),
    family(Page::Layers, "Padding", &["nn/padding"]),
    family(
        Page::Layers,
        "Resampling and rearrangement",
        &["nn/interpolate", "nn/pixel_shuffle", "nn/channel_shuffle", "nn/fold4d", "nn/unfold4d"],
    ),
    family(Page::Layers, "Normalization", &["nn/norm"]),
    family(Page::Layers, "Reparametrizations of weights", &["nn/parametrization"]),
    family(
        Page::Layers,
        "Dropout and noise",
        &["nn/dropout", "nn/alpha_dropout", "nn/feature_dropout", "nn/gaussian_noise"],
    ),
    family(Page::Layers, "Activations", &["nn/activation"]),
    family(Page::Layers, "Recurrent layers", &["nn/recurrent"]),
    family(Page::Layers, "Attention and transformers", &["nn/attention", "nn/transformer"]),
    family(Page::Layers, "Position encodings", &["nn/positional_encoding", "nn/rotary_encoding"]),
    family(Page::Layers, "Low-rank adapters", &["nn/lora"]),
    family(Page::Layers, "Containers and others", &[]),
    family(Page::Losses, "", &["nn/loss"]),
    family(Page::Schedulers, "", &["optim/lr_scheduler"]),
    family(Page::Optimizers, "Update rules", &[]),
    family(Page::Optimizers, "Averages of parameters", &["optim/module_average"]),
    family(Page::Optimizers, "Mixed precision", &["optim/grad_scaler"]),
];

/// Returns the tables of a page, each with its entries.
pub(super) fn tables(page: Page, entries: &[Entry]) -> Vec<(&'static str, Vec<&Entry>)> {
    let families = FAMILIES.iter().enumerate().filter(|(_, family)| family.page == page);
    let tables = families.map(|(at, family)| {
        (family.title, entries.iter().filter(|entry| family_of(entry) == at).collect::<Vec<_>>())
    });
    tables.filter(|(_, entries)| !entries.is_empty()).collect()
}

fn family_of(entry: &Entry) -> usize {
    let named = FAMILIES.iter().position(|family| family.members.contains(&entry.family.as_str()));
    let rest = if entry.family.starts_with("nn/") { Page::Layers } else { Page::Optimizers };
    let rest = FAMILIES.iter().position(|family| family.page == rest && family.members.is_empty());
    named.or(rest).expect("each crate has a table for the rest")
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
        let shown = Page::ALL.map(|page| {
            let tables = tables(page, &entries);
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

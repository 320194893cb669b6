//! The tables of layers, losses, optimizers and schedulers with their names in PyTorch, and the index by
//! those names.
//!
//! The one source is the documentation of the public types of `burn-nn` and `burn-optim`: what has a
//! `forward`, and what a config makes. It says ``PyTorch: `torch.nn.X`.``, or `PyTorch has no counterpart.`,
//! or names the paper in parentheses, `(He et al. 2015)`. A type with none of these is a mistake, and so is a
//! class that PyTorch lacks.

mod docs;
mod entry;
mod family;
mod initializers;
mod page;
mod reader;
mod torch;

use super::{Tables, sources_below};
use crate::{Outcome, workspace};
use entry::Entry;
use family::Page;
use reader::Crate;
use std::fs;
use torch::Torch;

const CRATES: [Crate; 2] = [
    Crate { sources: "crates/burn-nn/src", name: "nn" },
    Crate { sources: "crates/burn-optim/src", name: "optim" },
];
const INITIALIZERS: &str = "crates/burn-core/src/module/initializer.rs";
const INDEX: &str = "burn-book/src/pytorch-index.md";
const TORCH: &str = include_str!("pytorch_2_11_classes.txt");

pub(super) fn tables() -> Outcome<Tables> {
    let mut entries = Vec::new();
    for of in CRATES {
        entries.extend(reader::read(of, &sources_below(of.sources)?)?);
    }
    let torch = Torch::read(TORCH)?;
    let findings = findings(&torch, &entries);
    let text = fs::read_to_string(workspace::root().join(INITIALIZERS));
    entries.extend(initializers::read(
        INITIALIZERS,
        &text.map_err(|cause| format!("{INITIALIZERS}: {cause}"))?,
    )?);
    let mut pages: Vec<_> =
        Page::ALL.iter().map(|&page| (page.path(), page::write(page, &entries))).collect();
    pages.push((INDEX, page::write_index(&torch, &entries)));
    Ok(Tables { pages, findings })
}

fn findings(torch: &Torch, entries: &[Entry]) -> Vec<String> {
    let without_source = entries.iter().filter(|entry| !entry.has_source()).map(|Entry { file, name, .. }| {
        format!("{file}: `{name}` needs \"PyTorch: `..`.\", \"PyTorch has no counterpart.\" or its paper, \"(Author year)\"")
    });
    let unknown = entries.iter().flat_map(|entry| torch.unknown(entry));
    without_source.chain(unknown).chain(torch.outdated(entries)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chapters_include_their_tables() {
        let book = workspace::root().join("burn-book/src");
        let summary = fs::read_to_string(book.join("SUMMARY.md")).unwrap();
        let chapter = |page| match page {
            Page::Initializers | Page::Layers => "building-blocks/layers.md",
            Page::Losses => "building-blocks/losses.md",
            Page::Optimizers => "building-blocks/optimizers.md",
            Page::Schedulers => "building-blocks/lr-schedulers.md",
        };
        let chapters = Page::ALL.map(|page| (chapter(page), page.path())).into_iter();
        for (chapter, table) in chapters.chain([("pytorch.md", INDEX)]) {
            assert!(summary.contains(&format!("(./{chapter})")), "{chapter} is not in the table of contents");
            let (_, file) = table.rsplit_once('/').unwrap();
            let text = fs::read_to_string(book.join(chapter)).unwrap();
            assert!(text.contains(&format!("<!-- include: {file} -->")), "{chapter} does not include {file}");
        }
    }

    #[test]
    fn bo_010_layers_say_what_pytorch_calls_them_and_the_tables_are_whole() {
        let Tables { pages, findings } = tables().unwrap();
        assert_eq!(findings, [""; 0]);
        let layers = &pages[1].1;
        for row in ["| `nn::Linear` | ", "| `nn::conv::Conv2d` | ", "| `nn::Relu` | Rectified linear unit: "]
        {
            assert!(layers.contains(row), "no row {row} in {layers}");
        }
        for (path, page) in pages {
            let written = fs::read_to_string(workspace::root().join(path)).unwrap_or_default();
            assert!(written == page, "{path} is not what the sources say: run `cargo xtask tables`");
        }
    }
}

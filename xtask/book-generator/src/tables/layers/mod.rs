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
mod page;
mod reader;
mod torch;

use super::pages::Tables;
use super::rustdoc::Crate;
use entry::Entry;
use family::PAGES;
use repository::Outcome;
use torch::Torch;

const INDEX: &str = "burn-book/src/pytorch-index.md";
const TORCH: &str = include_str!("pytorch_2_11_classes.txt");

pub(super) fn tables(nn: &Crate, optim: &Crate, core: &Crate) -> Outcome<Tables> {
    let mut entries = reader::read(nn, "nn");
    entries.extend(reader::read(optim, "optim"));
    let torch = Torch::read(TORCH)?;
    let findings = findings(&torch, &entries);
    entries.extend(reader::initializers(core));
    let mut pages: Vec<_> = PAGES.iter().map(|page| (page.path, page::write(page, &entries))).collect();
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
    use repository::workspace;
    use std::fs;

    #[test]
    fn the_chapters_include_their_tables() {
        let book = workspace::root().join("burn-book/src");
        let summary = fs::read_to_string(book.join("SUMMARY.md")).unwrap();
        let chapters = ["layers", "layers", "losses", "optimizers", "lr-schedulers"];
        let chapters = chapters.map(|name| format!("building-blocks/{name}.md")).into_iter();
        let chapters = chapters.zip(PAGES.map(|page| page.path));
        for (chapter, table) in chapters.chain([("pytorch.md".to_string(), INDEX)]) {
            assert!(summary.contains(&format!("(./{chapter})")), "{chapter} is not in the table of contents");
            let (_, file) = table.rsplit_once('/').unwrap();
            let text = fs::read_to_string(book.join(&chapter)).unwrap();
            assert!(text.contains(&format!("<!-- include: {file} -->")), "{chapter} does not include {file}");
        }
    }

    #[test]
    fn bo_010_layers_say_what_pytorch_calls_them() {
        let layers = fs::read_to_string(workspace::root().join(family::LAYERS.path)).unwrap();
        for row in ["| `nn::Linear` | ", "| `nn::conv::Conv2d` | ", "| `nn::Relu` | Rectified linear unit: "]
        {
            assert!(layers.contains(row), "no row {row} in {layers}");
        }
    }
}

//! The documentation of the facade has a page for what people look for, and its search knows the names.

use crate::process::{self, cargo};
use crate::{Outcome, workspace};
use std::fs;
use std::path::Path;

/// Pages of the crate `burn`, as its list of all items links them.
const PAGES: [&str; 20] = [
    "backend/struct.Autodiff.html",
    "backend/struct.NdArray.html",
    "config/trait.Config.html",
    "data/dataloader/struct.DataLoaderBuilder.html",
    "data/dataset/struct.InMemDataset.html",
    "lr_scheduler/trait.LrScheduler.html",
    "module/struct.Param.html",
    "module/trait.Module.html",
    "nn/conv/struct.Conv2d.html",
    "nn/loss/struct.CrossEntropyLoss.html",
    "nn/struct.Linear.html",
    "optim/struct.Adam.html",
    "optim/struct.GradientsParams.html",
    "record/trait.Recorder.html",
    "tensor/activation/fn.softmax.html",
    "tensor/linalg/fn.svd.html",
    "tensor/struct.Tensor.html",
    "tensor/struct.TensorData.html",
    "train/metric/struct.AccuracyMetric.html",
    "train/struct.LearnerBuilder.html",
];

/// Names that the search finds: of items, of methods, and PyTorch's, which are aliases.
const NAMES: [&str; 20] = [
    "Adam",
    "AdamConfig",
    "Autodiff",
    "Conv2d",
    "CrossEntropyLoss",
    "LearnerBuilder",
    "Linear",
    "LinearConfig",
    "Module",
    "NdArray",
    "Tensor",
    "TensorData",
    "from_data",
    "into_data",
    "matmul",
    "reshape",
    "view",
    "gt",
    "index_select",
    "MultiheadAttention",
];

/// Headings of groups of methods on the page of `Tensor`.
const GROUPS: [&str; 6] = [
    "Creation",
    "Slices",
    "Arithmetic",
    "Elementwise functions",
    "Linear algebra: matrix product",
    "Reductions",
];

/// `cargo xtask facade-docs`: builds the documentation of the facade alone, and looks.
pub(crate) fn run() -> Outcome {
    let features = ["--features", "train,dataset,optim"];
    let mut doc = cargo(&["doc", "--no-deps", "--package", "burn", "--quiet"]);
    process::run(doc.args(features).env("RUSTDOCFLAGS", "-D warnings"))?;
    check(&workspace::target().join("doc"))
}

/// Looks for pages, names and groups in the documentation that lies in `doc`.
pub(crate) fn check(doc: &Path) -> Outcome {
    let facade = doc.join("burn");
    let (items, tensor) = (
        workspace::read(facade.join("all.html"))?,
        workspace::read(facade.join("tensor/struct.Tensor.html"))?,
    );
    let missing = missing(&items, &names(&doc.join("search.index/name"))?, &tensor);
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the documentation of burn, whose modules are inlined, is without:\n  {}",
        missing.join("\n  ")
    ))
}

/// The names of the search index: files in which each stands after its length.
fn names(folder: &Path) -> Outcome<String> {
    let entries = fs::read_dir(folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    let mut all = String::new();
    for entry in entries {
        let entry = entry.map_err(|cause| format!("{}: {cause}", folder.display()))?;
        all.push_str(&workspace::read(entry.path())?);
    }
    Ok(all)
}

fn missing(items: &str, names: &str, tensor: &str) -> Vec<String> {
    let pages = PAGES.iter().filter(|page| !items.contains(&format!("href=\"{page}\"")));
    let mut missing: Vec<String> = pages.map(|page| format!("the page {page}")).collect();
    let unknown = NAMES.iter().filter(|name| !is_name(names, name));
    missing.extend(unknown.map(|name| format!("the name {name} in the search index")));
    let groups = GROUPS.iter().filter(|group| !tensor.contains(&format!("</a>{group}")));
    missing.extend(groups.map(|group| format!("the group `{group}` of the methods of Tensor")));
    missing
}

/// Whether a name stands in the index, after its length.
fn is_name(names: &str, name: &str) -> bool {
    names.contains(&format!("{}{name}", length(name)))
}

/// The length of a name as rustdoc writes it, in hexadecimal digits: `@`, `A`, .. and for the last one `` `
/// ``, `a`, ..
fn length(name: &str) -> String {
    let digit = |digit: usize, zero: u8| char::from(zero + (digit & 15) as u8);
    let (first, last) = (name.len() >> 4, digit(name.len(), b'`'));
    if first == 0 { last.to_string() } else { format!("{}{last}", digit(first, b'@')) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let items: String = PAGES.iter().map(|page| format!("<a href=\"{page}\">x</a>")).collect();
        let names: String = NAMES.iter().map(|name| format!("{}{name}", length(name))).collect();
        let tensor: String = GROUPS.iter().map(|group| format!("<h2><a>§</a>{group}</h2>")).collect();
        assert!(missing(&items, &names, &tensor).is_empty());
        let without = names.replace("nLearnerBuilder", "");
        assert_eq!(missing(&items, &without, &tensor), ["the name LearnerBuilder in the search index"]);
        let without = items.replace("train/struct.LearnerBuilder.html", "");
        assert_eq!(missing(&without, &names, &tensor), ["the page train/struct.LearnerBuilder.html"]);
    }

    #[test]
    fn a_longer_name_is_another() {
        assert!(is_name("cAnyfTensorjTensorData", "Tensor") && is_name("jTensorData", "TensorData"));
        assert!(!is_name("jTensorData", "Tensor"));
        // As rustdoc 1.95 writes them.
        assert!(is_name("g0A`CrossEntropyLossA`E", "CrossEntropyLoss"));
        assert!(!is_name("AfCrossEntropyLossRecord", "CrossEntropyLoss"));
    }
}

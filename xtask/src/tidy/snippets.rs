//! Every Rust block of the book is taken from a file that the tests compile.

use super::Findings;
use crate::workspace::{files, relative, root};
use std::fs;
use std::path::Path;

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    let book = root().join("burn-book/src");
    for path in files(&["md"]).into_iter().filter(|path| path.starts_with(&book)) {
        let text = fs::read_to_string(&path).map_err(|cause| format!("{}: {cause}", path.display()))?;
        let folder = path.parent().expect("a file lies in a folder");
        for (line, block) in rust_blocks(&text) {
            let place = format!("{}:{line}", relative(&path));
            findings.extend(wrong_with(&block, folder).map(|reason| format!("{place}: {reason}")));
        }
    }
    Ok(findings)
}

/// The blocks marked as Rust, each with the number of its first line.
fn rust_blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, Option<String>)> = None;
    for (at, line) in text.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(language)) => {
                let is_rust = language.split([',', ' ']).next() == Some("rust");
                open = Some((at + 1, is_rust.then(String::new)));
            }
            (Some((start, block)), Some(_)) => {
                blocks.extend(block.take().map(|block| (*start, block)));
                open = None;
            }
            (Some((_, Some(block))), None) => {
                block.push_str(line);
                block.push('\n');
            }
            _ => {}
        }
    }
    blocks
}

/// Why the block is not an include of compiled code.
fn wrong_with(block: &str, folder: &Path) -> Option<String> {
    let include = block.trim().strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}"));
    let Some(include) = include.filter(|include| !include.contains('\n')) else {
        return Some("a Rust block must be one {{#include file:anchor}}".to_string());
    };
    let (file, anchor) =
        include.split_once(':').map_or((include, None), |(file, anchor)| (file, Some(anchor)));
    let Ok(text) = fs::read_to_string(folder.join(file)) else {
        return Some(format!("there is no file {file}"));
    };
    let marked = |anchor: &str| {
        let marks = ["ANCHOR: ", "ANCHOR_END: "].map(|mark| format!("{mark}{anchor}"));
        marks.iter().all(|mark| text.lines().any(|line| line.trim_end().ends_with(mark.as_str())))
    };
    anchor.filter(|anchor| !marked(anchor)).map(|anchor| format!("{file} has no anchor {anchor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages are in the table of contents, and all their Rust blocks are compiled.
    fn assert_pages(pages: &[&str], with_blocks: &[&str]) {
        let read = |page: &str| fs::read_to_string(root().join("burn-book/src").join(page)).unwrap();
        let summary = read("SUMMARY.md");
        for page in pages {
            assert!(summary.contains(&format!("(./{page})")), "{page} is not in the table of contents");
            assert!(read(page).len() > 500, "{page} says next to nothing");
        }
        for page in with_blocks {
            assert!(!rust_blocks(&read(page)).is_empty(), "{page} shows no code");
        }
        assert_eq!(find().unwrap(), [""; 0]);
    }

    #[test]
    fn bo_001_overview_motivation_and_getting_started_show_compiled_code() {
        let pages = ["overview.md", "motivation.md", "getting-started.md"];
        assert_pages(&pages, &pages[1..]);
    }

    #[test]
    fn bo_002_the_pages_of_the_basic_workflow_show_compiled_code() {
        let pages = ["model", "data", "training", "backend", "inference"];
        let pages = pages.map(|page| format!("basic-workflow/{page}.md"));
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        assert_pages(&pages, &pages);
    }

    #[test]
    fn bo_003_every_building_block_has_a_page_with_compiled_code() {
        let blocks = ["module", "learner", "metrics", "config", "record", "dataset"];
        let blocks = blocks.map(|page| format!("building-blocks/{page}.md"));
        let chapters = ["backends/README.md", "tensor/README.md", "autodiff/README.md"];
        let pages: Vec<&str> = blocks.iter().map(String::as_str).chain(chapters).collect();
        assert_pages(&pages, &pages);
        let overview = fs::read_to_string(root().join("burn-book/src/building-blocks/README.md")).unwrap();
        for page in pages {
            let link = page
                .strip_prefix("building-blocks/")
                .map_or(format!("../{page}"), |page| format!("./{page}"));
            assert!(overview.contains(&format!("({link})")), "the overview does not lead to {page}");
        }
    }

    #[test]
    fn bo_004_the_page_on_training_by_hand_shows_compiled_code() {
        let pages = ["building-blocks/training-loop.md", "building-blocks/optimizers.md"];
        assert_pages(&pages, &pages);
        let page = fs::read_to_string(root().join("burn-book/src").join(pages[0])).unwrap();
        for title in ["The loop", "Several optimizers", "A trainer as a type"] {
            assert!(page.contains(&format!("## {title}\n")), "{title}");
        }
    }

    #[test]
    fn bo_005_the_page_on_saving_and_loading_shows_compiled_code() {
        let pages = ["building-blocks/saving.md", "building-blocks/record.md"];
        assert_pages(&pages, &pages);
        let page = fs::read_to_string(root().join("burn-book/src").join(pages[0])).unwrap();
        for title in ["Recorders", "Another architecture", "Partial loading", "Models inside of programs"] {
            assert!(page.contains(&format!("## {title}\n")), "{title}");
        }
    }

    #[test]
    fn bo_006_the_pages_on_importing_models_show_compiled_code() {
        let pages = ["onnx", "pytorch", "safetensors", "gguf", "README"];
        let pages = pages.map(|page| format!("import/{page}.md"));
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        assert_pages(&pages, &pages);
        for page in ["onnx", "pytorch"] {
            let path = root().join(format!("burn-book/src/import/{page}.md"));
            assert!(fs::read_to_string(path).unwrap().contains("\n## Troubleshooting\n"), "{page}");
        }
    }

    #[test]
    fn bo_007_the_page_on_pretrained_weights_shows_compiled_code_and_names_every_example() {
        let page = "import/models.md";
        assert_pages(&[page], &[page]);
        let text = fs::read_to_string(root().join("burn-book/src").join(page)).unwrap();
        // Examples that fetch a trained model depend on what fetches it.
        let mut fetching = 0;
        for entry in fs::read_dir(root().join("examples")).unwrap() {
            let folder = entry.unwrap().path();
            let name = folder.file_name().unwrap().to_str().unwrap().to_string();
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
            if manifest.contains("pip-package.workspace") {
                fetching += 1;
                assert!(text.contains(&format!("`{name}`")), "{page} does not name {name}");
            }
        }
        assert!(fetching >= 4, "{fetching} examples fetch a model");
    }

    #[test]
    fn bo_008_the_page_on_quantization_shows_compiled_code() {
        assert_pages(&["quantization.md"], &["quantization.md"]);
        let page = fs::read_to_string(root().join("burn-book/src/quantization.md")).unwrap();
        for title in ["Tensors", "Modules", "Calibration", "Gradients"] {
            assert!(page.contains(&format!("## {title}\n")), "{title}");
        }
    }

    #[test]
    fn bo_009_the_advanced_pages_show_compiled_code() {
        let pages = [
            "backends/custom-kernels.md",
            "backends/own-backend.md",
            "backends/own-decorator.md",
            "microcontrollers.md",
            "web.md",
        ];
        assert_pages(&pages, &pages);
        let kernels = fs::read_to_string(root().join("burn-book/src").join(pages[0])).unwrap();
        for title in ["In Rust", "In WGSL"] {
            assert!(kernels.contains(&format!("## {title}\n")), "{title}");
        }
    }

    #[test]
    fn bo_011_the_notes_on_rust_show_compiled_code() {
        assert_pages(&["rust-notes.md"], &["rust-notes.md"]);
        let page = fs::read_to_string(root().join("burn-book/src/rust-notes.md")).unwrap();
        for title in
            ["Values move", "References lend", "Traits", "Errors are values", "Errors of the compiler"]
        {
            assert!(page.contains(&format!("## {title}\n")), "{title}");
        }
    }

    #[test]
    fn the_pages_on_building_blocks_show_compiled_code() {
        let pages = ["module", "config", "layers", "losses", "lr-schedulers"];
        let pages = pages.map(|page| format!("building-blocks/{page}.md"));
        let pages: Vec<&str> = pages.iter().map(String::as_str).chain(["pytorch.md"]).collect();
        assert_pages(&pages, &pages);
    }

    #[test]
    fn only_rust_blocks_are_looked_at() {
        let text = "a\n```toml\nb\n```\n```rust,ignore\nc\n```\n```console\n```\n";
        assert_eq!(rust_blocks(text), [(5, "c\n".to_string())]);
    }

    #[test]
    fn code_written_into_the_page_is_refused() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(wrong_with("let x = 1;\n", folder).is_some());
        assert!(wrong_with("{{#include src/main.rs}}\n", folder).is_none());
        assert!(wrong_with("{{#include src/none.rs}}\n", folder).is_some());
        assert!(wrong_with("{{#include src/main.rs:gone}}\n", folder).is_some());
    }
}

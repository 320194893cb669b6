//! Every Rust block of the book is taken from a file that the tests compile, and is written into the page.

use crate::book::block::{Block, blocks};
use crate::book::{expanded, pages};
use repository::Findings;
use repository::workspace::{read, relative};

pub(crate) fn find() -> Findings {
    let mut findings = Vec::new();
    for path in pages() {
        let (text, file) = (read(&path)?, relative(&path));
        findings.extend(rust_blocks(&text).filter(|block| block.include.is_none()).map(
            |Block { line, .. }| {
                format!("{file}:{line}: a Rust block needs a line `<!-- include: FILE:ANCHOR -->` before it")
            },
        ));
        match expanded(&path, &text) {
            Ok(expanded) if expanded == text => {}
            Ok(_) => {
                findings.push(format!("{file} is not what its files say: run `cargo xtask book --expand`"))
            }
            Err(reason) => findings.push(reason),
        }
    }
    Ok(findings)
}

fn rust_blocks(page: &str) -> impl Iterator<Item = Block<'_>> {
    blocks(page).into_iter().filter(|block| block.language.split([',', ' ']).next() == Some("rust"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use repository::workspace::root;
    use std::fs;

    fn page(name: &str) -> String {
        fs::read_to_string(root().join("burn-book/src").join(name)).unwrap()
    }

    /// The pages are in the table of contents, and their Rust blocks, of which there are some, are compiled.
    /// The first page has sections of these titles.
    fn assert_pages(pages: &[&str], titles: &[&str]) {
        let summary = page("SUMMARY.md");
        for name in pages {
            assert!(summary.contains(&format!("(./{name})")), "{name} is not in the table of contents");
            let text = page(name);
            assert!(text.len() > 500, "{name} says next to nothing");
            let mut blocks = rust_blocks(&text).peekable();
            // The overview has no code.
            assert!(blocks.peek().is_some() || *name == "overview.md", "{name} shows no code");
            assert!(blocks.all(|block| block.include.is_some()), "{name} has code that is not compiled");
        }
        for title in titles {
            assert!(page(pages[0]).contains(&format!("\n## {title}\n")), "{}: {title}", pages[0]);
        }
    }

    /// Pages of a folder, by their names without the extension.
    fn assert_folder(folder: &str, names: &[&str], titles: &[&str]) {
        let pages: Vec<String> = names.iter().map(|name| format!("{folder}/{name}.md")).collect();
        assert_pages(&pages.iter().map(String::as_str).collect::<Vec<_>>(), titles);
    }

    #[test]
    fn bo_001_overview_motivation_and_getting_started_show_compiled_code() {
        assert_pages(&["overview.md", "motivation.md", "getting-started.md"], &[]);
    }

    #[test]
    fn bo_002_the_pages_of_the_basic_workflow_show_compiled_code() {
        assert_folder("basic-workflow", &["model", "data", "training", "backend", "inference"], &[]);
    }

    #[test]
    fn bo_003_every_building_block_has_a_page_with_compiled_code() {
        let blocks =
            ["module", "learner", "metrics", "config", "record", "dataset", "own-data", "own-optimizer"];
        let chapters = ["backends/README.md", "tensor/README.md", "autodiff/README.md"];
        assert_folder("building-blocks", &blocks, &[]);
        assert_pages(&chapters, &[]);
        let links = blocks.iter().map(|block| format!("(./{block}.md)"));
        let overview = page("building-blocks/README.md");
        for link in links.chain(chapters.iter().map(|chapter| format!("(../{chapter})"))) {
            assert!(overview.contains(&link), "the overview does not lead to {link}");
        }
    }

    #[test]
    fn bo_004_the_page_on_training_by_hand_shows_compiled_code() {
        let titles = ["The loop", "Several optimizers", "A trainer as a type"];
        assert_folder("building-blocks", &["training-loop", "optimizers"], &titles);
    }

    #[test]
    fn bo_005_the_page_on_saving_and_loading_shows_compiled_code() {
        let titles = ["Recorders", "Another architecture", "Partial loading", "Models inside of programs"];
        assert_folder("building-blocks", &["saving", "record"], &titles);
    }

    #[test]
    fn bo_006_the_pages_on_importing_models_show_compiled_code() {
        assert_folder("import", &["onnx", "safetensors", "gguf", "README"], &["Troubleshooting"]);
        assert_folder("import", &["pytorch"], &["Troubleshooting"]);
    }

    #[test]
    fn bo_007_the_page_on_pretrained_weights_shows_compiled_code_and_names_every_example() {
        assert_folder("import", &["models"], &[]);
        let text = page("import/models.md");
        // Examples that fetch a trained model depend on what fetches it.
        let mut fetching = 0;
        for entry in fs::read_dir(root().join("examples")).unwrap() {
            let folder = entry.unwrap().path();
            let name = folder.file_name().unwrap().to_str().unwrap().to_string();
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
            if manifest.contains("pip-package.workspace") {
                fetching += 1;
                assert!(text.contains(&format!("`{name}`")), "the page does not name {name}");
            }
        }
        assert!(fetching >= 4, "{fetching} examples fetch a model");
    }

    #[test]
    fn bo_008_the_page_on_quantization_shows_compiled_code() {
        assert_pages(&["quantization.md"], &["Tensors", "Modules", "Calibration", "Gradients"]);
    }

    #[test]
    fn bo_009_the_advanced_pages_show_compiled_code() {
        let backends = ["custom-kernels", "own-backend", "own-decorator"];
        assert_folder("backends", &backends, &["In Rust", "In WGSL"]);
        assert_pages(&["microcontrollers.md", "web.md"], &[]);
    }

    #[test]
    fn bo_011_the_notes_on_rust_show_compiled_code() {
        let titles =
            ["Values move", "References lend", "Traits", "Errors are values", "Errors of the compiler"];
        assert_pages(&["rust-notes.md"], &titles);
    }

    #[test]
    fn the_pages_on_building_blocks_show_compiled_code() {
        assert_folder("building-blocks", &["module", "config", "layers", "losses", "lr-schedulers"], &[]);
        assert_pages(&["pytorch.md"], &[]);
    }

    #[test]
    fn code_typed_into_the_page_is_refused() {
        let page =
            "a\n```toml\nb\n```\n<!-- include: main.rs -->\n```rust\n```\nText\n```rust,ignore\nc\n```\n";
        let is_included = rust_blocks(page).map(|block| (block.line, block.include.is_some()));
        assert!(is_included.eq([(6, true), (9, false)]));
    }

    /// The parts of a file that a page shows: the lines of its blocks, in their order.
    fn blocks_of(page: &str, file: &str) -> String {
        let blocks = blocks(page).into_iter();
        let shown = blocks.filter(|block| block.include.as_ref().is_some_and(|include| include.file == file));
        shown.flat_map(|block| block.lines).map(|line| format!("{line}\n")).collect()
    }

    /// The pages of the guide show all of these files, in order, so that a reader who types them has the
    /// program.
    #[test]
    fn the_pages_of_the_guide_are_its_files() {
        for (name, file) in [
            ("README.md", "src/lib.rs"),
            ("model.md", "src/model.rs"),
            ("data.md", "src/data.rs"),
            ("training.md", "src/training.rs"),
            ("inference.md", "src/inference.rs"),
            ("backend.md", "src/main.rs"),
        ] {
            let page = page(&format!("basic-workflow/{name}"));
            let shown = blocks_of(&page, &format!("../../../examples/guide/{file}"));
            let text = fs::read_to_string(root().join("examples/guide").join(file)).unwrap();
            // The quantized model is of another chapter.
            let is_code = |line: &&str| {
                *line != "pub mod quantization;"
                    && !line.is_empty()
                    && !line.starts_with("//!")
                    && !line.trim_start().starts_with("// ANCHOR")
            };
            let lines = |text: &str| text.lines().filter(is_code).map(str::to_string).collect::<Vec<_>>();
            assert_eq!(lines(&shown), lines(&text), "{file}");
        }
    }
}

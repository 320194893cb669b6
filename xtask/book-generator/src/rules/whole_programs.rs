//! Every page of the book that shows Rust has a whole program: imports, `main`, and a block with its output,
//! which a test named `x_701_..` compares.

use crate::book::{self, page};
use repository::Findings;
use repository::workspace::{read, relative, root};
use std::fs;
use std::path::Path;

pub(super) fn find() -> Findings {
    let folder = root().join("burn-book/src");
    let mut findings = Vec::new();
    for path in book::pages() {
        let missing = missing(&read(&path)?, path.parent().unwrap_or(&folder));
        findings.extend(missing.map(|missing| format!("{}: {missing}", relative(&path))));
    }
    Ok(findings)
}

/// Returns the reason for which a page that shows Rust has no whole program.
fn missing(text: &str, folder: &Path) -> Option<String> {
    let blocks = blocks(text);
    if !blocks.iter().any(|block| block.language == "rust") {
        return None;
    }
    let programs = (0..blocks.len()).filter(|at| blocks[*at].is_program());
    let lacks: Vec<_> = programs.map(|at| program_lacks(&blocks[at..], folder)).collect();
    match lacks.iter().flatten().next() {
        // One whole program is enough.
        _ if lacks.contains(&None) => None,
        Some(reason) => Some(reason.clone()),
        None => Some("shows Rust and has no whole program (imports, `main`)".to_string()),
    }
}

/// Returns the reason for which the program in the first of the blocks does not count.
fn program_lacks(blocks: &[Block], folder: &Path) -> Option<String> {
    let file = blocks.first()?.file.as_deref().unwrap_or_default();
    let is_tested = fs::read_to_string(folder.join(file)).is_ok_and(|text| text.contains("fn x_701_"));
    if !is_tested {
        return Some(format!("no test `x_701_..` in {file} compares the output of the program"));
    }
    let next = blocks.get(1).map(|block| block.language.as_str());
    (next != Some("text")).then(|| format!("no block `text` with the output follows the program of {file}"))
}

/// Fenced block of a page.
struct Block {
    language: String,
    /// Path of the file that the block includes.
    file: Option<String>,
    body: String,
}

impl Block {
    fn is_program(&self) -> bool {
        let has = |start: &str| self.body.lines().any(|line| line.starts_with(start));
        self.language == "rust" && has("use ") && (has("fn main(") || has("async fn main("))
    }
}

fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut before, mut lines) = (Vec::new(), "", text.lines());
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            blocks.push(Block {
                language: language.to_string(),
                file: page::mark(before).map(|include| include.file),
                body: body.join("\n"),
            });
        }
        before = line;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x_701_every_page_with_code_is_a_whole_program_with_its_output() {
        assert_eq!(find().unwrap(), [""; 0]);
    }

    #[test]
    fn a_page_lacks_a_program_its_test_or_its_output() {
        let folder = root().join("burn-book/src");
        let page = |file: &str, code: &str, rest: &str| {
            missing(&format!("<!-- include: {file} -->\n```rust\n{code}\n```\n{rest}"), &folder)
        };
        let program = "use a::B;\n\nfn main() {}";
        let (tested, output) = ("../snippets/src/programs/tensors.rs:program", "```text\n1\n```\n");
        assert_eq!(page(tested, program, output), None);
        assert_eq!(missing("```toml\n```\n", &folder), None);
        assert!(page(tested, "let x = 1;", output).unwrap().contains("no whole program"));
        assert!(page("../snippets/src/lib.rs", program, output).unwrap().contains("no test"));
        assert!(page(tested, program, "").unwrap().contains("no block `text`"));
    }
}

//! Every page of the book that shows Rust has a whole program: imports, `main`, and a block with its output,
//! which a test named `x_701_..` compares.

use crate::book::block::{Block, blocks};
use crate::book::pages;
use repository::Findings;
use repository::workspace::{read, relative, root};
use std::fs;
use std::path::Path;

pub(crate) fn find() -> Findings {
    let folder = root().join("burn-book/src");
    let mut findings = Vec::new();
    for path in pages() {
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
    let programs = (0..blocks.len()).filter(|at| is_program(&blocks[*at]));
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
    let file = blocks.first()?.include.as_ref().map_or("", |include| &include.file);
    let is_tested = fs::read_to_string(folder.join(file)).is_ok_and(|text| text.contains("fn x_701_"));
    if !is_tested {
        return Some(format!("no test `x_701_..` in {file} compares the output of the program"));
    }
    let next = blocks.get(1).map(|block| block.language);
    (next != Some("text")).then(|| format!("no block `text` with the output follows the program of {file}"))
}

fn is_program(block: &Block) -> bool {
    let has = |start: &str| block.lines.iter().any(|line| line.starts_with(start));
    block.language == "rust" && has("use ") && (has("fn main(") || has("async fn main("))
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

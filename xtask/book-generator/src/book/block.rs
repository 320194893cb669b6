use super::page::{self, Include};

/// Fenced block of a page.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    /// Number of its first line.
    pub(crate) line: usize,
    /// Text after the fence: the language and its options.
    pub(crate) language: &'a str,
    /// Part of a file that the line before the block includes.
    pub(crate) include: Option<Include>,
    pub(crate) lines: Vec<&'a str>,
}

/// Returns the fenced blocks of a page.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let fence = |line: &&str| line.trim_start().starts_with("```");
    let (mut blocks, mut before) = (Vec::new(), "");
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let body = lines.by_ref().map(|(_, line)| line).take_while(|line| !fence(line)).collect();
            blocks.push(Block { line: at + 1, language, include: page::mark(before), lines: body });
        }
        before = line;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_its_line_language_include_and_body() {
        let page = "a\n```toml\nb\n```\n<!-- include: main.rs -->\n```rust,ignore\nc\nd\n```\n";
        let blocks = blocks(page);
        let found: Vec<_> =
            blocks.iter().map(|block| (block.line, block.language, &block.lines[..])).collect();
        assert_eq!(found, [(2, "toml", &["b"][..]), (6, "rust,ignore", &["c", "d"])]);
        assert!(blocks[0].include.is_none());
        assert_eq!(blocks[1].include.as_ref().map(|include| include.file.as_str()), Some("main.rs"));
    }
}

//! Pages of the book, whose code is included from files and written into the page, so that it is there
//! without mdBook too.
//!
//! A line `<!-- include: FILE:ANCHOR -->` stands before a fenced block, which is the text between the anchors
//! of the file. Before the first block of a Rust file are the imports ([`super::imports`]) that the page's
//! code needs, and after it is a link to the file. A page in Markdown, such as a table, is written between
//! `<!-- include: FILE.md -->` and `<!-- end of include -->`.

use super::anchor::{self, Anchored};
use super::imports;
use repository::workspace::relative;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::str::Lines;

const MARK: &str = "<!-- include: ";
const END: &str = "<!-- end of include -->";

/// Include of a page: a file, by its path from the folder of the page, and an anchor in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Include {
    pub(crate) file: String,
    pub(crate) anchor: Option<String>,
}

impl Include {
    fn of(specification: &str) -> Self {
        let specification = specification.trim();
        let (file, anchor) = match specification.split_once(':') {
            Some((file, anchor)) => (file, Some(anchor.to_string())),
            None => (specification, None),
        };
        Include { file: file.to_string(), anchor }
    }

    fn is_page(&self) -> bool {
        self.file.ends_with(".md")
    }

    fn mark(&self) -> String {
        let anchor = self.anchor.as_ref().map(|anchor| format!(":{anchor}")).unwrap_or_default();
        format!("{MARK}{}{anchor} -->\n", self.file)
    }
}

/// Reads the line before an included block.
pub(crate) fn mark(line: &str) -> Option<Include> {
    line.strip_prefix(MARK)?.strip_suffix(" -->").map(Include::of)
}

/// Writes what the page of `folder` includes into it.
///
/// # Errors
/// A file or an anchor is missing, or a mark has no block.
pub(crate) fn expand(page: &str, folder: &Path) -> Result<String, String> {
    let mut expansion = Expansion { page, folder, linked: BTreeSet::new(), text: String::new() };
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(include) = mark(line) {
            expansion.include(&include, line, &mut lines)?;
        } else {
            expansion.text += &format!("{line}\n");
        }
    }
    Ok(expansion.text)
}

struct Expansion<'a> {
    page: &'a str,
    folder: &'a Path,
    /// Files that have a link already.
    linked: BTreeSet<String>,
    text: String,
}

impl Expansion<'_> {
    fn include(&mut self, include: &Include, line: &str, lines: &mut Lines) -> Result<(), String> {
        if !include.is_page() {
            let language = lines.next().and_then(|line| line.strip_prefix("```"));
            let language = language.ok_or_else(|| format!("no block follows `{line}`"))?;
            if !lines.any(|line| line.starts_with("```")) {
                return Err(format!("the block of `{line}` has no end"));
            }
            return self.code(include, language, lines);
        }
        if !lines.any(|line| line == END) {
            return Err(format!("`{line}` needs `{END}`"));
        }
        let table = self.read(include)?;
        self.text.push_str(&include.mark());
        self.text.push_str(&format!("\n{}\n\n{END}\n", table.trim()));
        Ok(())
    }

    /// Writes a block, and for the first one of a file the link to it.
    fn code(&mut self, include: &Include, language: &str, lines: &mut Lines) -> Result<(), String> {
        let text = self.read(include)?;
        let anchored = anchor::read(&text, &[include.anchor.as_deref()])
            .map_err(|anchor| format!("{} has no anchor {anchor}", include.file))?;
        let mut block = anchor::dedent(&anchored.shown);
        let is_first = self.linked.insert(include.file.clone());
        if is_first && include.file.ends_with(".rs") {
            block.insert_str(0, &imports::of(&self.all_of(&include.file, &text)?));
        }
        self.text.push_str(&include.mark());
        self.text.push_str(&format!("```{language}\n{}\n```\n", block.trim_matches('\n')));
        drop_link(lines);
        // Manifests are for a project of the reader: there is nothing more to see in their file.
        if is_first && !include.file.ends_with(".toml") {
            self.text.push_str(&format!("\n{}\n", self.link(&include.file)));
        }
        Ok(())
    }

    /// Lines of the file that the page includes, and its other lines.
    fn all_of(&self, file: &str, text: &str) -> Result<Anchored, String> {
        let includes = includes(self.page);
        let anchors: Vec<_> = includes.iter().filter(|include| include.file == file).collect();
        let anchors: Vec<_> = anchors.iter().map(|include| include.anchor.as_deref()).collect();
        anchor::read(text, &anchors).map_err(|anchor| format!("{file} has no anchor {anchor}"))
    }

    fn read(&self, include: &Include) -> Result<String, String> {
        let path = self.folder.join(&include.file);
        fs::read_to_string(path).map_err(|_| format!("there is no file {}", include.file))
    }

    fn link(&self, file: &str) -> String {
        let name = relative(&resolved(self.folder, file));
        format!("From [`{name}`]({file}).")
    }
}

/// Leaves out a link that an earlier expansion wrote.
fn drop_link(lines: &mut Lines) {
    let mut ahead = lines.clone();
    let is_link = |line: &str| line.starts_with("From [`") && line.ends_with(").");
    if ahead.next().is_some_and(str::is_empty) && ahead.next().is_some_and(is_link) {
        *lines = ahead;
    }
}

/// All that a page includes.
fn includes(page: &str) -> Vec<Include> {
    page.lines().filter_map(mark).collect()
}

/// Returns a path from a folder, without `..`.
pub(crate) fn resolved(folder: &Path, file: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in folder.join(file).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use repository::workspace::root;

    /// A folder with a file that pages include.
    fn folder() -> PathBuf {
        root().join("xtask/book-generator/src/book/fixture")
    }

    #[test]
    fn a_block_has_the_text_of_the_file_its_imports_and_a_link() {
        let page = "A\n\n<!-- include: square.rs:square -->\n```rust\n```\n\nB\n";
        let expanded = "A\n\n<!-- include: square.rs:square -->\n```rust\nuse std::fmt::Display;\n\ntype Number = f64;\n\n\
            fn square(x: Number) -> impl Display {\n    x * x\n}\n```\n\n\
            From [`xtask/book-generator/src/book/fixture/square.rs`](square.rs).\n\nB\n";
        assert_eq!(expand(page, &folder()).unwrap(), expanded);
        assert_eq!(expand(expanded, &folder()).unwrap(), expanded);
    }

    #[test]
    fn code_that_was_changed_in_the_page_is_put_right() {
        let page = "<!-- include: square.rs:use -->\n```rust\nlet x = square(3.0);\n```\n";
        let expanded = expand(page, &folder()).unwrap();
        assert!(expanded.contains("```rust\nlet four = square(2.0);\n```\n"), "{expanded}");
    }

    #[test]
    fn a_table_is_written_between_its_marks() {
        let page = "<!-- include: table.md -->\n<!-- end of include -->\nend\n";
        let expanded = "<!-- include: table.md -->\n\n| a | b |\n|---|---|\n\n<!-- end of include -->\nend\n";
        assert_eq!(expand(page, &folder()).unwrap(), expanded);
        assert_eq!(expand(expanded, &folder()).unwrap(), expanded);
    }

    #[test]
    fn what_is_missing_is_an_error() {
        for (page, reason) in [
            ("<!-- include: none.rs:a -->\n```rust\n```\n", "there is no file none.rs"),
            ("<!-- include: square.rs:gone -->\n```rust\n```\n", "square.rs has no anchor gone"),
            ("<!-- include: square.rs -->\n", "no block follows `<!-- include: square.rs -->`"),
            (
                "<!-- include: square.rs -->\n```rust\n",
                "the block of `<!-- include: square.rs -->` has no end",
            ),
            ("<!-- include: table.md -->\n", "`<!-- include: table.md -->` needs `<!-- end of include -->`"),
        ] {
            assert_eq!(expand(page, &folder()), Err(reason.to_string()));
        }
    }
}

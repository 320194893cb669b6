//! Links of the book's pages: the files and the headings that they name are there, and every page is in the
//! table of contents or is included by one that is.

use crate::book::page::{mark, resolved};
use crate::book::pages;
use repository::Findings;
use repository::workspace::{read, relative, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(crate) fn find() -> Findings {
    let mut texts = BTreeMap::new();
    for path in pages() {
        texts.insert(path.clone(), read(&path)?);
    }
    let headings: BTreeMap<&Path, BTreeSet<String>> =
        texts.iter().map(|(path, text)| (path.as_path(), headings(text))).collect();
    let mut findings = Vec::new();
    let mut reached: BTreeSet<PathBuf> = [root().join("burn-book/src/SUMMARY.md")].into();
    for (path, text) in &texts {
        let folder = path.parent().unwrap_or(path);
        reached.extend(text.lines().filter_map(mark).map(|include| resolved(folder, &include.file)));
        for link in links(text) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { resolved(folder, file) };
            if !target.exists() {
                findings.push(format!("{}: `{link}` names no file", relative(path)));
            } else if !heading.is_empty()
                && headings.get(target.as_path()).is_some_and(|known| !known.contains(heading))
            {
                findings.push(format!("{}: `{link}` names no heading", relative(path)));
            }
            if path.ends_with("SUMMARY.md") {
                reached.insert(target);
            }
        }
    }
    let lost = texts.keys().filter(|path| !reached.contains(*path));
    findings.extend(lost.map(|path| format!("{} is not in SUMMARY.md", relative(path))));
    Ok(findings)
}

/// The lines outside of fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The targets of links, without those to other sites.
fn links(text: &str) -> Vec<&str> {
    let targets =
        prose(text).flat_map(|line| line.split("](").skip(1).filter_map(|rest| rest.split(')').next()));
    targets.filter(|target| !target.contains("://") && !target.contains(' ')).collect()
}

/// The anchors of headings, as mdBook makes them.
fn headings(text: &str) -> BTreeSet<String> {
    let titles = prose(text).filter(|line| line.starts_with('#'));
    titles.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_headings_are_those_outside_of_code() {
        let text =
            "## The `B`, and more\n[a](./b.md#c) [d](https://e.org)\n```text\n# no\n[f](g)\n```\n[h](#i)\n";
        assert_eq!(links(text), ["./b.md#c", "#i"]);
        assert_eq!(headings(text).into_iter().collect::<Vec<_>>(), ["the-b-and-more"]);
        assert_eq!(resolved(Path::new("/a/b"), "../c/./d.md"), Path::new("/a/c/d.md"));
    }
}

//! Paths and items in the code of a file.

use repository::{name_at, words};
use std::collections::HashSet;

/// Segments of a path.
type Segments = Vec<String>;

/// Returns the code of a file without items for tests alone, which may use everything.
pub(crate) fn without_tests(code: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(code.len()), code);
    let next =
        |text: &str| ["#[cfg(test)", "#[cfg(all(test,"].iter().filter_map(|start| text.find(start)).min();
    while let Some(start) = next(rest) {
        kept += &rest[..start];
        rest = &rest[start + item_end(&rest[start..])..];
    }
    kept + rest
}

/// Bytes of the item at the start of a text, to its semicolon or its last brace.
fn item_end(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns whether a path stands in a `use`: a file that exports names of its children does not use them.
pub(crate) fn is_import(code: &str, at: usize) -> bool {
    let start = code[..at].rfind([';', ']', '}']).map_or(0, |end| end + 1);
    words(&code[start..at]).any(|(_, word)| word == "use")
}

/// Returns the items that a file declares, macros and those of inner modules included.
pub(crate) fn items(code: &str) -> HashSet<String> {
    let kinds = ["const", "enum", "fn", "static", "struct", "trait", "type", "union", "macro_rules"];
    let mut items = HashSet::new();
    for (at, kind) in words(code).filter(|(_, word)| kinds.contains(word)) {
        let after = &code[at + kind.len()..];
        let after = after.strip_prefix('!').unwrap_or(after);
        let name = name_at(after.trim_start());
        // Not a lifetime, nor the type of a function.
        let is_kind = !code[..at].ends_with('\'') && after.starts_with(char::is_whitespace);
        if is_kind && !name.is_empty() && !kinds.contains(&name) {
            items.insert(name.to_string());
        }
    }
    items
}

/// Returns the first segments of the paths in a file, and where they are.
pub(crate) fn heads(code: &str) -> impl Iterator<Item = (usize, &str)> {
    words(code).filter(|(at, head)| {
        let before = &code[..*at];
        code[at + head.len()..].starts_with("::") && !before.ends_with("::") && !before.ends_with('$')
    })
}

/// Returns the paths of a tree such as `a::{b, c::d as e}` at the beginning of a text, and the name that each
/// has.
pub(crate) fn trees(text: &str) -> Vec<(Segments, String)> {
    let mut found = Vec::new();
    tree(text, Vec::new(), &mut found);
    found
}

/// Reads a tree below `prefix` and returns the rest of the text.
fn tree<'a>(text: &'a str, mut prefix: Segments, found: &mut Vec<(Segments, String)>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        while !rest.trim_start().starts_with('}') {
            let after = tree(rest, prefix.clone(), found).trim_start();
            let after = after.strip_prefix(',').unwrap_or(after);
            if after.len() == rest.trim_start().len() {
                return after;
            }
            rest = after;
        }
        return &rest.trim_start()[1..];
    }
    if let Some(rest) = text.strip_prefix('*') {
        found.push((prefix, "*".to_string()));
        return rest;
    }
    let segment = name_at(text);
    let rest = &text[segment.len()..];
    if !segment.is_empty() && (segment != "self" || prefix.is_empty()) {
        prefix.push(segment.to_string());
    }
    // A path with generic arguments, such as `a::<B>`, ends before them.
    if let Some(rest) = rest.strip_prefix("::").filter(|_| !segment.is_empty()) {
        return tree(rest, prefix, found);
    }
    let alias = rest.strip_prefix(" as ").map(name_at);
    let name = alias.or(prefix.last().map(String::as_str)).unwrap_or_default().to_string();
    found.push((prefix, name));
    alias.map_or(rest, |alias| &rest[" as ".len() + alias.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_types_are_no_items() {
        let found = items("pub fn f(x: &'static dyn A) -> fn() -> B;\nstatic C: u8;\nmacro_rules! d {}");
        assert_eq!(found, ["f", "C", "d"].map(str::to_string).into());
    }

    #[test]
    fn trees_of_imports_are_read_to_their_end() {
        let names =
            |text| trees(text).into_iter().map(|(path, name)| (path.join("::"), name)).collect::<Vec<_>>();
        let expected = [("a::b", "b"), ("a::c", "e"), ("a::f", "*"), ("a", "a")];
        let expected = expected.map(|(path, name)| (path.to_string(), name.to_string()));
        assert_eq!(names("a::{b, c as e, f::*, self};"), expected);
    }
}

//! The lines of a file that a part of it needs: imports, and names of types and numbers.

use super::anchor::Anchored;
use repository::{code, name_at};
use std::collections::BTreeSet;

/// Width of a line, as rustfmt.toml has it.
const WIDTH: usize = 110;

/// Returns the imports, the type aliases and the constants of the rest of a file that what is shown of it
/// needs, each on its lines, with an empty line after them.
///
/// An import is left out where its name stands in the rest alone. A trait whose methods are used has its name
/// nowhere, so it stays.
pub(crate) fn of(Anchored { shown, rest }: &Anchored) -> String {
    let (shown_words, rest_words) = (words(&without_imports(shown)), words(&without_imports(rest)));
    let mut imported = BTreeSet::new();
    let at_margin: String = shown.lines().map(|line| format!("{}\n", line.trim_start())).collect();
    for tree in statements(&at_margin).iter().filter_map(Statement::tree) {
        part_of(&tree, "", &mut |name| imported.insert(name.to_string()));
    }
    let mut is_needed =
        |name: &str| !imported.contains(name) && (shown_words.contains(name) || !rest_words.contains(name));
    let (mut uses, mut aliases) = (Vec::new(), Vec::new());
    for statement in statements(rest) {
        if let Some(tree) = statement.tree() {
            let part = part_of(&tree, "", &mut is_needed);
            uses.extend(part.map(|part| wrapped(&format!("{}use {part};", statement.visibility))));
        } else if shown_words.contains(name_at(&statement.after_keyword)) {
            aliases.push(statement.text);
        }
    }
    [uses, aliases].iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n") + "\n\n").collect()
}

/// Import, alias or constant at the left margin.
struct Statement {
    /// Its lines, with the comment above.
    text: String,
    visibility: &'static str,
    keyword: String,
    after_keyword: String,
}

impl Statement {
    /// The tree of an import, on one line and without spaces at its braces.
    fn tree(&self) -> Option<String> {
        let (tree, _) = self.after_keyword.split_once(';').filter(|_| self.keyword == "use")?;
        let tree = tree.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(tree.replace("{ ", "{").replace(", }", "}").replace(" }", "}"))
    }
}

fn statements(text: &str) -> Vec<Statement> {
    let lines: Vec<&str> = text.lines().collect();
    let statement = |(at, line): (usize, &&str)| {
        let visibility = if line.starts_with("pub ") { "pub " } else { "" };
        let keyword = name_at(&line[visibility.len()..]).to_string();
        let above = lines[..at].iter().rev().take_while(|line| line.starts_with("//")).count();
        let end = at + lines[at..].iter().position(|line| line.trim_end().ends_with(';'))?;
        let whole = lines[at..=end].join("\n");
        let after_keyword = whole[visibility.len() + keyword.len()..].strip_prefix(' ')?.to_string();
        let is_wanted = ["use", "type", "const"].contains(&keyword.as_str());
        let text = lines[at - above..=end].join("\n");
        is_wanted.then_some(Statement { text, visibility, keyword, after_keyword })
    };
    lines.iter().enumerate().filter_map(statement).collect()
}

/// The names that a text uses.
fn words(text: &str) -> BTreeSet<String> {
    repository::words(&code(text)).map(|(_, word)| word.to_string()).collect()
}

fn without_imports(text: &str) -> String {
    let mut is_import = false;
    let kept = text.lines().filter(|line| {
        let start = line.trim_start();
        let was_import = is_import || start.starts_with("use ") || start.starts_with("pub use ");
        is_import = was_import && !line.trim_end().ends_with(';');
        !was_import
    });
    kept.map(|line| format!("{line}\n")).collect()
}

/// Returns the part of an import whose names are needed. `parent` is the last segment before it.
fn part_of(tree: &str, parent: &str, is_needed: &mut dyn FnMut(&str) -> bool) -> Option<String> {
    if let Some(group) = tree.strip_prefix('{').and_then(|tree| tree.strip_suffix('}')) {
        let parts = elements(group).into_iter().filter_map(|part| part_of(part, parent, is_needed));
        let parts: Vec<String> = parts.collect();
        return match &parts[..] {
            [] => None,
            [part] if part != "self" => Some(part.clone()),
            _ => Some(format!("{{{}}}", parts.join(", "))),
        };
    }
    if let Some((segment, below)) = tree.split_once("::") {
        return Some(format!("{segment}::{}", part_of(below, segment, is_needed)?));
    }
    // The name that the end of an import is used by.
    let name = match tree {
        "*" => format!("{parent}::*"),
        "self" => parent.to_string(),
        _ => tree.rsplit(" as ").next().unwrap_or(tree).to_string(),
    };
    is_needed(&name).then(|| tree.to_string())
}

/// The elements of a group, which may have groups.
fn elements(group: &str) -> Vec<&str> {
    let mut depth = 0;
    let elements = group.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    elements.map(str::trim).filter(|element| !element.is_empty()).collect()
}

/// A long import on several lines, as rustfmt writes it.
fn wrapped(line: &str) -> String {
    let Some((start, names)) = line.split_once('{').filter(|_| line.len() > WIDTH) else {
        return line.to_string();
    };
    let names = names.trim_end_matches("};");
    let mut text = format!("{start}{{\n");
    let mut row = String::from("   ");
    for name in names.split(", ") {
        if row.len() + name.len() + 2 > WIDTH {
            text.push_str(&format!("{row}\n"));
            row = String::from("   ");
        }
        row.push_str(&format!(" {name},"));
    }
    format!("{text}{row}\n}};")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(shown: &str, rest: &str) -> String {
        of(&Anchored { shown: shown.to_string(), rest: rest.to_string() })
    }

    #[test]
    fn names_that_are_used_are_imported() {
        let rest =
            "use a::{B, C as D, e::{self, F}};\nuse g::*;\nuse h::Trait;\ntype N = B;\nfn other(_: F) {}\n";
        assert_eq!(
            needed("fn f(b: B) { b.method() }", rest),
            "use a::{B, e};\nuse g::*;\nuse h::Trait;\n\n".replace(", e}", ", C as D, e::{self}}")
        );
        assert_eq!(
            needed("use h::Trait;\nuse g::*;\nfn f(n: N) {}", rest),
            "use a::{C as D, e::{self}};\n\ntype N = B;\n\n"
        );
    }

    #[test]
    fn names_in_comments_and_texts_are_not_used() {
        assert_eq!(needed("// B\nlet x = \"B\";", "use a::B;\nfn f(_: B) {}\n"), "");
    }

    #[test]
    fn constants_come_with_their_comments() {
        let rest = "/// Side of an image.\nconst SIDE: usize = 8;\nconst OTHER: usize = 9;\n";
        assert_eq!(needed("[0; SIDE]", rest), "/// Side of an image.\nconst SIDE: usize = 8;\n\n");
    }

    #[test]
    fn long_imports_are_wrapped() {
        let names: Vec<String> = (0..30).map(|number| format!("Name{number}")).collect();
        let line = wrapped(&format!("use a::{{{}}};", names.join(", ")));
        assert!(line.lines().all(|line| line.len() <= WIDTH) && line.ends_with(",\n};"), "{line}");
    }
}

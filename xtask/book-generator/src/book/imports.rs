//! The lines of a file that a part of it needs: imports, and names of types and numbers.

use super::anchor::Anchored;
use quote::ToTokens;
use repository::code;
use std::collections::BTreeSet;
use syn::{Item, UseTree};

/// Width of a line, as rustfmt.toml has it.
const WIDTH: usize = 110;

/// Returns the imports, the type aliases and the constants of the rest of a file that what is shown of it
/// needs, each on its lines, with an empty line after them.
///
/// An import is left out where its name stands in the rest alone. A trait whose methods are used has its name
/// nowhere, so it stays.
pub(crate) fn of(Anchored { shown, rest }: &Anchored) -> String {
    let (shown_words, rest_words) = (words(&without_imports(shown)), words(&without_imports(rest)));
    let imported = names(shown);
    let is_needed =
        |name: &str| !imported.contains(name) && (shown_words.contains(name) || !rest_words.contains(name));
    let mut uses = Vec::new();
    let mut aliases = Vec::new();
    for item in items(rest) {
        match item {
            Item::Use(item) => uses.extend(needed(&item.tree, &is_needed).map(|tree| {
                let public = item.vis.to_token_stream().to_string();
                let public = if public.is_empty() { public } else { format!("{public} ") };
                wrapped(&format!("{public}use {tree};"))
            })),
            Item::Type(item) if shown_words.contains(&item.ident.to_string()) => {
                aliases.push(source_line(rest, &format!("type {}", item.ident)));
            }
            Item::Const(item) if shown_words.contains(&item.ident.to_string()) => {
                aliases.push(source_line(rest, &format!("const {}:", item.ident)));
            }
            _ => {}
        }
    }
    [uses, aliases].iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n") + "\n\n").collect()
}

/// The items of a file, as far as its parts are whole.
fn items(text: &str) -> Vec<Item> {
    match syn::parse_file(text) {
        Ok(file) => file.items,
        // Something is cut in the middle of it: statement by statement.
        Err(_) => statements(text).filter_map(|statement| syn::parse_str(&statement).ok()).collect(),
    }
}

/// The imports, aliases and constants at the left margin.
fn statements(text: &str) -> impl Iterator<Item = String> {
    let begins = |line: &str| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        ["use ", "type ", "const "].iter().any(|word| line.starts_with(word))
    };
    let starts = text.lines().enumerate().filter(move |(_, line)| begins(line)).map(|(at, _)| at);
    starts.map(|at| {
        let mut statement = String::new();
        for line in text.lines().skip(at) {
            statement.push_str(line);
            statement.push('\n');
            if line.trim_end().ends_with(';') {
                break;
            }
        }
        statement
    })
}

/// The line of a file that begins with a text, and those before the `;`, with the comment above.
fn source_line(text: &str, start: &str) -> String {
    let is_start = |line: &str| line.trim_start_matches("pub ").starts_with(start);
    let Some(at) = text.lines().position(is_start) else { return String::new() };
    let lines: Vec<&str> = text.lines().collect();
    let above = lines[..at].iter().rev().take_while(|line| line.starts_with("//")).count();
    let below = lines[at..].iter().take_while(|line| !line.trim_end().ends_with(';')).count();
    lines[at - above..=at + below].join("\n")
}

/// The names that a text uses.
fn words(text: &str) -> BTreeSet<String> {
    let code = code(text);
    code.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_string).collect()
}

fn without_imports(text: &str) -> String {
    let mut kept = String::new();
    let mut is_import = false;
    for line in text.lines() {
        let start = line.trim_start();
        is_import |= start.starts_with("use ") || start.starts_with("pub use ");
        if !is_import {
            kept.push_str(line);
            kept.push('\n');
        }
        is_import &= !line.trim_end().ends_with(';');
    }
    kept
}

/// The names that a text imports, at any depth.
fn names(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let flat: String = text.lines().map(|line| format!("{}\n", line.trim_start())).collect();
    for statement in statements(&flat) {
        if let Ok(Item::Use(item)) = syn::parse_str(&statement) {
            leaves(&item.tree, "", &mut names);
        }
    }
    names
}

fn leaves(tree: &UseTree, parent: &str, names: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &path.ident.to_string(), names),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, parent, names)),
        UseTree::Glob(_) => {
            names.insert(format!("{parent}::*"));
        }
        UseTree::Name(_) | UseTree::Rename(_) => {
            names.insert(leaf(tree, parent));
        }
    }
}

/// The name that the end of an import is used by.
fn leaf(tree: &UseTree, parent: &str) -> String {
    match tree {
        UseTree::Name(name) if name.ident == "self" => parent.to_string(),
        UseTree::Name(name) => name.ident.to_string(),
        UseTree::Rename(name) => name.rename.to_string(),
        UseTree::Path(_) | UseTree::Glob(_) | UseTree::Group(_) => String::new(),
    }
}

/// The part of an import that is needed.
fn needed(tree: &UseTree, is_needed: &impl Fn(&str) -> bool) -> Option<String> {
    needed_below(tree, "", is_needed)
}

fn needed_below(tree: &UseTree, parent: &str, is_needed: &impl Fn(&str) -> bool) -> Option<String> {
    match tree {
        UseTree::Path(path) => {
            let ident = path.ident.to_string();
            Some(format!("{ident}::{}", needed_below(&path.tree, &ident, is_needed)?))
        }
        UseTree::Group(group) => {
            let parts = group.items.iter().filter_map(|tree| needed_below(tree, parent, is_needed));
            let parts: Vec<String> = parts.collect();
            match &parts[..] {
                [] => None,
                [part] if part != "self" => Some(part.clone()),
                _ => Some(format!("{{{}}}", parts.join(", "))),
            }
        }
        UseTree::Glob(_) => is_needed(&format!("{parent}::*")).then(|| "*".to_string()),
        UseTree::Name(name) => is_needed(&leaf(tree, parent)).then(|| name.ident.to_string()),
        UseTree::Rename(name) => {
            is_needed(&leaf(tree, parent)).then(|| format!("{} as {}", name.ident, name.rename))
        }
    }
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
